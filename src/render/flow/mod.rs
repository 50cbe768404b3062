//! Data flows as boxes and arrows, one step below the other. Where the window is wide enough each lane has its own column, so that
//! one glance tells which device does what; otherwise all boxes stand at the left. What a hop crosses and costs stands at its arrow.

mod row;
mod strokes;

use super::Options;
use super::lines::{self, Line, Span, Style, wrap};
use crate::knowledge::Flow;
use crate::knowledge::model::{Lane, Step};
use row::Row;

/// The narrowest window, in columns, in which lanes stand side by side.
const WIDE: usize = 60;

/// Columns left of the boxes, for the arrow of a loop.
const LOOP: usize = 3;

/// Where the arrows of a box leave and arrive, in columns from its left edge.
const AXIS: usize = 2;

/// The flow in at most `options.width` columns where its words allow.
pub fn lines(flow: &Flow<'_>, options: Options) -> Vec<Line> {
    let lanes: Vec<Lane> =
        Lane::OUTWARDS.into_iter().filter(|lane| flow.steps.iter().any(|step| step.lane == *lane)).collect();
    if lanes.len() > 1 && options.width >= WIDE {
        let drawing = Drawing::new(flow, lanes, options);
        if drawing.fits() {
            return drawing.lines();
        }
    }
    down(flow, options)
}

/// The flow with all boxes at the left.
fn down(flow: &Flow<'_>, options: Options) -> Vec<Line> {
    Drawing::new(flow, Vec::new(), options).lines()
}

/// The flow as text of few characters, for a reader that pays by the token: half of what a drawing costs.
pub fn brief(flow: &Flow<'_>) -> String {
    let mut out = String::new();
    for (step, number) in flow.steps.iter().zip(1..) {
        out.push_str(&format!("{number}. [{}] {}: {}\n", step.lane.name(), one_line(step.at), one_line(step.does)));
        let last = number == flow.steps.len();
        let back = flow.loop_to.filter(|_| last).map(|back| format!("back to {back}"));
        let crossing = [back, step.via.map(one_line), step.cost.map(|cost| format!("cost: {}", one_line(cost)))];
        let crossing = crossing.into_iter().flatten().collect::<Vec<_>>().join("; ");
        if !last || flow.loop_to.is_some() {
            out.push_str(format!("   -> {crossing}").trim_end());
            out.push('\n');
        } else if !crossing.is_empty() {
            out.push_str(&format!("   {crossing}\n"));
        }
    }
    out
}

/// Where each step's facts come from, as a line of the dialect.
pub fn citations(flow: &Flow<'_>) -> String {
    let steps: Vec<String> = flow
        .steps
        .iter()
        .zip(1..)
        // A pack's own flow may cite nothing.
        .filter(|(step, _)| !step.sources.is_empty())
        .map(|(step, number)| {
            let marks = step.sources.iter().fold(String::new(), |out, source| out + "[^" + source + "]");
            format!("{number} {marks}")
        })
        .collect();
    if steps.is_empty() { String::new() } else { format!("Steps: {}", steps.join(", ")) }
}

/// Text on one line: a pack may break it.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A flow on its way to the screen.
struct Drawing<'a> {
    flow: &'a Flow<'a>,
    /// The lanes that have a column of their own; none when all boxes stand at the left.
    lanes: Vec<Lane>,
    options: Options,
    boxes: Vec<StepBox>,
    /// The column behind the right edges; a box with a longer word runs over.
    end: usize,
}

/// The text of a box and where it stands.
struct StepBox {
    lane: Lane,
    left: usize,
    /// In the upper edge.
    title: String,
    text: Vec<Line>,
}

impl StepBox {
    fn axis(&self) -> usize {
        self.left + AXIS
    }

    /// The column behind its right edge, when it is as narrow as its words allow.
    fn end(&self) -> usize {
        let text = self.text.iter().map(|line| lines::width(line)).max().unwrap_or(0);
        let edge = edge_width(&self.title, self.lane);
        self.left + edge.max(text + 4)
    }
}

/// The columns of an upper edge: corner, title, stroke, lane, corner.
fn edge_width(title: &str, lane: Lane) -> usize {
    lines::columns(title) + lane.name().len() + 7
}

impl<'a> Drawing<'a> {
    fn new(flow: &'a Flow<'a>, lanes: Vec<Lane>, options: Options) -> Self {
        let mut drawing = Drawing { flow, lanes, options, boxes: Vec::new(), end: 0 };
        drawing.boxes = flow.steps.iter().enumerate().map(|(index, step)| drawing.step_box(index, step)).collect();
        let ends = drawing.boxes.iter().map(StepBox::end);
        drawing.end = ends.max().unwrap_or(0).min(options.width);
        drawing
    }

    fn step_box(&self, index: usize, step: &Step<'_>) -> StepBox {
        let left = self.left(step.lane);
        let available = self.options.width.saturating_sub(left);
        let inner = available.saturating_sub(4);
        let at = one_line(step.at);
        let mut title = format!("{} {at}", index + 1);
        let mut text = Vec::new();
        if edge_width(&title, step.lane) > available {
            title = (index + 1).to_string();
            text = wrap(&[Span::new(at, Style::Strong)], inner);
        }
        text.extend(wrap(&[Span::new(one_line(step.does), Style::Plain)], inner));
        // The last step has no arrow, unless it leads back.
        if index + 1 == self.flow.steps.len() && self.flow.loop_to.is_none() {
            text.extend(step.via.into_iter().flat_map(|via| wrap(&[Span::new(one_line(via), Style::Emphasis)], inner)));
            let cost =
                step.cost.map(|cost| [Span::new("cost: ", Style::Faint), Span::new(one_line(cost), Style::Strong)]);
            text.extend(cost.into_iter().flat_map(|cost| wrap(&cost, inner)));
        }
        StepBox { lane: step.lane, left, title, text }
    }

    /// The left edge of the boxes of a lane.
    fn left(&self, lane: Lane) -> usize {
        let margin = if self.flow.loop_to.is_some() { LOOP } else { 0 };
        let before = self.lanes.iter().take_while(|other| **other != lane);
        margin + before.map(|lane| lane.name().len() + 2).sum::<usize>()
    }

    /// Nothing is wider than the window, and no title had to leave its edge.
    fn fits(&self) -> bool {
        self.boxes.iter().all(|step| step.end() <= self.options.width && step.title.contains(' '))
            && self.rows().iter().all(|row| row.width() <= self.options.width)
    }

    fn lines(&self) -> Vec<Line> {
        let lane_axes: Vec<usize> = self.lanes.iter().map(|lane| self.left(*lane) + AXIS).collect();
        let stroke = strokes::of_arrow(self.options.ascii).lane;
        let mut out = Vec::new();
        if !self.lanes.is_empty() {
            let mut header = Row::default();
            for lane in &self.lanes {
                header.put(self.left(*lane), lane.name(), Style::Heading);
            }
            out.push(header.into_line(&[], stroke));
        }
        out.extend(self.rows().into_iter().map(|row| row.into_line(&lane_axes, stroke)));
        out
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut back_to = None;
        for (index, step) in self.boxes.iter().enumerate() {
            if self.flow.loop_to.is_some_and(|to| usize::from(to) == index + 1) {
                back_to = Some(rows.len() + 1);
            }
            let leaves = index + 1 < self.boxes.len() || back_to.is_some();
            rows.extend(self.box_rows(step, leaves));
            if let Some(next) = self.boxes.get(index + 1) {
                rows.extend(self.hop(step.axis(), next.axis(), &self.flow.steps[index]));
            }
        }
        if let Some(start) = back_to {
            self.back(&mut rows, start);
        }
        rows
    }

    fn box_rows(&self, step: &StepBox, leaves: bool) -> Vec<Row> {
        let strokes = strokes::of_box(step.lane, self.options.ascii);
        let edge = |count: usize| strokes.across.to_string().repeat(count);
        let columns = self.end.max(step.end()) - step.left;
        let mut top = Row::default();
        top.put(step.left, format!("{} ", strokes.top[0]), Style::Faint);
        top.add(&*step.title, Style::Strong);
        top.add(format!(" {} ", edge(columns - edge_width(&step.title, step.lane) + 1)), Style::Faint);
        top.add(step.lane.name(), Style::Heading);
        top.add(format!(" {}", strokes.top[1]), Style::Faint);
        let mut rows = vec![top];
        for line in &step.text {
            let mut row = Row::default();
            row.put(step.left, format!("{} ", strokes.down), Style::Faint);
            for span in line {
                row.add(&*span.text, span.style);
            }
            row.add(format!("{} {}", " ".repeat(columns - 4 - lines::width(line)), strokes.down), Style::Faint);
            rows.push(row);
        }
        let mut bottom = Row::default();
        bottom.put(step.left, strokes.bottom[0].to_string(), Style::Faint);
        if leaves {
            bottom.add(format!("{}{}{}", edge(AXIS - 1), strokes.leave, edge(columns - AXIS - 2)), Style::Faint);
        } else {
            bottom.add(edge(columns - 2), Style::Faint);
        }
        bottom.add(strokes.bottom[1].to_string(), Style::Faint);
        rows.push(bottom);
        rows
    }

    /// What is crossed and what it costs, in lines that fit right of `column`.
    fn label(&self, step: &Step<'_>, column: usize) -> Vec<Line> {
        let room = self.options.width.saturating_sub(column);
        let texts = [(step.via, Style::Emphasis), (step.cost, Style::Strong)];
        let lines =
            texts.into_iter().filter_map(|(text, style)| Some(wrap(&[Span::new(one_line(text?), style)], room)));
        lines.flatten().collect()
    }

    /// The arrow from one axis to the next, with its label.
    fn hop(&self, from: usize, to: usize, step: &Step<'_>) -> Vec<Row> {
        let strokes = strokes::of_arrow(self.options.ascii);
        let column = from.max(to) + 2;
        let label = self.label(step, column);
        let count = label.len().max(if from == to { 1 } else { 2 });
        let mut label = label.into_iter();
        (0..count)
            .map(|index| {
                let mut row = Row::default();
                if index == 0 && from != to {
                    let across = strokes.across.to_string().repeat(from.abs_diff(to) - 1);
                    let [left_end, right_end] = if from < to {
                        [strokes.turn[0], strokes.arrive[1]]
                    } else {
                        [strokes.arrive[0], strokes.turn[1]]
                    };
                    row.put(from.min(to), format!("{left_end}{across}{right_end}"), Style::Faint);
                } else {
                    let stroke = if index + 1 == count { strokes.head_down } else { strokes.down };
                    row.put(to, stroke.to_string(), Style::Faint);
                }
                row.put_line(column, label.next().unwrap_or_default());
                row
            })
            .collect()
    }

    /// The arrow from the last box back to the row `start`, in the margin.
    fn back(&self, rows: &mut Vec<Row>, start: usize) {
        let strokes = strokes::of_arrow(self.options.ascii);
        let (Some(to), Some(last), Some(step)) = (self.flow.loop_to, self.boxes.last(), self.flow.steps.last()) else {
            return;
        };
        let target = &self.boxes[usize::from(to) - 1];
        for (index, row) in rows.iter_mut().enumerate().skip(start) {
            if index == start {
                let across = strokes.across.to_string().repeat(target.left - 2);
                row.insert(0, format!("{}{across}{}", strokes.arrive[0], strokes.head_right), Style::Faint);
            } else {
                row.insert(0, strokes.down.to_string(), Style::Faint);
            }
        }
        let across = strokes.across.to_string().repeat(last.axis() - 1);
        let column = last.axis() + 2;
        let mut words = vec![Span::new(format!("back to step {to}"), Style::Strong)];
        if step.via.is_some() || step.cost.is_some() {
            words.push(Span::new(":", Style::Strong));
        }
        let room = self.options.width.saturating_sub(column);
        let label = wrap(&words, room).into_iter().chain(self.label(step, column));
        for (index, line) in label.enumerate() {
            let mut row = Row::default();
            if index == 0 {
                row.put(0, format!("{}{across}{}", strokes.turn[0], strokes.turn[1]), Style::Faint);
            }
            row.put_line(column, line);
            rows.push(row);
        }
    }
}

#[cfg(test)]
mod tests;
