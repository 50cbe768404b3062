//! A flow as a Mermaid flowchart.

use super::{arrows, colours, label, texts};
use crate::knowledge::Flow;
use crate::knowledge::model::Lane;

/// The flow in the language of Mermaid, as GitHub and many wikis draw it.
pub fn mermaid(flow: &Flow<'_>) -> String {
    let title = serde_json::to_string(&label(flow.title)).expect("a string");
    let mut out = format!("---\ntitle: {title}\n---\nflowchart TD\n");
    for (index, step) in flow.steps.iter().enumerate() {
        let (at, texts) = texts(flow, index);
        let number = index + 1;
        let mut lines = vec![escaped(&format!("{number} {at} [{}]", step.lane.name()))];
        lines.extend(texts.iter().map(|text| escaped(text)));
        out.push_str(&format!("  s{number}[\"{}\"]:::{}\n", lines.join("<br/>"), class(step.lane)));
    }
    for arrow in arrows(flow) {
        let texts: Vec<String> = [&arrow.via, &arrow.cost].into_iter().flatten().map(|text| escaped(text)).collect();
        let label = if texts.is_empty() { String::new() } else { format!("|\"{}\"|", texts.join("<br/>")) };
        out.push_str(&format!("  s{} -->{label} s{}\n", arrow.from, arrow.to));
    }
    for lane in Lane::OUTWARDS.into_iter().filter(|lane| flow.steps.iter().any(|step| step.lane == *lane)) {
        let (fill, stroke) = colours(lane);
        out.push_str(&format!("  classDef {} fill:{fill},stroke:{stroke},color:#111111\n", class(lane)));
    }
    out
}

fn class(lane: Lane) -> String {
    format!("lane{}", lane.name())
}

/// Text in a quoted label. Mermaid reads `#NUMBER;` as a character; what it, HTML or markdown would take for a mark is written so,
/// and at the start of a line also what would begin a list.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut starts = true;
    for c in text.chars() {
        let list = starts && matches!(c, '.' | ')' | '-' | '+');
        starts &= c.is_ascii_digit();
        let is_plain =
            c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | ':' | '(' | ')' | '/' | '=' | '-' | '+' | '?' | '!');
        if is_plain && !list {
            out.push(c);
        } else {
            out.push_str(&format!("#{};", u32::from(c)));
        }
    }
    out
}
