//! What a short file may make much of is bounded.

use super::source;
use crate::lint::{Kind, Value};

#[test]
fn of_stages_that_go_on_with_each_other_the_next_are_looked_at() {
    let stages: String = (0..200).fold(String::new(), |text, n| format!("{text}FROM s{n} AS s{}\nENV A=1\n", n + 1));
    let source = source(Kind::Dockerfile, &stages);
    let last = source.settings.last().expect("a setting");
    assert_eq!(source.scopes(last.scope).count(), 32);
}

#[test]
fn what_a_shell_starts_is_read_once() {
    // Each text by each shell in front of it would be four times as many at each depth.
    let source = source(Kind::Shell, "bash bash bash bash -c 'NCCL_X=1 run'\n");
    assert_eq!(source.settings.len(), 1, "{:?}", source.settings);
}

#[test]
fn a_value_that_no_environment_has_is_kept_in_part() {
    for (text, kept) in [("x".repeat(4096), true), ("x".repeat(4097), false), ("\u{e4}".repeat(3000), false)] {
        let source = source(Kind::Shell, &format!("export NCCL_X={text}\n"));
        let value = &source.settings[0].value;
        assert!(value.written().len() <= 4096);
        assert_eq!(matches!(value, Value::Literal { .. }), kept, "{} bytes", text.len());
    }
}

#[test]
fn variables_are_filled_in_within_a_bound() {
    let text = format!("A={}\n{}", "a".repeat(4000), "export NCCL_X=$A\n".repeat(2000));
    let source = source(Kind::Shell, &text);
    let filled_in: usize = source.settings.iter().filter_map(|setting| setting.value.text()).map(str::len).sum();
    assert!((1_000_000..4_200_000).contains(&filled_in), "{filled_in} bytes");
}

#[test]
fn aliases_are_followed_as_far_as_the_file_is_long() {
    let names: String = (0..300).fold(String::new(), |text, n| format!("{text}  NCCL_X{n}: 1\n"));
    let services = (0..300).fold(String::new(), |text, n| format!("{text}  a{n}: {{image: b, environment: *a}}\n"));
    let source = source(Kind::Compose, &format!("x: &a\n{names}services:\n{services}"));
    assert!(source.settings.len() < 70_000, "{}", source.settings.len());
    assert!(source.fallback.expect("it is said").message.contains("aliases"));
}

#[test]
fn a_rule_that_is_allowed_again_and_again_is_kept_once() {
    let source = source(Kind::Shell, &format!("A=1 # rdmanav: allow {}\n", "not-nccl, ".repeat(1000)));
    assert_eq!(source.allowed.len(), 1);
    assert!(source.allows("not-nccl", 1) && !source.allows("not-text", 1));
}
