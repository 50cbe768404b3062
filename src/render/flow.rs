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

/// The flow in at most `options.width` columns where its words allow: in rows of as many boxes as fit, or one below the other.
pub fn lines(flow: &Flow<'_>, options: Options) -> Vec<Line> {
    let count = flow.steps.len();
    // An arrow follows each box: to the next box, or to the next row.
    let most = options.width / (NARROWEST_BOX + ARROW);
    if most < 2 || count == 0 {
        return down(flow, options);
    }
    let per_row = count.div_ceil(count.div_ceil(most));
    let arrows = if per_row == count { per_row - 1 } else { per_row };
    across(flow, per_row, (options.width - ARROW * arrows) / per_row, options).unwrap_or_else(|| down(flow, options))
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

/// Rows of boxes of `width` columns; what the arrows cross is listed below each row. `None` when a word does not fit its box.
fn across(flow: &Flow<'_>, per_row: usize, width: usize, options: Options) -> Option<Vec<Line>> {
    let strokes = strokes(options);
    let inner = width - 4;
    let mut out = Vec::new();
    for (row, steps) in flow.steps.chunks(per_row).enumerate() {
        let first = row * per_row + 1;
        let titles: Vec<String> =
            steps.iter().zip(first..).map(|(step, number)| format!("{number} {}", step.at)).collect();
        let texts: Vec<Vec<Line>> =
            steps.iter().map(|step| wrap(&[Span::new(step.does, Style::Plain)], inner)).collect();
        let fits = texts.iter().flatten().all(|line| lines::width(line) <= inner);
        if !fits || titles.iter().any(|title| self::width(title) >= inner) {
            return None;
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
        let last_row = first + steps.len() > flow.steps.len();
        for line in 0..height + 2 {
            let arrow = line == 1 + height.saturating_sub(1) / 2;
            let gap = Span::new(if arrow { strokes.arrow_right.to_string() } else { " ".repeat(ARROW) }, Style::Faint);
            let mut spans = Line::new();
            for drawn in &boxes {
                spans.extend(drawn[line].iter().cloned());
                spans.push(gap.clone());
            }
            if last_row {
                spans.pop();
            }
            out.push(spans);
        }
        for (step, number) in steps.iter().zip(first..) {
            out.extend(crossing_below(step, number, number < flow.steps.len(), options));
        }
        if !last_row {
            out.push(Line::new());
        }
    }
    out.extend(back(flow, options));
    Some(out)
}

fn crossing_below(step: &Step<'_>, number: usize, leaves: bool, options: Options) -> Vec<Line> {
    let crossing = crossing(step);
    if crossing.is_empty() {
        return Vec::new();
    }
    let prefix = if leaves { format!("  {number} to {}: ", number + 1) } else { format!("  {number}: ") };
    let indent = Span::new(" ".repeat(prefix.len()), Style::Plain);
    let wrapped = wrap(&[Span::new(crossing, Style::Emphasis)], options.width.saturating_sub(prefix.len()));
    lines::prefix(wrapped, &Span::new(prefix, Style::Faint), &indent)
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
        assert!(shown.starts_with("+ 1 sender -----"), "{shown}");
        assert!(shown.contains("reads the buffer"), "{shown}");
        assert!(shown.contains("| --> |"), "{shown}");
        assert!(shown.contains("1 to 2: wire, 50 GB/s"), "{shown}");
        assert!(shown.lines().all(|line| line.len() <= 60), "{shown}");
    }
}
