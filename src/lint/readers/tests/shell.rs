//! What commands of a shell set.

use super::{assert_found, shown, source};
use crate::lint::{Kind, Quote, Value};

#[test]
fn assignments_are_found_where_a_shell_sees_them() {
    assert_found(
        Kind::Shell,
        &[
            ("export A=1 B=\"x y\" C='z'", &["1:8 Export A=1", "1:12 Export B=x y", "1:20 Export C=z"]),
            ("A=1", &["1:1 Assign A=1"]),
            ("A=1\nexport A", &["1:1 Export A=1"]),
            ("export A\nA=1", &["1:8 Export A", "2:1 Export A=1"]),
            ("export A", &["1:8 Export A"]),
            ("set -a\nA=1\nset +a\nB=1", &["2:1 Export A=1", "4:1 Assign B=1"]),
            ("set -o allexport; A=1", &["1:19 Export A=1"]),
            ("declare -x A=1; typeset B=1", &["1:12 Export A=1", "1:25 Assign B=1"]),
            ("export \"A=1 2\"", &["1:9 Export A=1 2"]),
            ("A=1 B=2 ./run C=3", &["1:1 Prefix A=1", "1:5 Prefix B=2"]),
            ("time A=1 ./run", &["1:6 Prefix A=1"]),
            ("unset A B", &["1:7 Export -A", "1:9 Export -B"]),
            ("setenv A 1", &["1:8 Export A=1"]),
            ("set -gx A 1", &["1:9 Export A=1"]),
            ("set -x\nA=1 b", &["2:1 Prefix A=1"]),
            (
                "env -u A B=1 -u C D=2 ./run E=3",
                &["1:8 EnvCommand -A", "1:10 EnvCommand B=1", "1:17 EnvCommand -C", "1:19 EnvCommand D=2"],
            ),
            ("# A=1\nB=2 # C=3\n", &["2:1 Assign B=2"]),
            ("export A=1 \\\n  B=2 \\\n  C=3", &["1:8 Export A=1", "2:3 Export B=2", "3:3 Export C=3"]),
            ("export NCCL_IB_HCA==mlx5_0", &["1:8 Export NCCL_IB_HCA==mlx5_0"]),
            ("export A=1;export B=2&&C=3 x", &["1:8 Export A=1", "1:19 Export B=2", "1:24 Prefix C=3"]),
            ("A+=x", &["1:1 Assign A~x"]),
            ("path=/x; nccl_version=2", &[]),
            ("export nccl_debug=INFO", &["1:8 Export nccl_debug=INFO"]),
            ("x ä; export A=ö", &["1:13 Export A=ö"]),
        ],
    );
}

#[test]
fn a_carriage_return_belongs_to_the_value() {
    assert_found(
        Kind::Shell,
        &[
            ("export A=1\r\nexport B=\"2\"\r\n", &["1:8 Export A=1\r", "2:8 Export B=2\r"]),
            ("if x; then\r\nexport A=1\r\nfi\r\nB=1 ", &["2:8 Export A=1\r?", "4:1 Assign B=1"]),
            ("mpirun \\\r\n -x A=1 \\\r\n -x B=2", &["2:5 MpirunX A=1", "3:5 MpirunX B=2"]),
        ],
    );
}

#[test]
fn what_only_the_run_knows_is_not_resolved() {
    assert_found(
        Kind::Shell,
        &[
            ("export A=$B C=${D:-3} E=$(x y)", &["1:8 Export A~$B", "1:13 Export C~${D:-3}", "1:23 Export E~$(x y)"]),
            ("A=1\nexport B=$A C=\"x${A}\"", &["1:1 Assign A=1", "2:8 Export B=1", "2:13 Export C=x1"]),
            ("a=1\nexport B=$a", &["2:8 Export B=1"]),
            ("if x; then A=1; fi\nexport B=$A", &["1:12 Assign A=1?", "2:8 Export B~$A"]),
            ("A=1\nread A\nexport B=$A", &["1:1 Assign A=1", "3:8 Export B~$A"]),
            ("A=1\nf() { export B=$A; }", &["1:1 Assign A=1", "2:14 Export B~$A?"]),
            ("for A in 1 2; do B=$A x; done", &["1:18 Prefix B~$A?"]),
            ("export A={{ b }} C=<your hca>", &["1:8 Export A~{{ b }}", "1:18 Export C~<your hca>"]),
            ("export A=~/x B='$C' D=x:~", &["1:8 Export A~~/x", "1:14 Export B=$C", "1:21 Export D~x:~"]),
            ("export A={a,b} C={x}; D={a,b}", &["1:8 Export A~{a,b}", "1:16 Export C={x}", "1:23 Assign D={a,b}"]),
            ("bash -c 'export A=$B'", &["1:17 Export A~$B"]),
        ],
    );
}

#[test]
fn what_may_not_happen_is_conditional() {
    assert_found(
        Kind::Shell,
        &[
            ("if x; then A=1; else B=1; fi; C=1", &["1:12 Assign A=1?", "1:22 Assign B=1?", "1:31 Assign C=1"]),
            (
                "case $x in\n a) A=1;;\n b|c) B=1 ;;\nesac\nC=1",
                &["2:5 Assign A=1?", "3:7 Assign B=1?", "5:1 Assign C=1"],
            ),
            ("for i in 1; do A=1; done; B=1", &["1:16 Assign A=1?", "1:27 Assign B=1"]),
            ("while x\ndo\nA=1\ndone\nB=1", &["3:1 Assign A=1?", "5:1 Assign B=1"]),
            ("f() {\nA=1\n}\nB=1", &["2:1 Assign A=1?", "4:1 Assign B=1"]),
            ("function f { A=1; }\n{ B=1; }", &["1:14 Assign A=1?", "2:3 Assign B=1"]),
            ("[ -z \"$A\" ] && A=1\nB=1", &["1:16 Assign A=1?", "2:1 Assign B=1"]),
            ("x || A=1; B=1", &["1:6 Assign A=1?", "1:11 Assign B=1"]),
            ("export A=1 && export B=2", &["1:8 Export A=1", "1:22 Export B=2"]),
            ("x && export A=1 && export B=2", &["1:13 Export A=1?", "1:27 Export B=2?"]),
            ("[[ $a && $b == A=1 ]] ||\n B=1", &["2:2 Assign B=1?"]),
            ("fi\ndone\n}\n)\nesac\nA=1", &["6:1 Assign A=1"]),
        ],
    );
}

#[test]
fn a_blank_at_the_sign_is_seen() {
    assert_found(
        Kind::Shell,
        &[
            ("export NCCL_A = 1", &["1:8 Export NCCL_A=1 BlankAroundEquals"]),
            ("export NCCL_A =1", &["1:8 Export NCCL_A=1 BlankAroundEquals"]),
            ("export NCCL_A= 1", &["1:8 Export NCCL_A= BlankAroundEquals"]),
            ("NCCL_A = 1", &["1:1 Assign NCCL_A=1 BlankAroundEquals"]),
            ("NCCL_A= 1", &["1:1 Prefix NCCL_A=1 BlankAroundEquals"]),
            ("NCCL_A= ./run", &["1:1 Prefix NCCL_A="]),
            ("export NCCL_A= NCCL_B=1", &["1:8 Export NCCL_A=", "1:16 Export NCCL_B=1"]),
        ],
    );
}

#[test]
fn launchers_hand_settings_on() {
    assert_found(
        Kind::Shell,
        &[
            (
                "mpirun -np 2 -x A=1 -x B -x \"C=x y\" ./run",
                &["1:17 MpirunX A=1", "1:24 MpirunX B", "1:30 MpirunX C=x y"],
            ),
            ("$MPI_HOME/bin/mpirun -x A=1 x", &["1:25 MpirunX A=1"]),
            ("${MPIRUN} -x A x", &["1:14 MpirunX A"]),
            (
                "mpiexec -genv A 1 -env B=2 -genvlist C,D x",
                &["1:15 MpirunX A=1", "1:24 MpirunX B=2", "1:38 MpirunX C", "1:40 MpirunX D"],
            ),
            ("mpirun --mca mca_base_env_list 'A=1;B'", &["1:33 MpirunX A=1", "1:37 MpirunX B"]),
            ("mpirun_rsh -np 2 a b A=1 ./x", &["1:22 MpirunX A=1"]),
            ("horovodrun -np 2 --mpi-args=\"-x A=1 -x B=2\" python x", &["1:33 MpirunX A=1", "1:40 MpirunX B=2"]),
            ("srun --export=ALL,A=1,B ./x", &["1:19 SrunExport A=1", "1:23 SrunExport B"]),
            ("srun --export ALL,A=1 ./x", &["1:19 SrunExport A=1"]),
            ("sbatch --export=ALL,A=x,y z.sh", &["1:21 SrunExport A=x CutAtComma"]),
            ("sbatch --export=\"ALL,'A=x,y'\" z.sh", &["1:23 SrunExport A=x,y"]),
            ("#!/bin/sh\n#SBATCH --export=ALL,A=1\n# SBATCH --export=B=1", &["2:22 SrunExport A=1"]),
            ("#PBS -v A=1,B=2", &["1:9 SrunExport A=1", "1:13 SrunExport B=2"]),
            (
                "docker run -e A=1 -eB=2 --env C=3 --env=D=4 -e E img",
                &[
                    "1:15 DockerRunE A=1",
                    "1:21 DockerRunE B=2",
                    "1:31 DockerRunE C=3",
                    "1:41 DockerRunE D=4",
                    "1:48 DockerRunE E",
                ],
            ),
            ("sudo podman exec -e A=1 c ./x", &["1:21 DockerRunE A=1"]),
            ("docker run img mpirun -x A=1 ./x", &["1:26 MpirunX A=1"]),
            ("docker build -e A=1", &[]),
            ("apptainer exec --env A=1,B=2 i x", &["1:22 DockerRunE A=1", "1:26 DockerRunE B=2"]),
            ("export SINGULARITYENV_A=1", &["1:23 DockerRunE A=1"]),
            ("kubectl run x --env=\"A=1\"", &["1:22 DockerRunE A=1"]),
            ("ARGS=(\n -x A=1 # c\n \"-x\" \"B\" )", &["2:5 MpirunX A=1", "3:8 MpirunX B"]),
            ("OPTS=\"-x A=1 -e B=2\"", &["1:1 Assign OPTS=-x A=1 -e B=2", "1:10 MpirunX A=1", "1:17 DockerRunE B=2"]),
            ("echo mpirun -x A=1", &[]),
            ("sed -e A=1 -x B", &[]),
        ],
    );
}

#[test]
fn scopes_are_those_of_the_processes() {
    let text = "export A=1\nmpirun -x B=2 ./x\ndocker run -e C=3 i bash -c 'export D=4; E=5 x'\n(export F=6)\n";
    let source = source(Kind::Shell, text);
    let scope = |name: &str| source.settings.iter().find(|setting| setting.name == name).unwrap().scope;
    let around = |name: &str| source.scopes(scope(name)).skip(1).collect::<Vec<usize>>();
    assert!(around("A").is_empty());
    assert_eq!(around("B"), [scope("A")]);
    assert!(around("C").is_empty(), "a container inherits nothing");
    assert_eq!(around("D"), [scope("C")]);
    assert_eq!(around("E"), [scope("D"), scope("C")]);
    assert_eq!(around("F"), [scope("A")]);
}

#[test]
fn a_value_keeps_how_it_is_written() {
    for (text, written, quote, column) in [
        ("export A=\"x y\"", "\"x y\"", Quote::Double, 10),
        ("export A='x'", "'x'", Quote::Single, 10),
        ("export A=x'y'z", "x'y'z", Quote::None, 10),
        ("mpirun -x A=\"x\"", "\"x\"", Quote::Double, 13),
        ("mpirun -x \"A=x y\"", "x y", Quote::None, 14),
        ("ä A=1; export B='1'", "'1'", Quote::Single, 17),
    ] {
        let setting = source(Kind::Shell, text).settings.pop().unwrap();
        let Value::Literal { written: found, quote: kind, .. } = &setting.value else { panic!("{text}") };
        assert_eq!((&**found, *kind, setting.value_at.column), (written, quote, column), "{text}");
    }
}

#[test]
fn a_container_that_a_shell_starts_is_seen() {
    let text = "docker run --name j --gpus 8 --privileged --ipc=host --network host \\\n  --device=/dev/infiniband i\ndocker run i";
    let source = source(Kind::Shell, text);
    let [first, second] = &source.containers[..] else { panic!("{:?}", source.containers) };
    assert!(first.ipc_lock && first.shm && first.infiniband && first.host_network);
    assert_eq!(
        (&*first.name, first.gpus, first.asks_rdma.as_deref()),
        ("j", Some(8), Some("--device /dev/infiniband"))
    );
    assert!(!second.ipc_lock && !second.shm && !second.infiniband && second.asks_rdma.is_none());
}

#[test]
fn comments_allow_rules() {
    let text = "A=1 # rdmanav: allow one, two\n# rdmanav: allow three\n# why\nB=1\n# rdmanav: allowed\nC=1\n";
    let source = source(Kind::Shell, text);
    let allowed: Vec<(usize, &str)> = source.allowed.iter().map(|allowed| (allowed.line, &*allowed.rule)).collect();
    assert_eq!(allowed, [(1, "one"), (1, "two"), (4, "three")]);
    assert!(source.allows("three", 4) && !source.allows("three", 6));
    assert_eq!(shown(&source).len(), 3);
}
