//! YAML.

use super::{assert_found, pairs, shown, source};
use crate::lint::{Form, Kind, Quote, Value};

#[test]
fn environments_of_kubernetes_are_found() {
    assert_found(
        Kind::Kubernetes,
        &[
            (
                "env:\n- name: A\n  value: \"1\"\n- {name: B, value: 2}\n- name: C\n  valueFrom: {x: y}\n- name: D\n",
                &[
                    "2:9 ListItem A=1",
                    "4:10 ListItem B=2 NotText(Number)",
                    "5:9 ListItem C~valueFrom",
                    "7:9 ListItem D=",
                ],
            ),
            (
                "a:\n  x:\n  - name: NCCL_A\n    value: 'yes'\n  - name: NCCL_B\n    value: yes\n",
                &["3:11 ListItem NCCL_A=yes", "5:11 ListItem NCCL_B=yes NotText(Boolean)"],
            ),
            (
                "data:\n  NCCL_A: \"1\"\n  nccl.conf: |\n    NCCL_B=2\n    # c\n    NCCL_C=\"3\"\n  run.sh: |\n    export D=4\n",
                &["2:3 Map NCCL_A=1", "4:5 ConfLine NCCL_B=2", "6:5 ConfLine NCCL_C=\"3\"", "8:12 Export D=4"],
            ),
            (
                "env:\n- name: A\n  value: $(B)\n- name: C\n  value: a$$(B)\n",
                &["2:9 ListItem A~$(B)", "4:9 ListItem C=a$(B)"],
            ),
            (
                "x:\n  command: [bash, -c]\n  args:\n  - |\n    export A=1\n    mpirun -x B=2 \\\n      -x C=3 ./x\n",
                &["5:12 Export A=1", "6:15 MpirunX B=2", "7:10 MpirunX C=3"],
            ),
            ("command:\n- mpirun\n- -x\n- A=1\n- \"-x\"\n- B\n- ./x\n", &["4:3 MpirunX A=1", "6:3 MpirunX B"]),
            ("command: [\"bash\", \"-c\", \"export A=1; B=\\\"2\\\" x\"]\n", &["1:33 Export A=1", "1:38 Prefix B=2"]),
            ("args:\n- >-\n  mpirun -x A=1\n  -x B=2 ./x\n", &["3:13 MpirunX A=1", "4:6 MpirunX B=2"]),
            ("a: {b: [{c: {env: [{name: A, value: \"1\"}]}}]}\n", &["1:27 ListItem A=1"]),
            (
                "env:\n- name: A\n  value: !!str 1\n- name: B\n  value: |\n    x\n",
                &["2:9 ListItem A=1", "4:9 ListItem B=x\n"],
            ),
            ("- name: PATH\n  path: x\n- name: lower\n  value: x\n", &[]),
            ("env:\r\n- name: A\r\n  value: \"1\"\r\n", &["2:9 ListItem A=1"]),
            (
                "---\nenv: [{name: A, value: a}]\n---\nenv: [{name: B, value: b}]\n",
                &["2:14 ListItem A=a", "4:14 ListItem B=b"],
            ),
        ],
    );
}

#[test]
fn environments_of_compose_and_charts_are_found() {
    assert_found(
        Kind::Compose,
        &[
            (
                "services:\n  a:\n    environment:\n      A: 1\n      B:\n      C: \"x$$y\"\n      D: ${E:-1}\n      F: true\n",
                &[
                    "4:7 Map A=1 NotText(Number)",
                    "5:7 Map B",
                    "6:7 Map C=x$y",
                    "7:7 Map D~${E:-1}",
                    "8:7 Map F=true NotText(Boolean)",
                ],
            ),
            (
                "services:\n  a:\n    environment:\n    - A=1\n    - \"B=x y\"\n    - C\n    - D=$E\n    - 'F=\"q\"'\n",
                &[
                    "4:7 ListString A=1",
                    "5:8 ListString B=x y",
                    "6:7 ListString C",
                    "7:7 ListString D~$E",
                    "8:8 ListString F=\"q\"",
                ],
            ),
            ("services:\n  a:\n    command: mpirun -x A=1 ./x\n", &["3:24 MpirunX A=1"]),
        ],
    );
    assert_found(
        Kind::Yaml,
        &[
            (
                "extraEnvVars:\n  A: \"1\"\nworker:\n  containerEnv:\n    B: x\nNCCL_C: 1\nPLAIN: 1\n",
                &["2:3 Map A=1", "5:5 Map B=x", "6:1 Map NCCL_C=1 NotText(Number)"],
            ),
            (
                "envs:\n  A: 1\nrun: |\n  export B=2\nsetup: pip install x\n",
                &["2:3 Map A=1 NotText(Number)", "4:10 Export B=2"],
            ),
            ("notes: set NCCL_A=1 to see\nx: |\n  text\n", &[]),
            ("env:\n  A: [1]\n", &["2:3 Map A~ NotText(Collection)"]),
        ],
    );
}

#[test]
fn anchors_are_followed_within_a_bound() {
    let text = "x: &e\n  A: \"1\"\na:\n  env:\n    <<: *e\n    B: \"2\"\nb:\n  env: *e\n";
    assert_eq!(
        pairs(&source(Kind::Yaml, text), Form::Map),
        [("A", "1"), ("A", "1"), ("B", "2")].map(|(name, value)| (name.to_string(), value.to_string()))
    );
    let mut bomb = "a0: &a0 {env: {A: \"1\"}}\n".to_string();
    for level in 1..40 {
        let many = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{many}]\n"));
    }
    let source = source(Kind::Yaml, &bomb);
    assert!(source.fallback.is_some());
    assert_eq!(shown(&super::source(Kind::Yaml, "a: &a [*a]\n")), [""; 0], "an alias of what it stands in");
}

#[test]
fn templates_are_read_around() {
    let text = "env:\n{{- if .x }}\n- name: A\n  value: {{ .Values.a | quote }}\n{{- end }}\n- name: B\n  value: \"x{{ .b }}\"\n{{- with .c }}\n\
                {{ toYaml . }}\n{{ end }}\n- name: C\n  value: \"1\"\nx: |\n  {{ if y }}\n  export D={{ d }} E=1\n  {{ end }}\n";
    let source = source(Kind::Kubernetes, text);
    assert_eq!(
        shown(&source),
        [
            "3:9 ListItem A~{{ .Values.a | quote }}?",
            "6:9 ListItem B~\"x{{ .b }}\"",
            "11:9 ListItem C=1",
            "15:10 Export D~{{ d }}?",
            "15:20 Export E=1?",
        ]
    );
    assert!(source.fallback.is_none());
}

#[test]
fn what_is_no_yaml_is_read_line_by_line() {
    let text = "a: [\nenv:\n- name: A\n  value: \"1\" # c\n- B=2\nC: 'x'\nD: $E\nF: 1\n  export G=1\n";
    let source = source(Kind::Yaml, text);
    assert_eq!(
        shown(&source),
        ["3:9 ListItem A=1", "5:3 ListString B=2", "6:1 Map C=x", "7:1 Map D~$E", "8:1 Map F=1", "9:10 Export G=1",]
    );
    let fallback = source.fallback.unwrap();
    assert!(fallback.message.contains("read line by line") && fallback.line.is_some(), "{fallback:?}");
    for deep in ["[".repeat(100_000), "- ".repeat(100_000), (0..2000).map(|at| " ".repeat(at) + "a:\n").collect()] {
        assert!(super::source(Kind::Yaml, &deep).fallback.is_some());
    }
}

#[test]
fn a_value_keeps_how_it_is_written() {
    let source = source(Kind::Kubernetes, "env:\n- name: \"A\"\n  value: \"x\\ty\"\n- name: B\n  value: 'it''s'\n");
    let found: Vec<(usize, &str, Quote, usize)> = source
        .settings
        .iter()
        .map(|setting| match &setting.value {
            Value::Literal { written, quote, .. } => (setting.at.column, &**written, *quote, setting.value_at.column),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, [(10, "\"x\\ty\"", Quote::Double, 10), (9, "'it''s'", Quote::Single, 10)]);
}

#[test]
fn containers_say_what_they_ask_for() {
    let text = "spec:\n  hostIPC: true\n  hostNetwork: true\n  containers:\n  - name: a\n    image: i\n    resources:\n      limits: {nvidia.com/gpu: 8, rdma/hca: \"1\"}\n    \
                securityContext: {capabilities: {add: [IPC_LOCK]}}\n  - name: b\n    image: i\n    volumeMounts:\n    - mountPath: /dev/shm\n    env:\n    - {name: A, value: x}\n";
    let source = source(Kind::Kubernetes, text);
    let [a, b] = &source.containers[..] else { panic!("{:?}", source.containers) };
    assert_eq!((&*a.name, a.at.line, a.gpus, a.asks_rdma.as_deref()), ("a", 5, Some(8), Some("rdma/hca: 1")));
    assert!(a.ipc_lock && a.shm && a.infiniband && a.host_network);
    assert!(!b.ipc_lock && b.shm && !b.infiniband && b.asks_rdma.is_none());
    assert_eq!(source.settings[0].scope, b.scope);
    assert_ne!(a.scope, b.scope);
    let text = "services:\n  x:\n    image: i\n    privileged: true\n    shm_size: 1g\n    network_mode: host\n  y:\n    ulimits: {memlock: {soft: -1, hard: -1}}\n    \
                devices: [\"/dev/infiniband:/dev/infiniband\"]\n    environment: [A=1]\n";
    let source = super::source(Kind::Compose, text);
    let [x, y] = &source.containers[..] else { panic!("{:?}", source.containers) };
    assert!(x.ipc_lock && x.shm && x.infiniband && x.host_network);
    assert!(y.ipc_lock && !y.shm && y.infiniband && y.asks_rdma.is_some());
    assert_eq!((&*y.name, source.settings[0].scope), ("y", y.scope));
}
