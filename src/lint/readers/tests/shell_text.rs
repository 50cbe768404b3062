//! Text in a script: here-documents, and what it writes to files.

use super::{assert_found, source};
use crate::lint::Kind;

#[test]
fn here_documents_are_read_as_their_readers_read_them() {
    assert_found(
        Kind::Shell,
        &[
            (
                "cat > /etc/nccl.conf <<EOF\nA=1\n B =2\nC=\"x\"\nEOF\nD=1",
                &["2:1 ConfLine A=1", "3:1 ConfLine  B =2", "4:1 ConfLine C=\"x\"", "6:1 Assign D=1"],
            ),
            ("cat <<'EOF' | sudo tee -a ~/.bashrc\nexport A=$B\nEOF", &["2:8 Export A~$B"]),
            ("sudo tee x.env <<EOF\nA=\"1\"\nB=$C\nEOF", &["2:1 EnvLine A=1", "3:1 EnvLine B~$C"]),
            ("bash <<EOF\nexport A=1\nEOF", &["2:8 Export A=1"]),
            ("ssh host 'bash -s' <<EOF\nexport A=\\$B C=1\nEOF", &["2:8 Export A~$B", "2:14 Export C=1"]),
            (
                "sbatch <<EOF\n#!/bin/bash\n#SBATCH --export=ALL,A=1\nexport B=2\nEOF",
                &["3:22 SrunExport A=1", "4:8 Export B=2"],
            ),
            ("python - <<EOF\nos.environ[\"A_B\"] = \"1\"\nEOF", &["2:13 Python A_B=1"]),
            ("kubectl apply -f - <<EOF\nenv:\n- name: A\n  value: \"1\"\nEOF", &["3:9 ListItem A=1"]),
            ("cat > run.sh <<-EOF\n\texport A=1\n\tEOF\nB=1", &["2:9 Export A=1", "4:1 Assign B=1"]),
            ("cat <<EOF\nexport A=1\nB=2\nEOF", &[]),
            ("cat > notes <<EOF\nset A=1 and\nB=2 is\nEOF", &[]),
            ("cat > notes <<EOF\nA=1\nB=2\nEOF", &["2:1 Assign A=1", "3:1 Assign B=2"]),
            ("cat <<A > x.sh; bash <<B\nexport A=1\nA\nexport B=1\nB\n", &["2:8 Export A=1", "4:8 Export B=1"]),
            ("bash <<EOF\nexport A=1", &["2:8 Export A=1"]),
            ("cat <<< A=1\nB=1", &["2:1 Assign B=1"]),
        ],
    );
}

#[test]
fn what_is_written_to_a_file_is_read_as_that_file() {
    assert_found(
        Kind::Shell,
        &[
            ("echo \"export A=1\" >> ~/.bashrc", &["1:14 Export A=1"]),
            ("echo A=1 >> /etc/nccl.conf", &["1:6 ConfLine A=1"]),
            ("echo -e 'A=1\\nB=2' | sudo tee /etc/nccl.conf", &["1:10 ConfLine A=1", "1:15 ConfLine B=2"]),
            ("printf 'A=1\\n' > x.env", &["1:9 EnvLine A=1"]),
            ("x && echo A=$B > .deepspeed_env", &["1:11 EnvLine A~$B?"]),
            ("echo A=1", &[]),
            ("echo A=1 > /dev/null", &[]),
            ("echo \"A=1 is set\" > notes", &[]),
            ("eval \"export A=1\"", &["1:14 Export A=1"]),
            ("ssh node \"A=1 ./x\"", &["1:11 Prefix A=1"]),
            ("bash -c \"export A=\\\"x y\\\"\"", &["1:17 Export A=x y"]),
            ("srun bash -lc 'export A=1\nB=2 x'", &["1:23 Export A=1", "2:1 Prefix B=2"]),
            ("CMD=\"mpirun -x A=1 ./x\"", &["1:1 Assign CMD=mpirun -x A=1 ./x", "1:16 MpirunX A=1"]),
            ("MSG=\"set A=1 to fix it\"", &["1:1 Assign MSG=set A=1 to fix it"]),
        ],
    );
}

#[test]
fn deeper_text_than_anybody_writes_is_left_alone() {
    let mut text = "export A=1".to_string();
    for _ in 0..40 {
        text = format!("eval {}", crate::env::export::quoted(&text));
        if text.len() > 1 << 20 {
            break;
        }
    }
    assert!(source(Kind::Shell, &text).settings.is_empty());
}
