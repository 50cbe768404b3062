//! A flow as a graph of Graphviz.

use super::{arrows, colours, label, texts};
use crate::knowledge::Flow;
use crate::render::lines::{self, Span, Style};

/// Columns of a line in a box.
const COLUMNS: usize = 34;

/// Columns of a line at an arrow.
const ARROW_COLUMNS: usize = 26;

/// The flow in the language of Graphviz; boxes of a lane stand below each other.
pub fn dot(flow: &Flow<'_>) -> String {
    let mut out = format!(
        "digraph {} {{\n  graph [label={}, labelloc=t, fontname=\"Helvetica\", fontsize=16, nodesep=0.6]\n  \
         node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, margin=\"0.15,0.1\"]\n  \
         edge [fontname=\"Helvetica\", fontsize=10]\n",
        quoted(flow.id, usize::MAX),
        quoted(flow.title, usize::MAX)
    );
    for (index, step) in flow.steps.iter().enumerate() {
        let (at, texts) = texts(flow, index);
        let (fill, stroke) = colours(step.lane);
        let mut all = vec![format!("{} {at} [{}]", index + 1, step.lane.name())];
        all.extend(texts);
        out.push_str(&format!(
            "  s{} [label={}, group=\"{}\", fillcolor=\"{fill}\", color=\"{stroke}\"]\n",
            index + 1,
            quoted_all(&all, COLUMNS),
            step.lane.name()
        ));
    }
    for arrow in arrows(flow) {
        let texts: Vec<String> = [arrow.via, arrow.cost].into_iter().flatten().collect();
        let back = if arrow.to <= arrow.from { ", constraint=false" } else { "" };
        out.push_str(&format!(
            "  s{} -> s{} [label={}{back}]\n",
            arrow.from,
            arrow.to,
            quoted_all(&texts, ARROW_COLUMNS)
        ));
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str, columns: usize) -> String {
    quoted_all(&[label(text)], columns)
}

/// Texts as one quoted string, each on lines of its own. Graphviz reads backslashes and the entities of HTML in labels.
fn quoted_all(texts: &[String], columns: usize) -> String {
    let lines: Vec<String> = texts
        .iter()
        .flat_map(|text| lines::wrap(&[Span::new(&**text, Style::Plain)], columns))
        .map(|line| line.iter().map(|span| &*span.text).collect::<String>())
        .map(|line| line.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
