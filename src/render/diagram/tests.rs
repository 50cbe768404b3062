use super::*;

/// What labels of a pack may hold.
const HOSTILE: &[&str] = &[
    "quotes \" and ' and `",
    "brackets [a] (b) {c} <d> </text></svg> <script>alert(1)</script>",
    "marks # ; | & && % $ @ ^ ~ * _ __x__ **y** \\ \\n \\N &lt; &quot; #35; #quot;",
    "1. a list",
    "- a list",
    "end",
    "a\nbreak\r\nand\ttab \u{1b}[31mred\u{7} \u{202e}turned \u{ffff}",
    "日本語 e\u{301}",
    "--> s1 %% comment",
    "%%{init: {}}%%",
    "a_word_of_the_users_own_that_is_much_longer_than_any_box_of_a_picture_would_be_and_then_some_more_of_it",
    "",
];

fn hostile() -> Vec<Flow<'static>> {
    let step = |text| Step {
        lane: Lane::Gpu,
        at: text,
        does: text,
        via: Some(text),
        cost: Some(text),
        sources: vec!["nowhere"],
    };
    HOSTILE
        .iter()
        .flat_map(|text| {
            let mut second = step(text);
            second.lane = Lane::Network;
            [None, Some(0), Some(1), Some(2), Some(9)].map(|loop_to| Flow {
                id: "evil\"id",
                title: text,
                summary: text,
                sections: vec![],
                steps: vec![step(text), second.clone()],
                loop_to,
            })
        })
        .collect()
}

/// All characters that a reader of Mermaid puts on the screen for a label.
fn mermaid_text(escaped: &str) -> String {
    let mut out = String::new();
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('#') {
        let (number, after) = after.split_once(';').expect("an entity ends");
        out.push_str(before);
        out.push(number.parse().ok().and_then(char::from_u32).expect("an entity is a number"));
        rest = after;
    }
    out + rest
}

#[test]
fn mermaid_has_nothing_in_labels_that_it_reads_as_its_own() {
    for flow in hostile() {
        let text = mermaid(&flow);
        let mut lines = text.lines();
        assert_eq!([lines.next(), lines.nth(1), lines.next()], [Some("---"), Some("---"), Some("flowchart TD")]);
        let quoted: Vec<&str> = text.split('"').collect();
        // Quotes in the title are escaped with backslashes; behind it each label has two.
        let body = text.split_once("flowchart").unwrap().1;
        assert_eq!(body.matches('"').count() % 2, 0, "{text}");
        assert!(quoted.len() > 4);
        let expected = format!("1 {} [GPU]", label(flow.steps[0].at));
        let node = body.lines().find(|line| line.starts_with("  s1[")).unwrap();
        let inside = &node[node.find('"').unwrap() + 1..node.rfind('"').unwrap()];
        assert_eq!(mermaid_text(inside.split("<br/>").next().unwrap()), expected);
        assert!(
            !inside.replace("<br/>", "").contains(['"', '<', '>', '[', ']', '`', '|', '{', '}', '*', '_', '\\', '&'])
        );
    }
}

#[test]
fn dot_strings_end_where_they_should() {
    for flow in hostile() {
        let text = dot(&flow);
        assert_eq!(text.lines().last(), Some("}"));
        for line in text.lines() {
            let mut inside = false;
            let mut characters = line.chars();
            while let Some(c) = characters.next() {
                match c {
                    '\\' if inside => assert!(matches!(characters.next(), Some('\\' | '"' | 'n')), "{line}"),
                    '"' => inside = !inside,
                    _ => {}
                }
            }
            assert!(!inside, "{line}");
        }
    }
}

/// Writes what `scripts/check-flows BINARY DIR` takes: `RDMANAV_HOSTILE_FLOWS=DIR cargo test --lib hostile`.
#[test]
fn hostile_flows_as_files() {
    let Some(directory) = std::env::var_os("RDMANAV_HOSTILE_FLOWS") else { return };
    let library = crate::library();
    for (number, flow) in hostile().iter().enumerate() {
        let mut clean = flow.clone();
        let texts: Vec<String> = [flow.title, flow.steps[0].does].map(label).to_vec();
        clean.title = &texts[0];
        for step in &mut clean.steps {
            let text = &*texts[1];
            (step.at, step.does, step.via, step.cost) = (text, text, Some(text), Some(text));
        }
        let json = serde_json::to_string(&clean).unwrap();
        for (form, text) in
            [("json", json), ("mermaid", mermaid(flow)), ("dot", dot(flow)), ("svg", svg(flow, &library))]
        {
            std::fs::write(std::path::Path::new(&directory).join(format!("hostile-{number}.{form}")), text).unwrap();
        }
    }
}

#[test]
fn no_form_hands_on_control_characters() {
    let library = crate::library();
    for flow in hostile() {
        for text in [mermaid(&flow), dot(&flow), svg(&flow, &library)] {
            assert!(!text.contains(|c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{ffff}')));
        }
    }
}

/// The elements of a picture, in order: name, attributes, text up to the next.
struct Element<'a> {
    name: &'a str,
    attributes: &'a str,
    text: String,
}

impl Element<'_> {
    fn number(&self, name: &str) -> f32 {
        let start = self.attributes.find(&format!(" {name}=\"")).expect("the attribute") + name.len() + 3;
        self.attributes[start..].split('"').next().unwrap().parse().expect("a number")
    }
}

/// Reads the XML that we write, and panics when tags do not match.
fn elements(svg: &str) -> Vec<Element<'_>> {
    let mut open = Vec::new();
    let mut out = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        if !tag.ends_with('/') {
            open.push(name);
        }
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|known| entity.starts_with(known)), "{text}");
        }
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
        out.push(Element { name, attributes: tag, text: text.replace("&amp;", "&") });
    }
    assert!(open.is_empty());
    out
}

/// Left, top, right, bottom.
type Area = [f32; 4];

fn overlap(a: Area, b: Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn within(a: Area, b: Area) -> bool {
    a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3]
}

#[test]
fn texts_of_a_picture_stand_in_their_boxes_and_apart() {
    let library = crate::library();
    for flow in library.flows.iter().chain(hostile()) {
        let picture = svg(&flow, &library);
        let elements = elements(&picture);
        let page = [0.0, 0.0, elements[0].number("width"), elements[0].number("height")];
        let mut boxes: Vec<Area> = Vec::new();
        let mut texts: Vec<(Area, String)> = Vec::new();
        for element in &elements {
            if element.name == "rect" && element.attributes.contains("rx=\"6\"") {
                let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| element.number(name));
                boxes.push([x, y, x + w, y + h]);
            }
            if element.name == "text" && !element.attributes.contains("middle") {
                let font = super::font::Font {
                    size: element.number("font-size"),
                    bold: element.attributes.contains("font-weight"),
                };
                let (x, y) = (element.number("x"), element.number("y"));
                let text = element.text.trim_end().to_string();
                texts.push(([x, y - 0.8 * font.size, x + font.width(&text), y + 0.2 * font.size], text));
            }
        }
        assert_eq!(boxes.len(), flow.steps.len());
        for (index, (area, text)) in texts.iter().enumerate() {
            assert!(within(*area, page), "{}: {text}: {area:?} in {page:?}", flow.id);
            for other in boxes.iter().filter(|other| overlap(*area, **other)) {
                assert!(within(*area, *other), "{}: {text}: {area:?} crosses {other:?}", flow.id);
            }
            for (other, words) in &texts[index + 1..] {
                assert!(!overlap(*area, *other), "{}: {text} and {words}", flow.id);
            }
        }
        for (index, area) in boxes.iter().enumerate() {
            assert!(
                within(*area, page) && boxes[index + 1..].iter().all(|other| !overlap(*area, *other)),
                "{}",
                flow.id
            );
        }
        // No word is lost; only one that is longer than a box is broken.
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let shown: String = texts.iter().map(|(_, text)| letters(text)).collect();
        for step in &flow.steps {
            for text in [Some(step.at), Some(step.does), step.via, step.cost].into_iter().flatten() {
                assert!(shown.contains(&letters(&label(text))), "{}: {text}", flow.id);
            }
        }
    }
}

#[test]
fn a_flow_without_steps_is_no_reason_to_fail() {
    let flow = Flow { id: "", title: "", summary: "", sections: vec![], steps: vec![], loop_to: Some(1) };
    for text in [mermaid(&flow), dot(&flow), svg(&flow, &crate::library())] {
        assert!(!text.is_empty());
    }
}
