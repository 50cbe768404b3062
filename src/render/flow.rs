//! Data flows as boxes and arrows: across where the window is wide enough, otherwise downwards.

use super::Options;
use super::lines::{self, Line, Span, Style, wrap};
use crate::knowledge::Flow;
use crate::knowledge::model::Step;

/// The narrowest box, in columns, that still reads well when a flow is drawn across.
const NARROWEST_BOX: usize = 22;

/// Columns of an arrow between two boxes, with the spaces around it.
const ARROW: usize = 5;

/// The characters that boxes are made of.
struct Strokes {
    across: char,
    down: char,
    top_left: char,
    top_right: char,
    bottom_left: char,
    bottom_right: char,
    leave: char,
    arrow_right: &'static str,
    arrow_down: &'static str,
    back: &'static str,
}

const BOX_DRAWING: Strokes = Strokes {
    across: '─',
    down: '│',
    top_left: '┌',
    top_right: '┐',
    bottom_left: '└',
    bottom_right: '┘',
    leave: '┬',
    arrow_right: " ──▶ ",
    arrow_down: "▼",
    back: "↺",
};

const ASCII: Strokes = Strokes {
    across: '-',
    down: '|',
    top_left: '+',
    top_right: '+',
    bottom_left: '+',
    bottom_right: '+',
    leave: '+',
    arrow_right: " --> ",
    arrow_down: "v",
    back: "<-",
};

fn strokes(options: Options) -> &'static Strokes {
    if options.ascii { &ASCII } else { &BOX_DRAWING }
}

/// The flow in at most `options.width` columns where its words allow.
pub fn lines(flow: &Flow<'_>, options: Options) -> Vec<Line> {
    let count = flow.steps.len();
    let arrows = ARROW * count.saturating_sub(1);
    let width = options.width.saturating_sub(arrows) / count.max(1);
    if width >= NARROWEST_BOX { across(flow, width, options) } else { down(flow, options) }
}

/// Where each step's facts come from, as a line of the dialect.
pub fn citations(flow: &Flow<'_>) -> String {
    let steps: Vec<String> = flow
        .steps
        .iter()
        .zip(1..)
        .map(|(step, number)| {
            let marks = step.sources.iter().fold(String::new(), |out, source| out + "[^" + source + "]");
            format!("{number} {marks}")
        })
        .collect();
    format!("Steps: {}", steps.join(", "))
}

/// What is crossed after a step, and what it costs.
fn crossing(step: &Step<'_>) -> String {
    [step.via, step.cost].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// One box below the other, each with the arrow that leaves it.
pub fn down(flow: &Flow<'_>, options: Options) -> Vec<Line> {
    let strokes = strokes(options);
    let mut out = Vec::new();
    for (index, step) in flow.steps.iter().enumerate() {
        let last = index + 1 == flow.steps.len();
        let inner = options.width.saturating_sub(4);
        let title = format!("{} {}", index + 1, step.at);
        let text = wrap(&[Span::new(step.does, Style::Plain)], inner);
        let inner = text.iter().map(|line| lines::width(line)).max().unwrap_or(0).max(width(&title) + 1);
        out.extend(draw_box(&title, text, inner, !last, strokes));
        let crossing = crossing(step);
        if last {
            if !crossing.is_empty() {
                out.extend(label(&crossing, ' ', options));
            }
        } else {
            out.extend(label(&crossing, strokes.down, options));
            out.push(lines::line(format!("  {}", strokes.arrow_down), Style::Faint));
        }
    }
    out.extend(back(flow, options));
    out
}

fn label(text: &str, stroke: char, options: Options) -> Vec<Line> {
    let prefix = Span::new(format!("  {stroke} "), Style::Faint);
    let wrapped = wrap(&[Span::new(text, Style::Emphasis)], options.width.saturating_sub(4));
    lines::prefix(wrapped, &prefix, &prefix)
}

/// Boxes side by side; what the arrows cross is listed below.
fn across(flow: &Flow<'_>, width: usize, options: Options) -> Vec<Line> {
    let strokes = strokes(options);
    let inner = width - 4;
    let texts: Vec<Vec<Line>> =
        flow.steps.iter().map(|step| wrap(&[Span::new(step.does, Style::Plain)], inner)).collect();
    let titles: Vec<String> =
        flow.steps.iter().zip(1..).map(|(step, number)| format!("{number} {}", step.at)).collect();
    let fits = texts.iter().flatten().all(|line| lines::width(line) <= inner)
        && titles.iter().all(|title| self::width(title) < inner);
    if !fits {
        return down(flow, options);
    }
    let height = texts.iter().map(Vec::len).max().unwrap_or(0);
    let boxes: Vec<Vec<Line>> = texts
        .into_iter()
        .zip(&titles)
        .map(|(mut text, title)| {
            text.resize(height, Line::new());
            draw_box(title, text, inner, false, strokes)
        })
        .collect();
    let arrow_row = 1 + height.saturating_sub(1) / 2;
    let mut out: Vec<Line> = (0..height + 2)
        .map(|row| {
            let gap = if row == arrow_row { strokes.arrow_right.to_string() } else { " ".repeat(ARROW) };
            let mut line = Line::new();
            for (index, drawn) in boxes.iter().enumerate() {
                if index > 0 {
                    line.push(Span::new(gap.clone(), Style::Faint));
                }
                line.extend(drawn[row].iter().cloned());
            }
            line
        })
        .collect();
    for (step, number) in flow.steps.iter().zip(1..) {
        let crossing = crossing(step);
        if !crossing.is_empty() {
            let prefix =
                if number < flow.steps.len() { format!("{number} to {}: ", number + 1) } else { format!("{number}: ") };
            let indent = Span::new(" ".repeat(prefix.len()), Style::Plain);
            let wrapped = wrap(&[Span::new(crossing, Style::Emphasis)], options.width.saturating_sub(prefix.len()));
            out.extend(lines::prefix(wrapped, &Span::new(prefix, Style::Faint), &indent));
        }
    }
    out.extend(back(flow, options));
    out
}

fn back(flow: &Flow<'_>, options: Options) -> Option<Line> {
    let step = flow.loop_to?;
    Some(lines::line(format!("  {} back to step {step}", strokes(options).back), Style::Faint))
}

/// A box whose title stands in its upper edge, around text of `inner` columns.
fn draw_box(title: &str, text: Vec<Line>, inner: usize, leaves: bool, strokes: &Strokes) -> Vec<Line> {
    let edge = |count: usize| strokes.across.to_string().repeat(count);
    let mut out = vec![vec![
        Span::new(format!("{} ", strokes.top_left), Style::Faint),
        Span::new(title, Style::Strong),
        Span::new(format!(" {}{}", edge(inner.saturating_sub(width(title))), strokes.top_right), Style::Faint),
    ]];
    for line in text {
        let missing = inner.saturating_sub(lines::width(&line));
        let mut row = vec![Span::new(format!("{} ", strokes.down), Style::Faint)];
        row.extend(line);
        row.push(Span::new(format!("{} {}", " ".repeat(missing), strokes.down), Style::Faint));
        out.push(row);
    }
    let bottom = if leaves {
        format!("{}{}{}{}{}", strokes.bottom_left, edge(1), strokes.leave, edge(inner), strokes.bottom_right)
    } else {
        format!("{}{}{}", strokes.bottom_left, edge(inner + 2), strokes.bottom_right)
    };
    out.push(lines::line(bottom, Style::Faint));
    out
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::model::Lane;

    fn flow() -> Flow<'static> {
        let step = |at, does, via, cost| Step { lane: Lane::Nic, at, does, via, cost, sources: vec!["s"] };
        Flow {
            id: "f",
            title: "F",
            summary: "F.",
            sections: vec![],
            steps: vec![
                step("sender", "reads the buffer", Some("wire"), Some("50 GB/s")),
                step("receiver", "writes it", None, None),
            ],
            loop_to: Some(1),
        }
    }

    fn shown(width: usize) -> String {
        lines::plain(&lines(&flow(), Options { width, styled: false, ascii: true }))
    }

    #[test]
    fn a_narrow_window_draws_downwards() {
        assert_eq!(
            shown(40),
            "+ 1 sender --------+\n| reads the buffer |\n+-+----------------+\n  | wire, 50 GB/s\n  v\n+ 2 receiver -+\n| writes it   |\n+-------------+\n  <- back to step 1\n"
        );
    }

    #[test]
    fn a_wide_window_draws_across() {
        let shown = shown(60);
        assert!(shown.starts_with("+ 1 sender ------"), "{shown}");
        assert!(shown.contains("reads the buffer"), "{shown}");
        assert!(shown.contains("| --> |"), "{shown}");
        assert!(shown.contains("1 to 2: wire, 50 GB/s"), "{shown}");
        assert!(shown.lines().all(|line| line.len() <= 60), "{shown}");
    }
}
