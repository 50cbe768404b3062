use super::*;
use crate::render::lines::plain;

fn step<'a>(lane: Lane, at: &'a str, does: &'a str, via: Option<&'a str>, cost: Option<&'a str>) -> Step<'a> {
    Step { lane, at, does, via, cost, sources: vec!["s"] }
}

fn flow(steps: Vec<Step<'_>>, loop_to: Option<u16>) -> Flow<'_> {
    Flow { id: "f", title: "F", summary: "F.", sections: vec![], steps, loop_to }
}

fn two_steps() -> Flow<'static> {
    flow(
        vec![
            step(Lane::Nic, "sender", "reads the buffer", Some("wire"), Some("50 GB/s")),
            step(Lane::Host, "receiver", "writes it", None, Some("1 copy")),
        ],
        None,
    )
}

fn drawn(flow: &Flow<'_>, width: usize, ascii: bool) -> String {
    plain(&lines(flow, Options { width, styled: false, ascii }))
}

#[test]
fn a_narrow_window_has_all_boxes_at_the_left() {
    let expected = "\
+ 1 sender ==== NIC +
| reads the buffer  |
+=+=================+
  | wire
  v 50 GB/s
+ 2 receiver - host +
| writes it         |
| cost: 1 copy      |
+-------------------+
";
    assert_eq!(drawn(&two_steps(), 40, true), expected);
}

#[test]
fn a_wide_window_has_a_column_for_each_lane() {
    let expected = "\
host  NIC
  ┊   ╔ 1 sender ═══ NIC ╗
  ┊   ║ reads the buffer ║
  ┊   ╚═╤════════════════╝
  ┌─────┘ wire
  ▼       50 GB/s
┌ 2 receiver ────── host ┐
│ writes it              │
│ cost: 1 copy           │
└────────────────────────┘
";
    assert_eq!(drawn(&two_steps(), 60, false), expected);
}

#[test]
fn a_loop_leads_back_to_its_step() {
    let flow = Flow { loop_to: Some(1), ..two_steps() };
    let expected = "   host  NIC
     ┊   ╔ 1 sender ═══ NIC ╗
┌───────▶║ reads the buffer ║
│    ┊   ╚═╤════════════════╝
│    ┌─────┘ wire
│    ▼       50 GB/s
│  ┌ 2 receiver ────── host ┐
│  │ writes it              │
│  └─┬──────────────────────┘
└────┘ back to step 1:
       1 copy
";
    assert_eq!(drawn(&flow, 60, false), expected);
}

#[test]
fn a_title_that_does_not_fit_its_edge_stands_in_the_box() {
    let flow = flow(vec![step(Lane::Network, "some long name of a place", "is", None, None)], None);
    assert_eq!(
        drawn(&flow, 20, false),
        "╭ 1 ──── network ╮\n│ some long name │\n│ of a place     │\n│ is             │\n╰────────────────╯\n"
    );
}

#[test]
fn a_flow_without_steps_is_no_reason_to_fail() {
    for loop_to in [None, Some(0), Some(1), Some(9)] {
        assert_eq!(drawn(&flow(vec![], loop_to), 80, false), "");
        let one = flow(vec![step(Lane::Gpu, "", "", None, None)], loop_to);
        assert!(drawn(&one, 20, true).contains("GPU"));
        assert!(brief(&one).starts_with("1. [GPU]"));
    }
}

#[test]
fn the_brief_form_says_the_same() {
    let flow = Flow { loop_to: Some(1), ..two_steps() };
    assert_eq!(
        brief(&flow),
        "1. [NIC] sender: reads the buffer\n   -> wire; cost: 50 GB/s\n2. [host] receiver: writes it\n   -> back to 1; cost: 1 copy\n"
    );
}

/// Flows of which something is hard: long words, wide and combining characters, line breaks, many steps.
fn hard() -> Vec<Flow<'static>> {
    let wide = "日本語の 説明 e\u{301}te\u{301} a";
    let word = "a_word_of_the_users_own_that_is_longer_than_a_narrow_window";
    let many = (0..12).map(|index| step(Lane::OUTWARDS[index % 6], "place", "does one thing", Some("bus"), None));
    vec![
        flow(
            vec![
                step(Lane::Gpu, wide, wide, Some(wide), Some(wide)),
                step(Lane::Network, "x", "y", Some("z"), None),
                step(Lane::Nic, "a\nb", "c\n\nd\te", None, Some("f\r\ng")),
            ],
            Some(2),
        ),
        flow(vec![step(Lane::Host, word, "y", Some(word), None), step(Lane::Nic, "x", word, None, Some(word))], None),
        flow(many.collect(), Some(12)),
    ]
}

fn all_flows() -> Vec<Flow<'static>> {
    crate::library().flows.iter().chain(hard()).collect()
}

#[test]
fn no_word_is_lost_and_nothing_is_wider_than_the_window() {
    for flow in all_flows() {
        for width in 20..=120 {
            for ascii in [false, true] {
                let drawn = drawn(&flow, width, ascii);
                // A box is as wide as its longest word needs.
                let longest = drawn.split_whitespace().map(crate::render::lines::columns).max().unwrap_or(0);
                for line in drawn.lines().filter(|line| lines::columns(line) > width) {
                    assert!(longest + 4 + LOOP > width, "{} at {width}: {line}", flow.id);
                }
                let words: Vec<&str> = drawn.split_whitespace().collect();
                for step in &flow.steps {
                    for text in [Some(step.at), Some(step.does), step.via, step.cost].into_iter().flatten() {
                        let mut rest = words.iter();
                        // In this order; the words of other boxes and strokes may stand between.
                        let lost = text.split_whitespace().find(|word| !rest.any(|other| other == word));
                        assert_eq!(lost, None, "{} at {width}, {text}:\n{drawn}", flow.id);
                    }
                }
            }
        }
    }
}

/// To which sides a character leads: up, right, down, left.
fn sides(c: char) -> Option<[bool; 4]> {
    let sides = match c {
        '─' | '━' | '═' => "rl",
        '│' | '┃' | '║' => "ud",
        '┌' | '╭' | '┏' | '╔' => "rd",
        '┐' | '╮' | '┓' | '╗' => "dl",
        '└' | '╰' | '┗' | '╚' => "ur",
        '┘' | '╯' | '┛' | '╝' => "ul",
        '┬' | '┯' | '╤' => "rdl",
        _ => return None,
    };
    Some(['u', 'r', 'd', 'l'].map(|side| sides.contains(side)))
}

/// The characters of a drawing by column: a wide one takes two cells, a combining one none.
fn cells(drawn: &str) -> Vec<Vec<char>> {
    let wide = |c: char| std::iter::repeat_n(c, lines::columns(c.encode_utf8(&mut [0; 4])));
    drawn.lines().map(|line| line.chars().flat_map(wide).collect()).collect()
}

#[test]
fn every_stroke_goes_on_where_it_leads() {
    for flow in all_flows() {
        for width in 20..=120 {
            let drawn = drawn(&flow, width, false);
            let cells = cells(&drawn);
            let at = |row: usize, column: usize| cells.get(row).and_then(|line| line.get(column)).copied();
            for (row, line) in cells.iter().enumerate() {
                for (column, &c) in line.iter().enumerate() {
                    let Some([_, right, down, _]) = sides(c) else { continue };
                    let below = at(row + 1, column);
                    let beside = at(row, column + 1);
                    let message = || format!("{} at {width}, row {row}, column {column}: {c}\n{drawn}", flow.id);
                    if down {
                        assert!(
                            below.is_some_and(|c| c == '▼' || sides(c).is_some_and(|[up, ..]| up)),
                            "{}",
                            message()
                        );
                    } else if let Some([up, ..]) = below.and_then(sides) {
                        assert!(!up, "{}", message());
                    }
                    // A title, a tag or text stands in an edge; everything else goes on.
                    if right && beside != Some(' ') {
                        let goes_on = beside.is_some_and(|c| c == '▶' || sides(c).is_some_and(|[.., left]| left));
                        assert!(goes_on, "{}", message());
                    }
                }
            }
        }
    }
}
