//! Files of lines, dumps and logs.

use super::{assert_found, source};
use crate::lint::{self, Kind, Unreadable, Value};

#[test]
fn nccl_conf_is_read_as_nccl_reads_it() {
    assert_found(
        Kind::Conf,
        &[
            (
                "A=1\n#B=2\n C=3\nD=\"x\" \nE==y # z\nF\nG=1\r\n",
                &[
                    "1:1 ConfLine A=1",
                    "3:1 ConfLine  C=3",
                    "4:1 ConfLine D=\"x\" ",
                    "5:1 ConfLine E==y # z",
                    "7:1 ConfLine G=1\r",
                ],
            ),
            (
                "A = 1\nexport NCCL_B=1\nNCCL_C={{ x }}\n",
                &["1:1 ConfLine A = 1 BlankAroundEquals", "3:1 ConfLine NCCL_C~{{ x }}"],
            ),
            ("\u{feff}NCCL_A=1\n", &["1:1 ConfLine \u{feff}NCCL_A=1"]),
        ],
    );
    let source = source(Kind::Conf, "NCCL_A=1\nNCCL_A=2\n");
    assert_eq!(source.values()["NCCL_A"][0].text(), Some("1"), "NCCL keeps what is set");
}

#[test]
fn an_env_file_is_read_as_docker_reads_it() {
    assert_found(
        Kind::EnvFile,
        &[(
            "A=\"1\"\n  B=2 \n# C=3\n\nD\nE=x # y\nF=1\r\nNCCL_IB-X=0\n",
            &[
                "1:1 EnvLine A=\"1\"",
                "2:3 EnvLine B=2 ",
                "5:1 EnvLine D",
                "6:1 EnvLine E=x # y",
                "7:1 EnvLine F=1",
                "8:1 EnvLine NCCL_IB-X=0",
            ],
        )],
    );
}

#[test]
fn a_dotenv_file_is_read_without_its_quotes() {
    assert_found(
        Kind::Dotenv,
        &[
            (
                "A=\"1\"\nexport B='x $y'\nC = 2 # c\nD=x#y\nE=$F\nG=\"${H}\"\nI=\n",
                &[
                    "1:1 EnvLine A=1",
                    "2:8 EnvLine B=x $y",
                    "3:1 EnvLine C=2",
                    "4:1 EnvLine D=x#y",
                    "5:1 EnvLine E~$F",
                    "6:1 EnvLine G~\"${H}\"",
                    "7:1 EnvLine I=",
                ],
            ),
            ("A=\"x\ny\"\nB=1\r\n", &["1:1 EnvLine A=x\ny", "3:1 EnvLine B=1"]),
            ("A=\"x\nB=1\n", &["1:1 EnvLine A=\"x", "2:1 EnvLine B=1"]),
            ("A=\"a\\\"b\\nc\\$d\"\n", &["1:1 EnvLine A=a\"b\nc$d"]),
        ],
    );
    let Value::Literal { written, .. } = &source(Kind::Dotenv, "A=\"1\"").settings[0].value else { panic!() };
    assert_eq!(written, "\"1\"");
}

#[test]
fn dumps_keep_values_of_several_lines() {
    assert_found(
        Kind::Dump,
        &[("A=1\nB=x\n y\nC==\n", &["1:1 DumpLine A=1", "2:1 DumpLine B=x\n y", "4:1 DumpLine C=="])],
    );
    let environ = lint::read("environ", b"HOME=/\0NCCL_A=x\ny\0NCCL_B=1\0", None).unwrap();
    assert_eq!(environ.kind, Kind::Dump);
    assert_eq!(environ.values()["NCCL_A"][0].text(), Some("x\ny"));
    assert_eq!((environ.settings[2].at.line, environ.line_text(3)), (3, "NCCL_B=1"));
}

#[test]
fn the_environment_lines_of_a_log_are_read_by_host() {
    let line = "[2025-01-01 00:00:00] node-a:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 106.\n";
    let other = "node-b:1:2 [0] NCCL INFO NCCL_IB_TC set by environment to 41.\n";
    let text = format!("epoch 1\n{line}{line}{other}node-a:1:2 [0] NCCL INFO NCCL_X set to 1\n");
    let source = lint::read("train.out", text.as_bytes(), None).unwrap();
    assert_eq!(source.kind, Kind::Log);
    let found: Vec<String> = source
        .settings
        .iter()
        .map(|s| format!("{}:{} {} {:?} {:?}", s.at.line, s.at.column, s.value_at.column, s.host, s.value.text()))
        .collect();
    assert_eq!(found, ["2:48 81 Some(\"node-a\") Some(\"106\")", "4:26 59 Some(\"node-b\") Some(\"41\")"]);
    assert_ne!(source.settings[0].scope, source.settings[1].scope);
}

#[test]
fn what_is_no_text_or_too_large_is_refused() {
    assert_eq!(lint::read("x.sh", b"\x7fELF\0\0\x01", None).unwrap_err(), Unreadable::Binary);
    assert_eq!(lint::read("x.sh", b"A=1\0", Some(Kind::Shell)).unwrap_err(), Unreadable::Binary);
    let large = vec![b'\n'; lint::LARGEST_WRITTEN + 1];
    let refusal = lint::read("x.sh", &large, None).unwrap_err();
    assert_eq!(refusal.to_string(), "it has 17 MB; of its kind up to 16 MB are read");
    assert!(lint::read("x.sh", b"\xff\xfe A", None).is_ok(), "a byte that is no UTF-8 is no reason");
    assert!(lint::read("x.sh", b"", None).unwrap().settings.is_empty());
}

#[test]
fn more_settings_than_anybody_writes_are_cut_with_a_note() {
    let text = "NCCL_A=1\n".repeat(super::super::MOST_SETTINGS + 5);
    let source = source(Kind::Conf, &text);
    assert_eq!(source.settings.len(), super::super::MOST_SETTINGS);
    assert!(source.fallback.unwrap().message.contains("only the first"));
}
