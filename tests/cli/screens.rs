//! What people see, as snapshots, and that nothing of the content is lost on the way to the screen.

use rdmanav::render::{self, Options};

use crate::run::{answer, command, finish};

const SAMPLE: &str = include_str!("sample.md");

fn rendered(width: usize, styled: bool, ascii: bool) -> String {
    render::terminal(SAMPLE, &rdmanav::library(), Options { width, styled, ascii })
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

/// Letters and digits only: what a layout may not lose. Escapes, rules, boxes and breaks do not count.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[test]
fn no_word_of_the_content_is_lost_at_any_width() {
    let library = rdmanav::library();
    for section in library.sections.iter() {
        for part in library.parts(&section) {
            for width in [20, 40, 80, 120] {
                let screen =
                    letters(&render::terminal(part.body, &library, Options { width, styled: false, ascii: false }));
                for word in words(part.body) {
                    assert!(screen.contains(&word), "{}#{} at {width}: {word} is lost", section.id, part.id);
                }
            }
        }
    }
}

/// The words of a body that must be seen: flow ids, languages of code blocks and footnotes are replaced by something else.
fn words(body: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        if line == "```flow" {
            lines.next();
        } else if !line.trim_start().starts_with("```") {
            let mut text = line.replace("[!MYTH]", "").replace("[!NOTE]", "").replace("](", "] (");
            while let Some(start) = text.find("[^") {
                let end = text[start..].find(']').map_or(text.len(), |end| start + end + 1);
                text.replace_range(start..end, " ");
            }
            // A link whose text is its target is shown once.
            while let Some((text_start, target_start)) = doubled_link(&text) {
                let end = text[target_start..].find(')').map_or(text.len(), |end| target_start + end);
                text.replace_range(target_start..end, "");
                text.replace_range(text_start..=text_start, "");
            }
            words.extend(text.split_whitespace().map(letters).filter(|word| !word.is_empty()));
        }
    }
    words
}

/// The places of `[` and of the target of the first `[x](x)`.
fn doubled_link(text: &str) -> Option<(usize, usize)> {
    text.match_indices("] (").find_map(|(middle, _)| {
        let start = text[..middle].rfind('[')?;
        let target = &text[middle + 3..];
        (target.split(')').next() == Some(&text[start + 1..middle])).then_some((start, middle + 3))
    })
}

#[test]
fn lines_keep_within_the_width_unless_a_word_or_code_is_longer() {
    let library = rdmanav::library();
    for section in library.sections.iter() {
        for part in library.parts(&section) {
            let screen = render::terminal(part.body, &library, Options { width: 80, styled: false, ascii: true });
            for line in screen.lines().filter(|line| !line.starts_with("    ")) {
                let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
                assert!(line.chars().count() <= 80 || longest > 40, "{}#{}: {line}", section.id, part.id);
            }
        }
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
