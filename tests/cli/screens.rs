//! What people see, as snapshots.

use rdmanav::render::{self, Options, Paint};

use crate::run::{answer, command, finish};

const SAMPLE: &str = include_str!("sample.md");

fn rendered(width: usize, styled: bool, ascii: bool) -> String {
    render::terminal(SAMPLE, &rdmanav::library(), Options { width, styled, ascii }, Paint::default())
}

#[test]
fn the_sample_at_40_80_and_120_columns() {
    insta::assert_snapshot!("sample_40", rendered(40, false, false));
    insta::assert_snapshot!("sample_80", rendered(80, false, false));
    insta::assert_snapshot!("sample_120", rendered(120, false, false));
    insta::assert_snapshot!("sample_80_ascii", rendered(80, false, true));
    insta::assert_snapshot!("sample_80_styled", rendered(80, true, false).replace('\u{1b}', "^["));
}

#[test]
fn profiles_and_flows() {
    for width in ["40", "80", "120"] {
        let profile = answer(&["env", "rtx4090", "--format", "plain", "--width", width]);
        insta::assert_snapshot!(format!("env_rtx4090_{width}"), profile);
        let flow = answer(&["flow", "pxn-send", "--format", "plain", "--width", width]);
        insta::assert_snapshot!(format!("flow_pxn_send_{width}"), flow);
    }
}

#[test]
fn help() {
    insta::assert_snapshot!(answer(&["--help"]));
    for subcommand in ["query", "env"] {
        insta::assert_snapshot!(format!("help_{subcommand}"), answer(&[subcommand, "--help"]));
    }
}

#[test]
fn the_locale_decides_about_box_drawing() {
    let drawn = |locale: Option<&str>| {
        let mut command = command();
        command.args(["flow", "pxn-send", "--format", "plain"]).envs(locale.map(|locale| ("LC_ALL", locale)));
        finish(&mut command).stdout
    };
    assert!(drawn(None).contains('┌'));
    assert!(drawn(Some("de_DE.UTF-8")).contains('┌'));
    assert!(drawn(Some("C")).is_ascii());
}
