//! Dockerfiles.

use super::{assert_found, source};
use crate::lint::Kind;

#[test]
fn instructions_set_what_docker_sets() {
    assert_found(
        Kind::Dockerfile,
        &[
            (
                "FROM x\nENV A=1 B=\"x y\" C='z' D=a\\ b\n",
                &["2:5 DockerEnv A=1", "2:9 DockerEnv B=x y", "2:17 DockerEnv C=z", "2:23 DockerEnv D=a b"],
            ),
            ("ENV A x \"y\" z\n", &["1:5 DockerEnv A=x y z"]),
            ("env A=1\nArg B=2\nARG C\n", &["1:5 DockerEnv A=1", "2:5 DockerArg B=2", "3:5 DockerArg C"]),
            ("ENV A=1 \\\n# c\n\n  B=2 \\\n  C=3\n", &["1:5 DockerEnv A=1", "4:3 DockerEnv B=2", "5:3 DockerEnv C=3"]),
            ("# escape=`\nENV A=1 `\n B=c:\\x\n", &["2:5 DockerEnv A=1", "3:2 DockerEnv B=c:\\x"]),
            ("ENV A=$B C=\\$D\n", &["1:5 DockerEnv A~$B", "1:10 DockerEnv C=$D"]),
            ("ENV A=1\r\nENV B=2\r\n", &["1:5 DockerEnv A=1", "2:5 DockerEnv B=2"]),
            ("RUN export A=1 && \\\n  B=2 make\n", &["1:12 Export A=1", "2:3 Prefix B=2"]),
            ("RUN --mount=type=cache,target=/x echo A=1 >> /etc/nccl.conf\n", &["1:39 ConfLine A=1"]),
            ("RUN <<EOF\nexport A=1\nEOF\nENV B=1\n", &["2:8 Export A=1", "4:5 DockerEnv B=1"]),
            ("RUN cat <<EOF > /etc/nccl.conf\nA=1\nEOF\nENV B=1\n", &["2:1 ConfLine A=1", "4:5 DockerEnv B=1"]),
            ("COPY <<'EOF' /etc/nccl.conf\nA=1\nEOF\nENV B=1\n", &["2:1 ConfLine A=1", "4:5 DockerEnv B=1"]),
            ("CMD [\"mpirun\", \"-x\", \"A=1\", \"./x\"]\n", &["1:23 MpirunX A=1"]),
            ("CMD [\"bash\", \"-c\", \"A=1 ./x\"]\n", &["1:21 Prefix A=1"]),
            ("# ENV A=1\nLABEL B=1\n", &[]),
        ],
    );
}

#[test]
fn a_stage_is_a_scope_and_goes_on_with_its_base() {
    let source = source(Kind::Dockerfile, "FROM x AS base\nENV A=1\nFROM y\nENV B=1\nFROM base\nENV C=1\n");
    let scope = |at: usize| source.settings[at].scope;
    assert_ne!(scope(0), scope(1));
    assert_eq!(source.scopes(scope(1)).count(), 1);
    assert_eq!(source.scopes(scope(2)).collect::<Vec<usize>>(), [scope(2), scope(0)]);
}
