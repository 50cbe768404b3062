//! Files with settings, in the shapes that a reader or a rule might look at again and again.

use super::row::Row;

/// What `lint` and `env diff` read.
pub fn rows() -> Vec<Row> {
    const LINT: &[&str] = &["lint", "FILE"];
    const JSON: &[&str] = &["lint", "--format", "json", "FILE"];
    const DIFF: &[&str] = &["env", "diff", "FILE", "roce"];
    let row = |name, arguments, file, n, content| Row { name, arguments, file, content, n };
    vec![
        row("shell: options on one line", JSON, "a.sh", 500, |n| format!("mpirun {}\n", "-x NCCL_X=1 ".repeat(n))),
        row("shell: options on one line, not ASCII", JSON, "a.sh", 500, |n| {
            format!("mpirun {}\n", "-x NCCL_X=\u{e4} ".repeat(n))
        }),
        row("shell: commands on one line", LINT, "a.sh", 500, |n| format!("{}\n", "export NCCL_X=1; ".repeat(n))),
        row("shell: lines", LINT, "a.sh", 500, |n| lines(n, |i| format!("export NCCL_IB_TC={i}\n"))),
        row("shell: unknown names", LINT, "a.sh", 500, |n| lines(n, |i| format!("export NCCL_UNKNOWN_{i}=1\n"))),
        row("shell: names close to known ones", LINT, "a.sh", 500, |n| {
            lines(n, |i| format!("export NCCL_IB_HC{i}=1\n"))
        }),
        row("shell: environments inside of each other", LINT, "a.sh", 500, |n| {
            format!("{}true\n", "env NCCL_IB_TC=1 ".repeat(n))
        }),
        row("shell: launchers inside of each other", LINT, "a.sh", 500, |n| {
            format!("{}true\n", "mpirun -x NCCL_IB_TC=1 ".repeat(n))
        }),
        row("shell: subshells inside of each other", LINT, "a.sh", 500, |n| "( export NCCL_IB_TC=1\n".repeat(n)),
        row("shell: conditions inside of each other", LINT, "a.sh", 500, |n| {
            "if true; then\nexport NCCL_X=1\n".repeat(n)
        }),
        row("shell: here-documents", LINT, "a.sh", 500, |n| "cat <<A > a.sh\nexport NCCL_X=1\nA\n".repeat(n)),
        row("shell: here-documents of one command", LINT, "a.sh", 500, |n| {
            format!("bash {}\n{}", "<<A ".repeat(n), "NCCL_X=1\nA\n".repeat(n))
        }),
        row("shell: a long here-document", LINT, "a.sh", 500, |n| {
            format!("cat <<A > a.sh\n{}A\n", "export NCCL_X=1\n".repeat(n))
        }),
        row("shell: continued lines", LINT, "a.sh", 500, |n| {
            format!("mpirun \\\n{}true\n", "-x NCCL_X=1 \\\n".repeat(n))
        }),
        row("shell: a long value", LINT, "a.sh", 20_000, |n| {
            format!("export NCCL_IB_HCA=\"{}\"\n", "mlx5_1,".repeat(n))
        }),
        row("shell: commands under a long value", LINT, "a.sh", 5000, |n| {
            format!("export NCCL_IB_DISABLE={}\n{}", "1".repeat(n), "NCCL_IB_TC=1 run\n".repeat(n / 10))
        }),
        row("shell: escaped quotes", LINT, "a.sh", 5000, |n| format!("echo {}\n", "\\'".repeat(n))),
        row("shell: quotes that nothing closes", LINT, "a.sh", 5000, |n| "'\"\n".repeat(n)),
        row("shell: templates that nothing closes", LINT, "a.sh", 5000, |n| {
            format!("export NCCL_X={}\n", "{".repeat(n))
        }),
        row("shell: templates that nothing closes, in quotes", LINT, "a.sh", 5000, |n| {
            format!("export NCCL_X=\"{}\"\n", "{".repeat(n))
        }),
        row("shell: braces that nothing closes", LINT, "a.sh", 5000, |n| format!("run {}\n", "{a".repeat(n))),
        row("shell: arrays in a word", LINT, "a.sh", 5000, |n| format!("{}{}\n", "A".repeat(n), "=(x)".repeat(n))),
        row("shell: calls inside of each other", LINT, "a.sh", 2000, |n| {
            format!("export NCCL_X={}{}\n", "$(a ".repeat(n), ")".repeat(n))
        }),
        row("shell: shells inside of each other", LINT, "a.sh", 2000, |n| {
            format!("{}-c 'export NCCL_X=1'\n", "bash ".repeat(n))
        }),
        row("shell: pipes", LINT, "a.sh", 2000, |n| format!("{}cat > a.sh\n", "echo NCCL_X=1 | ".repeat(n))),
        row("shell: a variable used again and again", LINT, "a.sh", 100, |n| {
            format!("A={}\nexport NCCL_X={}\n", "a".repeat(2000), "$A".repeat(n))
        }),
        row("shell: one rule allowed again and again", LINT, "a.sh", 500, |n| {
            format!("{} # rdmanav: allow {}\n", "export NCCL_X=1; ".repeat(n), "unknown-name, ".repeat(n))
        }),
        row("shell: rules allowed above a line", LINT, "a.sh", 500, |n| {
            lines(n, |i| format!("# rdmanav: allow rule-{i}\n")) + &"export NCCL_X=1; ".repeat(n)
        }),
        row("shell: devices that others begin with", LINT, "a.sh", 500, |n| {
            lines(n, |i| format!("export NCCL_IB_HCA=mlx5_1,a_{i}_1,mlx5_1{i}x\n"))
        }),
        row("shell: a long list of devices", LINT, "a.sh", 500, |n| {
            format!("export NCCL_IB_HCA={}\n", lines(n, |i| format!("mxl5_{i},")))
        }),
        row("shell: commands of EFA over settings of verbs", LINT, "a.sh", 100, |n| {
            format!(
                "export FI_PROVIDER=efa\n{}{}",
                lines(n, |i| format!("export NCCL_IB_X{i}=1\n")),
                "NCCL_IB_TC=1 run\n".repeat(n)
            )
        }),
        row("shell: commands over what is switched off", LINT, "a.sh", 150, |n| {
            format!(
                "export NCCL_IB_DISABLE=1\n{}{}",
                lines(n, |i| format!("export NCCL_IB_X{i}=1\n")),
                "NCCL_IB_TC=1 run\n".repeat(n)
            )
        }),
        row("Dockerfile: a command of many lines", LINT, "Dockerfile", 2_000, |n| {
            format!("FROM x\nENV NCCL_X=1\nRUN true \\\n{}", " && foo \\\n".repeat(n))
        }),
        row("shell: containers", LINT, "a.sh", 200, |n| {
            "docker run --device=/dev/infiniband -e NCCL_X=1 a\n".repeat(n)
        }),
        row("shell: names used", LINT, "a.sh", 2000, |n| lines(n, |i| format!("export NCCL_X{i}=1 A=$NCCL_X{i}\n"))),
        row("Dockerfile: stages", LINT, "Dockerfile", 500, |n| {
            lines(n, |i| format!("FROM s{i} AS s{}\nENV NCCL_IB_TC=1\n", i + 1))
        }),
        row("Dockerfile: stages on one base", LINT, "Dockerfile", 500, |n| {
            format!("FROM a AS b\n{}", "FROM b\nENV NCCL_IB_TC=1\n".repeat(n))
        }),
        row("Dockerfile: variables on one line", LINT, "Dockerfile", 500, |n| {
            format!("FROM a\nENV {}\n", "NCCL_X=1 ".repeat(n))
        }),
        row("Dockerfile: continued lines", LINT, "Dockerfile", 500, |n| {
            format!("FROM a\nENV {}A=1\n", "NCCL_X=1 \\\n".repeat(n))
        }),
        row("Dockerfile: commands", LINT, "Dockerfile", 500, |n| format!("FROM a\n{}", "RUN NCCL_X=1 a\n".repeat(n))),
        row("Dockerfile: here-documents of one command", LINT, "Dockerfile", 500, |n| {
            format!("FROM a\nRUN {}\n{}", "<<A ".repeat(n), "export NCCL_X=1\nA\n".repeat(n))
        }),
        row("Dockerfile: marks of here-documents", LINT, "Dockerfile", 5000, |n| {
            format!("FROM a\nRUN {}{}\n", " ".repeat(n), "<<a".repeat(n))
        }),
        row("Dockerfile: blanks before marks of here-documents", LINT, "Dockerfile", 5000, |n| {
            format!("FROM a\nCOPY {}{}\n", " ".repeat(n), "<<- ".repeat(n))
        }),
        row("Kubernetes: pods on one line", JSON, "pods.yaml", 50, |n| {
            format!("{{\"apiVersion\":\"v1\",\"items\":[{}]}}\n", "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"b\",\"env\":[{\"name\":\"NCCL_X\",\"value\":\"1\"}],\"resources\":{\"limits\":{\"rdma/hca\":1}}}]}},".repeat(n))
        }),
        row("Kubernetes: containers", LINT, "pod.yaml", 100, |n| {
            format!("apiVersion: v1\nspec:\n  containers:\n{}", "  - name: a\n    image: b\n    env:\n    - {name: NCCL_X, value: 1}\n    resources: {limits: {rdma/hca: 1}}\n".repeat(n))
        }),
        row("Kubernetes: documents", LINT, "pod.yaml", 100, |n| {
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  NCCL_X: 1\n---\n".repeat(n)
        }),
        row("Kubernetes: files in a map", LINT, "pod.yaml", 200, |n| {
            format!("apiVersion: v1\ndata:\n{}", lines(n, |i| format!("  a{i}.sh: |\n    export NCCL_X=1\n")))
        }),
        row("compose: services", LINT, "compose.yaml", 200, |n| {
            format!(
                "services:\n{}",
                lines(n, |i| format!("  a{i}:\n    image: b\n    environment:\n      - NCCL_X=1\n"))
            )
        }),
        row("compose: services with one environment", LINT, "compose.yaml", 400, |n| {
            format!(
                "x: &a\n{}services:\n{}",
                lines(n, |i| format!("  NCCL_X{i}: 1\n")),
                lines(n, |i| format!("  a{i}: {{image: b, environment: *a}}\n"))
            )
        }),
        // Of n services with a script of n lines each, so many settings are read as a bound says: these sizes are beyond it.
        row("compose: services with one script", LINT, "compose.yaml", 500, |n| {
            format!(
                "x: &a |\n{}services:\n{}",
                "  X=$Y\n".repeat(n),
                lines(n, |i| format!("  a{i}: {{image: b, command: *a}}\n"))
            )
        }),
        row("compose: services with one long value", LINT, "compose.yaml", 1000, |n| {
            format!(
                "x: &a \"{}\"\nservices:\n{}",
                "x".repeat(n),
                lines(n, |i| format!("  a{i}: {{image: b, environment: {{NCCL_X: *a}}}}\n"))
            )
        }),
        row("compose: services with one large map", LINT, "compose.yaml", 1000, |n| {
            format!(
                "x: &a\n{}services:\n{}",
                lines(n, |i| format!("  x{i}: 1\n")),
                lines(n, |i| format!("  a{i}: {{image: b, deploy: *a, ulimits: *a, devices: *a}}\n"))
            )
        }),
        row("compose: services that merge", LINT, "compose.yaml", 100, |n| {
            format!(
                "a: &a {{x: 1}}\nb: &b {{<<: [*a, *a, *a, *a, *a, *a, *a, *a]}}\nc: &c {{<<: [*b, *b, *b, *b, *b, *b, *b, *b]}}\nservices:\n{}",
                lines(n, |i| format!("  a{i}: {{image: b, <<: [*c, *c, *c, *c, *c, *c, *c, *c]}}\n"))
            )
        }),
        row("YAML: maps on one line", JSON, "a.yaml", 500, |n| format!("a: [{}]\n", "{NCCL_X: \"1\"}, ".repeat(n))),
        row("YAML: variables on one line", LINT, "a.yaml", 500, |n| {
            format!("env: {{{}}}\n", lines(n, |i| format!("NCCL_X{i}: 1, ")))
        }),
        row("YAML: variables", LINT, "a.yaml", 500, |n| format!("env:\n{}", lines(n, |i| format!("  NCCL_X{i}: 1\n")))),
        row("YAML: maps inside of each other", LINT, "a.yaml", 5000, |n| "{a: ".repeat(n)),
        row("YAML: lists inside of each other", LINT, "a.yaml", 20_000, |n| "- ".repeat(n)),
        row("YAML: a long scalar in quotes", LINT, "a.yaml", 5000, |n| {
            format!("run: \"{}\"\n", "export NCCL_X=1\\n".repeat(n))
        }),
        row("YAML: a long folded scalar", LINT, "a.yaml", 2000, |n| {
            format!("run: >\n{}", "  export NCCL_X=1;\n".repeat(n))
        }),
        row("YAML: templates on one line", LINT, "a.yaml", 2000, |n| {
            format!("env: {{NCCL_X: \"{}\"}}\n", "{{a}}".repeat(n))
        }),
        row("YAML: templates and settings", LINT, "a.yaml", 200, |n| {
            format!("env:\n{}", lines(n, |i| format!("  {{{{ if a }}}}\n  NCCL_X{i}: {{{{ b }}}}\n  {{{{ end }}}}\n")))
        }),
        row("YAML: templates that nothing closes", LINT, "a.yaml", 5000, |n| format!("a: {}\n", "{%".repeat(n))),
        row("YAML: no YAML", LINT, "a.yaml", 500, |n| format!("a: [1\nb: 2\n{}", "NCCL_X: 1\n".repeat(n))),
        row("YAML: no YAML, on one line", LINT, "a.yaml", 500, |n| {
            format!("a: [1\nb: 2\nc: {}\n", "export NCCL_X=1; ".repeat(n))
        }),
        row("nccl.conf: unknown names", LINT, "nccl.conf", 500, |n| lines(n, |i| format!("NCCL_UNKNOWN_{i}=1\n"))),
        row("nccl.conf: one name", LINT, "nccl.conf", 500, |n| lines(n, |i| format!("NCCL_IB_TC={i}\n"))),
        row("nccl.conf: names with blanks", LINT, "nccl.conf", 500, |n| "NCCL_IB_TC = 1\n".repeat(n)),
        row("env-file: quoted values", LINT, "env.list", 500, |n| lines(n, |i| format!("NCCL_X{i}=\"1\"\n"))),
        row("dotenv: quotes that nothing closes", LINT, "a.env", 2000, |n| "A=\"\\\"\n".repeat(n)),
        row("dotenv: a long quoted value", LINT, "a.env", 2000, |n| format!("NCCL_X=\"{}\"\n", "a\n".repeat(n))),
        row("dump: repeated", LINT, "environ", 500, |n| "HOME=/a\nNCCL_X=1\nPATH=/b\n".repeat(n)),
        row("dump: different values", LINT, "environ", 500, |n| lines(n, |i| format!("NCCL_IB_TC={i}\n"))),
        row("dump: lines that go on", LINT, "environ", 5000, |n| format!("NCCL_X=1\n{}", "go on\n".repeat(n))),
        row("dump: separated by NUL", LINT, "environ", 500, |n| lines(n, |i| format!("NCCL_X{i}=1\0"))),
        row("Python: lines", LINT, "a.py", 500, |n| lines(n, |i| format!("os.environ[\"NCCL_X{i}\"] = 1\n"))),
        row("Python: statements on one line", LINT, "a.py", 500, |n| {
            format!("import os\n{}\n", "os.environ[\"NCCL_X\"] = 1; ".repeat(n))
        }),
        row("Python: keys of one dictionary", LINT, "a.py", 500, |n| {
            format!("env = {{{}}}\n", lines(n, |i| format!("\"NCCL_X{i}\": \"1\", ")))
        }),
        row("Python: dictionaries inside of each other", LINT, "a.py", 500, |n| "{\"NCCL_X\": ".repeat(n)),
        row("Python: brackets inside of each other", LINT, "a.py", 5000, |n| {
            format!("os.environ[\"NCCL_X\"] = {}\n", "(".repeat(n))
        }),
        row("Python: escaped quotes", LINT, "a.py", 5000, |n| format!("a = {}\n", "'\\".repeat(n))),
        row("Python: blocks inside of each other", LINT, "a.py", 5000, |n| {
            let deep = n.isqrt();
            format!(
                "{}{}{}",
                lines(deep, |i| format!("{}if __name__ == 1:\n", " ".repeat(i))),
                " ".repeat(deep),
                "os.environ[\"NCCL_X\"] = 1; ".repeat(n / 20)
            )
        }),
        row("log: hosts", LINT, "a.log", 500, |n| {
            lines(n, |i| format!("n{i}:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to {i}.\n"))
        }),
        row("log: values of one host", LINT, "a.log", 500, |n| {
            lines(n, |i| format!("n:1:2 [0] NCCL INFO NCCL_X{i} set by environment to {i}.\n"))
        }),
        row("log: a long line", LINT, "a.log", 5000, |n| {
            format!(
                "n:1:2 [0] NCCL INFO NCCL_X set by environment to {}\n",
                "NCCL_X set by environment to 1 ".repeat(n)
            )
        }),
        row("env diff: a value for each command", DIFF, "a.sh", 500, |n| lines(n, |i| format!("NCCL_IB_TC={i} run\n"))),
        row("env diff: names", DIFF, "a.sh", 500, |n| lines(n, |i| format!("export NCCL_X{i}=1\n"))),
    ]
}

/// So many lines, each with its number.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}
