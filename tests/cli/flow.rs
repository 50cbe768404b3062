//! `rdmanav flow` in its forms.

use crate::run::{answer, command, finish, rdmanav};

fn ids() -> Vec<String> {
    answer(&["flow"]).lines().map(|line| line.split('\t').next().unwrap().to_string()).collect()
}

#[test]
fn a_pipe_gets_one_flow_a_line_and_a_terminal_a_table() {
    let lines = answer(&["flow"]);
    assert!(lines.lines().count() > 10);
    assert!(lines.lines().all(|line| line.split('\t').filter(|field| !field.is_empty()).count() == 2), "{lines}");
    let table = answer(&["flow", "--format", "plain", "--width", "80"]);
    let library = rdmanav::library();
    for flow in library.flows.iter() {
        assert!(lines.contains(&format!("{}\t{}\n", flow.id, flow.title)));
        assert!(table.contains(flow.id));
        let last = flow.summary.split(' ').next_back().unwrap();
        assert!(table.contains(last), "{last}");
    }
}

#[test]
fn each_form_is_what_its_name_says() {
    for id in ids() {
        for (form, start, end) in [
            ("mermaid", "---\ntitle: ", "color:#111111\n"),
            ("dot", "digraph ", "}\n"),
            ("svg", "<svg xmlns=", "</svg>\n"),
            ("json", "{\"schema\":\"rdmanav.flow/1\"", "}\n"),
        ] {
            // Also where styles are forced: these are files.
            for arguments in
                [&["flow", &id, "--as", form] as &[&str], &["flow", &id, "--as", form, "--color", "always"]]
            {
                let text = answer(arguments);
                assert!(text.starts_with(start) && text.ends_with(end), "{arguments:?}: {text}");
                assert!(!text.contains('\u{1b}'), "{arguments:?}");
            }
        }
        assert_eq!(answer(&["flow", &id, "--as", "text"]), answer(&["flow", &id]));
        assert_eq!(answer(&["flow", &id, "--as", "json"]), answer(&["flow", &id, "--format", "json"]));
    }
}

#[test]
fn markdown_has_every_word_of_a_flow() {
    let library = rdmanav::library();
    for flow in library.flows.iter() {
        let text = answer(&["flow", flow.id]);
        for step in &flow.steps {
            for words in [Some(step.at), Some(step.does), step.via, step.cost].into_iter().flatten() {
                assert!(text.contains(words), "{}: {words}", flow.id);
            }
        }
    }
}

#[test]
fn forms_need_a_flow_and_exclude_a_format() {
    for arguments in [
        &["flow", "--as", "svg"] as &[&str],
        &["flow", "pxn-send", "--as", "svg", "--format", "json"],
        &["flow", "pxn-send", "--as", "png"],
    ] {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stdout), (2, ""), "{arguments:?}: {}", run.stderr);
    }
    let run = rdmanav(&["flow", "no-such-flow-at-all", "--as", "svg"]);
    assert_eq!((run.status, &*run.stdout), (1, ""));
}

#[test]
fn a_drawing_is_plain_ascii_where_the_locale_is() {
    for id in ids() {
        for width in ["40", "60", "110"] {
            let mut command = command();
            command.args(["flow", &id, "--format", "plain", "--width", width]).env("LC_ALL", "C");
            let drawn = finish(&mut command).stdout;
            let drawing = drawn.split("Steps: ").next().unwrap();
            assert!(drawing.is_ascii(), "{drawing}");
        }
    }
}
