//! A data flow as a file for other programs: Mermaid, Graphviz, SVG. Labels are escaped for each: packs bring flows of their own.

mod dot;
mod font;
mod mermaid;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

use super::clean;
use crate::knowledge::Flow;
use crate::knowledge::model::{Lane, Step};

/// A text on one line, without characters that no file should have.
fn label(text: &str) -> String {
    let text: String = clean(text).chars().filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An arrow between two steps, counted from 1, and the texts at it.
struct Arrow {
    from: usize,
    to: usize,
    via: Option<String>,
    cost: Option<String>,
}

/// The arrows of a flow. Of a last step that does not lead back, the texts stand in its box.
fn arrows(flow: &Flow<'_>) -> Vec<Arrow> {
    let arrow = |from: usize, to: usize, step: &Step<'_>| Arrow {
        from,
        to,
        via: step.via.map(label),
        cost: step.cost.map(label),
    };
    let count = flow.steps.len();
    let mut out: Vec<Arrow> =
        flow.steps.iter().zip(1..).filter(|(_, at)| *at < count).map(|(step, at)| arrow(at, at + 1, step)).collect();
    if let (Some(to), Some(step)) = (back_to(flow), flow.steps.last()) {
        out.push(arrow(count, to, step));
    }
    out
}

/// The step that the last one leads back to, if there is such a step.
fn back_to(flow: &Flow<'_>) -> Option<usize> {
    flow.loop_to.map(usize::from).filter(|to| (1..=flow.steps.len()).contains(to))
}

/// The lines of a box: its title, what happens, and of a last step that does not lead back, what it costs.
fn texts(flow: &Flow<'_>, index: usize) -> (String, Vec<String>) {
    let step = &flow.steps[index];
    let mut texts = vec![label(step.does)];
    if index + 1 == flow.steps.len() && back_to(flow).is_none() {
        texts.extend(step.via.map(label));
        texts.extend(step.cost.map(|cost| format!("cost: {}", label(cost))));
    }
    (label(step.at), texts)
}

/// The colours of a lane: its boxes on a light ground, and strokes that a grey print still shows.
fn colours(lane: Lane) -> (&'static str, &'static str) {
    match lane {
        Lane::Gpu => ("#e4f2d2", "#3f6b00"),
        Lane::Host => ("#dce8f7", "#24518e"),
        Lane::Kernel => ("#e9e0f5", "#5c3d91"),
        Lane::Nic => ("#fde8cd", "#9a4f00"),
        Lane::Switch => ("#d5ebe8", "#15625e"),
        Lane::Network => ("#e6e6e6", "#4a4a4a"),
    }
}

#[cfg(test)]
mod tests;
