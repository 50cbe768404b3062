//! A flow as a picture for documents: lanes as columns, steps going down, what each hop crosses and costs beside its arrow.
//!
//! One file without scripts, fonts or other files. Colours stand as attributes, for programs that read no styles; a style sheet
//! turns them dark where the reader prefers that.

use super::font::Font;
use super::{Arrow, arrows, back_to, colours, label, texts};
use crate::knowledge::model::{Lane, Step};
use crate::knowledge::{Flow, Library};
use crate::render::citations::{Citations, Mark};

const TITLE: Font = Font { size: 18.0, bold: true };
const SUMMARY: Font = Font { size: 13.0, bold: false };
const AT: Font = Font { size: 13.0, bold: true };
const DOES: Font = Font { size: 13.0, bold: false };
const VIA: Font = Font { size: 12.0, bold: false };
const COST: Font = Font { size: 12.0, bold: true };
const SMALL: Font = Font { size: 10.0, bold: false };

/// Around everything.
const MARGIN: f32 = 20.0;
/// For the arrow of a loop.
const LOOP: f32 = 24.0;
/// Between two lanes, half on each side of a box.
const GUTTER: f32 = 24.0;
/// Between the edge of a box and its text.
const PADDING: f32 = 12.0;
/// Where arrows leave and arrive, from the left edge of a box.
const AXIS: f32 = 22.0;
/// From a box down to where its arrow turns.
const TURN: f32 = 13.0;
/// The widest box that a long word may ask for; a longer one is broken.
const WIDEST: f32 = 420.0;
/// Between two lines of text.
const LEADING: f32 = 1.3;

/// The flow as an SVG file.
pub fn svg(flow: &Flow<'_>, library: &Library<'_>) -> String {
    let mut picture = Picture::new(flow);
    picture.head(flow);
    let steps_top = picture.y;
    let mut citations = Citations::default();
    let mut places = Vec::new();
    // One leaves each step, but perhaps the last.
    let mut arrows = arrows(flow).into_iter();
    for (index, step) in flow.steps.iter().enumerate() {
        places.push(picture.step(flow, index, &marks(step, &mut citations, library)));
        if let Some(arrow) = arrows.next() {
            picture.leave(flow, &arrow, &places);
        }
    }
    picture.lanes(steps_top);
    picture.sources(&citations);
    picture.file(flow)
}

/// The numbers of a step's sources.
fn marks<'a>(step: &Step<'_>, citations: &mut Citations<'a>, library: &Library<'a>) -> String {
    let marks = step.sources.iter().filter_map(|id| citations.mark(id, library)).map(|mark| match mark {
        Mark::Number(number) => format!("[{number}]"),
        Mark::Label(label) => format!("({label})"),
    });
    marks.collect::<Vec<_>>().join(" ")
}

/// Where a box stands.
#[derive(Clone, Copy)]
struct Place {
    left: f32,
    top: f32,
    height: f32,
}

struct Picture {
    lanes: Vec<Lane>,
    /// Left of the lanes.
    left: f32,
    /// The width of a box.
    column: f32,
    /// The lower end of what is drawn.
    y: f32,
    /// What lies under the boxes, and the boxes.
    ground: String,
    out: String,
}

impl Picture {
    fn new(flow: &Flow<'_>) -> Self {
        let lanes: Vec<Lane> =
            Lane::OUTWARDS.into_iter().filter(|lane| flow.steps.iter().any(|step| step.lane == *lane)).collect();
        let usual: f32 = match lanes.len() {
            0 | 1 => 460.0,
            2 => 290.0,
            3 => 240.0,
            _ => 212.0,
        };
        let texts = flow.steps.iter().flat_map(|step| [Some(step.at), Some(step.does), step.via, step.cost]);
        let texts: Vec<String> = texts.flatten().map(label).collect();
        let longest = texts.iter().flat_map(|text| text.split(' ')).map(|word| AT.width(word)).fold(0.0, f32::max);
        let left = MARGIN + if back_to(flow).is_some() { LOOP } else { 0.0 };
        let column = usual.max((longest + 3.0 * AXIS).min(WIDEST));
        Picture { lanes, left, column, y: MARGIN, ground: String::new(), out: String::new() }
    }

    /// The left edge of the boxes of a lane.
    fn box_left(&self, lane: Lane) -> f32 {
        let before = self.lanes.iter().take_while(|other| **other != lane).count();
        self.left + before as f32 * (self.column + GUTTER) + GUTTER / 2.0
    }

    /// The right edge of the lanes.
    fn right(&self) -> f32 {
        self.left + self.lanes.len().max(1) as f32 * (self.column + GUTTER)
    }

    /// Writes lines of text below each other, and returns the height that they take.
    fn text(&mut self, x: f32, y: f32, lines: &[String], font: Font, class: &str) -> f32 {
        let leading = font.size * LEADING;
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        let colour = if class == "weak" { "#555555" } else { "#1a1a1a" };
        for (line, index) in lines.iter().zip(1u16..) {
            let baseline = y + f32::from(index) * leading - font.size * 0.3;
            self.out.push_str(&format!(
                "<text x=\"{x:.1}\" y=\"{baseline:.1}\" font-size=\"{}\"{weight} class=\"{class}\" fill=\"{colour}\">{}</text>\n",
                font.size,
                escaped(line)
            ));
        }
        lines.len() as f32 * leading
    }

    /// Title, summary, names of the lanes.
    fn head(&mut self, flow: &Flow<'_>) {
        let width = self.right() - MARGIN;
        self.y += self.text(MARGIN, self.y, &TITLE.wrap(&label(flow.title), width), TITLE, "strong");
        self.y += 4.0;
        self.y += self.text(MARGIN, self.y, &SUMMARY.wrap(&label(flow.summary), width), SUMMARY, "weak");
        self.y += 12.0;
        for lane in self.lanes.clone() {
            self.text(self.box_left(lane), self.y + 6.0, &[lane.name().to_string()], AT, "strong");
        }
        self.y += 34.0;
    }

    fn step(&mut self, flow: &Flow<'_>, index: usize, marks: &str) -> Place {
        let step = &flow.steps[index];
        let (left, top) = (self.box_left(step.lane), self.y);
        let (at, texts) = texts(flow, index);
        let number = (index + 1).to_string();
        let badge = SMALL.width(&number).max(8.0) + 10.0;
        let inner = self.column - 2.0 * PADDING;
        let title = AT.wrap(&at, inner - badge - 6.0);
        let lines: Vec<String> = texts.iter().flat_map(|text| DOES.wrap(text, inner)).collect();
        let marks = SMALL.wrap(marks, inner);
        let lines_of = |count: usize, font: Font| count as f32 * font.size * LEADING;
        let height = 22.0 + lines_of(title.len(), AT) + lines_of(lines.len(), DOES) + lines_of(marks.len(), SMALL);
        let (fill, stroke) = colours(step.lane);
        let lane = step.lane.name();
        self.out.push_str(&format!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" rx=\"6\" class=\"{lane}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>\n\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{badge:.1}\" height=\"16\" rx=\"8\" class=\"badge\" fill=\"{stroke}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" font-weight=\"bold\" text-anchor=\"middle\" class=\"number\" fill=\"#ffffff\">{number}</text>\n",
            self.column,
            left + PADDING,
            top + 10.0,
            left + PADDING + badge / 2.0,
            top + 21.6,
        ));
        let mut y = top + 9.0;
        y += self.text(left + PADDING + badge + 6.0, y, &title, AT, "strong") + 2.0;
        y += self.text(left + PADDING, y, &lines, DOES, "strong");
        self.text(left + PADDING, y + 1.0, &marks, SMALL, "weak");
        self.y = top + height;
        Place { left, top, height }
    }

    /// The arrow that leaves a step.
    fn leave(&mut self, flow: &Flow<'_>, arrow: &Arrow, places: &[Place]) {
        let place = places[arrow.from - 1];
        let from = place.left + AXIS;
        let bottom = place.top + place.height;
        let back = (arrow.to <= arrow.from).then(|| places[arrow.to - 1]);
        let to = back.map_or_else(|| self.box_left(flow.steps[arrow.to - 1].lane) + AXIS, |_| from);
        let turns = back.is_some() || (from - to).abs() > 1.0;
        let mut y = bottom + if turns { TURN } else { 0.0 } + 5.0;
        let room = self.column - AXIS - 4.0;
        let top = y;
        if back.is_some() {
            let words = [format!("back to step {}", arrow.to)];
            y += self.text(to + 9.0, y, &words, VIA, "weak");
        }
        if let Some(via) = &arrow.via {
            y += self.text(to + 9.0, y, &VIA.wrap(via, room), VIA, "weak");
        }
        if let Some(cost) = &arrow.cost {
            y += self.text(to + 9.0, y, &COST.wrap(cost, room), COST, "strong");
        }
        if let Some(target) = back {
            let x = self.left - LOOP + 8.0;
            let at = target.top + target.height / 2.0;
            self.line(&format!("M{from:.1} {bottom:.1}V{:.1}H{x:.1}V{at:.1}H{:.1}", bottom + TURN, target.left - 7.0));
            self.arrow_head(target.left, at, [(-8.0, -4.5), (-8.0, 4.5)]);
            self.y = y;
        } else {
            let end = y.max(top + 12.0) + 9.0;
            self.line(&if turns {
                format!("M{from:.1} {bottom:.1}V{:.1}H{to:.1}V{:.1}", bottom + TURN, end - 7.0)
            } else {
                format!("M{from:.1} {bottom:.1}V{:.1}", end - 7.0)
            });
            self.arrow_head(to, end, [(-4.5, -8.0), (4.5, -8.0)]);
            self.y = end;
        }
    }

    fn line(&mut self, path: &str) {
        self.out.push_str(&format!(
            "<path d=\"{path}\" class=\"arrow\" fill=\"none\" stroke=\"#444444\" stroke-width=\"1.5\"/>\n"
        ));
    }

    fn arrow_head(&mut self, x: f32, y: f32, corners: [(f32, f32); 2]) {
        let [(ax, ay), (bx, by)] = corners;
        self.out.push_str(&format!(
            "<path d=\"M{x:.1} {y:.1}l{ax} {ay}l{} {}z\" class=\"head\" fill=\"#444444\"/>\n",
            bx - ax,
            by - ay
        ));
    }

    /// The grounds of the lanes, now that their length is known.
    fn lanes(&mut self, steps_top: f32) {
        let (top, bottom) = (steps_top - 34.0, self.y + 12.0);
        for lane in self.lanes.clone() {
            let x = self.box_left(lane) - GUTTER / 2.0 + 3.0;
            let (_, stroke) = colours(lane);
            self.ground.push_str(&format!(
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" class=\"lane\" fill=\"#f5f5f5\"/>\n\
                 <rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"3\" class=\"bar\" fill=\"{stroke}\"/>\n",
                self.column + GUTTER - 6.0,
                bottom - top,
                self.column + GUTTER - 6.0,
            ));
        }
        self.y = bottom + 14.0;
    }

    /// Sources as small print; links where there are addresses.
    fn sources(&mut self, citations: &Citations<'_>) {
        let width = self.right() - MARGIN;
        for (number, title, url) in citations.list() {
            let is_link = url.starts_with("https://") || url.starts_with("http://");
            if is_link {
                self.out.push_str(&format!("<a href=\"{}\">\n", escaped(&label(&url))));
            }
            let lines = SMALL.wrap(&format!("[{number}] {}", label(title)), width);
            self.y += self.text(MARGIN, self.y, &lines, SMALL, "weak");
            if is_link {
                self.out.push_str("</a>\n");
            }
        }
    }

    fn file(self, flow: &Flow<'_>) -> String {
        let (width, height) = (self.right() + MARGIN, self.y + MARGIN);
        let steps = crate::render::flow::brief(flow);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             role=\"img\" aria-labelledby=\"title desc\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>{DARK}</style>\n\
             <rect width=\"100%\" height=\"100%\" class=\"page\" fill=\"#ffffff\"/>\n{}{}</svg>\n",
            escaped(&label(flow.title)),
            escaped(&format!("{}\n{}", label(flow.summary), steps.lines().map(label).collect::<Vec<_>>().join("\n"))),
            self.ground,
            self.out
        )
    }
}

/// What changes where the reader prefers dark pages.
const DARK: &str = "\n@media (prefers-color-scheme: dark) {\n\
    .page { fill: #14171b } .lane { fill: #1d2126 } .strong { fill: #eeeeee } .weak { fill: #b4b8bd }\n\
    .arrow { stroke: #c4c8cc } .head { fill: #c4c8cc }\n\
    .GPU { fill: #263312; stroke: #8fbf45 } .host { fill: #172a44; stroke: #7fa8e0 } .kernel { fill: #2c2140; stroke: #b394e6 }\n\
    .NIC { fill: #402a10; stroke: #e0a050 } .switch { fill: #12332f; stroke: #5fb8b0 } .network { fill: #303030; stroke: #b0b0b0 }\n}\n";

/// Text inside an element or an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
