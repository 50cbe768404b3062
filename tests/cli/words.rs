//! No word of the content is lost on the way to the screen. What must be seen is read from the events of the parser, without the renderer;
//! then it is looked for on the screen, block by block and in order.

mod expected;

use std::fmt::Write;

use rdmanav::answer::section::{self, Shown};
use rdmanav::answer::variables::{self, Named};
use rdmanav::answer::{Answer, check, findings, flows, list, profiles, query, sources};
use rdmanav::diagnose::Diagnosis;
use rdmanav::env::settings;
use rdmanav::knowledge::Library;
use rdmanav::render::{self, Options, Paint, Theme};

use expected::{Block, expected, words};

/// Looks for the blocks on the screen; nothing else may be there.
fn compare(blocks: &[Block], screen: &str) -> Result<(), String> {
    let mut seen: Vec<(String, usize)> = Vec::new();
    let lines: Vec<&str> = screen.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        seen.extend(words(line).into_iter().map(|word| (word, number)));
    }
    let mut rest = &seen[..];
    let mut after_flow = false;
    for block in blocks {
        let next = |count: usize| rest.iter().take(count).map(|(word, _)| word.clone()).collect::<Vec<_>>();
        match block {
            Block::Text(text) => {
                if after_flow {
                    let skip = (0..rest.len()).find(|&skip| starts_with(&rest[skip..], text));
                    rest = &rest[skip.ok_or_else(|| format!("lost: {text:?}"))?..];
                }
                if !starts_with(rest, text) {
                    return Err(format!("expected {text:?}, found {:?}", next(text.len())));
                }
                rest = &rest[text.len()..];
                after_flow = false;
            }
            Block::Code(code) => {
                let mut line = rest.first().map_or(0, |(_, line)| *line);
                for expected in code {
                    let found = lines[line.min(lines.len())..]
                        .iter()
                        .position(|line| line.trim_end().ends_with(expected.as_str()));
                    line += found.ok_or_else(|| format!("lost or cut: {expected}"))? + 1;
                }
                let text: Vec<String> = code.iter().flat_map(|line| words(line)).collect();
                if !starts_with(rest, &text) {
                    return Err(format!("expected {text:?}, found {:?}", next(text.len())));
                }
                rest = &rest[text.len()..];
            }
            Block::Flow(drawn) => {
                let mut missing = drawn.clone();
                while !missing.is_empty() {
                    let Some(((word, _), after)) = rest.split_first() else {
                        return Err(format!("lost from a flow: {missing:?}"));
                    };
                    rest = after;
                    // A comma may join what is crossed with what it costs.
                    let place = |word: &str| missing.iter().position(|missing| missing == word);
                    if let Some(place) = place(word).or_else(|| place(word.strip_suffix(',')?)) {
                        missing.swap_remove(place);
                    }
                }
                after_flow = true;
            }
            Block::Table { names, header, rows } => {
                let record = record(names, header, rows);
                if starts_with(rest, &record) {
                    rest = &rest[record.len()..];
                    continue;
                }
                let cells: Vec<&Vec<String>> = header.iter().chain(rows.iter().flatten().flatten()).collect();
                let count = cells.iter().map(|cell| cell.len()).sum();
                let found = next(count);
                let mut sorted =
                    (found.clone(), cells.iter().flat_map(|cell| cell.iter().cloned()).collect::<Vec<_>>());
                sorted.0.sort();
                sorted.1.sort();
                if sorted.0 != sorted.1 {
                    return Err(format!("a table has {cells:?}, the screen {found:?}"));
                }
                if let Some(cell) = cells.iter().find(|cell| !is_subsequence(cell, &found)) {
                    return Err(format!("out of order: {cell:?} in {found:?}"));
                }
                rest = &rest[count..];
            }
        }
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("on the screen only: {rest:?}")) }
}

/// The words of a table of which each row is a record.
fn record(names: &[Vec<String>], header: &[Vec<String>], rows: &[Vec<Option<Vec<String>>>]) -> Vec<String> {
    let mut out = Vec::new();
    for row in rows {
        for (name, cell) in names.iter().zip(row).filter_map(|(name, cell)| Some((name, cell.as_ref()?))) {
            out.extend_from_slice(name);
            if let (false, Some(last)) = (name.is_empty(), out.last_mut()) {
                last.push(':');
            }
            out.extend_from_slice(cell);
        }
    }
    let marks: Vec<String> = names.iter().zip(header).flat_map(|(name, cell)| cell[name.len()..].to_vec()).collect();
    if !marks.is_empty() {
        out.extend(words("All of the table:"));
        out.extend(marks);
    }
    out
}

fn starts_with(seen: &[(String, usize)], text: &[String]) -> bool {
    seen.len() >= text.len() && seen.iter().zip(text).all(|((seen, _), word)| seen == word)
}

fn is_subsequence(cell: &[String], found: &[String]) -> bool {
    let mut found = found.iter();
    cell.iter().all(|word| found.any(|seen| seen == word))
}

/// The documents of all answers, with a name for each.
fn documents(library: &Library<'static>) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, document: String| out.push((name.to_string(), document));
    let shown = |address: &str| match section::show(address, library) {
        Ok(Shown::Section(answer)) => answer.document(library),
        Ok(Shown::Variable(answer)) => answer.document(library),
        Ok(Shown::Other(answer)) => answer.document(library),
        Err(error) => panic!("{address}: {error:?}"),
    };
    for section in library.sections.iter() {
        add(section.id, shown(section.id));
        for part in library.parts(&section).filter(|part| !part.id.is_empty()) {
            let address = format!("{}#{}", section.id, part.id);
            add(&address, shown(&address));
        }
        add(&format!("sources {}", section.id), sources::sources(Some(section.id), library).unwrap().document(library));
    }
    for name in library.variables.keys().chain(library.others.keys()) {
        let document = match variables::named(name, None, library).unwrap() {
            Named::Variable(answer) => answer.document(library),
            Named::Other(answer) => answer.document(library),
        };
        add(name, document);
    }
    add("NCCL_*", variables::matching(&["*".to_string()], None, library).unwrap().document(library));
    add("env", profiles::profiles(library).document(library));
    for profile in library.profiles.iter() {
        let (profile, _) = settings::at_release(&profile, None, library);
        let assignments = settings::assignments(&profile, &[]).unwrap();
        add(profile.id, profiles::profile(profile.clone(), None, &assignments).document(library));
    }
    for flow in library.flows.keys() {
        add(flow, flows::flow(flow, library).unwrap_or_else(|_| panic!("{flow}")).document(library));
    }
    add("flow", flows::flows(library).document(library));
    add("check", check::embedded(library).document(library));
    for view in [list::View::Sections, list::View::Issues, list::View::Triggers] {
        add("list", list::list(None, view, library).document(library));
    }
    out
}

/// What a log says of each signature.
fn conclusions(library: &Library<'static>) -> Vec<(String, String)> {
    let mut diagnosis = Diagnosis::new(rdmanav::library());
    let mut out = Vec::new();
    for signature in library.signatures.iter() {
        for pattern in &signature.patterns {
            let mut text = pattern.text.to_string();
            while let Some((before, (_, after))) =
                text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
            {
                text = format!("{before}12{after}");
            }
            diagnosis.line(0, 1, format!("node1:77:77 [0] NCCL WARN {text}\n").as_bytes());
            let files = ["nccl.log".to_string()];
            let answer = findings::findings(diagnosis.findings(), diagnosis.job(), &files, false, true);
            out.push((signature.id.to_string(), answer.document(library)));
            diagnosis.take_job();
        }
    }
    out
}

fn plain(document: &str, library: &Library<'static>, width: usize, ascii: bool) -> String {
    render::terminal(document, library, Options { width, styled: false, ascii }, Paint::default())
}

/// What ASCII text shows for the other characters of the content.
fn in_ascii(document: &str) -> String {
    document.replace('…', "...").replace('µ', "u").replace('×', "x")
}

fn hold(documents: &[(String, String)], widths: &[usize], library: &Library<'static>) {
    for (name, document) in documents {
        let blocks = expected(document, library);
        for &width in widths {
            let screen = plain(document, library, width, false);
            if let Err(error) = compare(&blocks, &screen) {
                panic!("{name} at {width}: {error}\n{screen}");
            }
            check_width(name, document, &screen, width);
            // In ASCII other characters are drawn and the same words: two widths will do.
            if width > 40 {
                continue;
            }
            let screen = plain(document, library, width, true);
            assert!(screen.is_ascii(), "{name}: {:?}", screen.chars().find(|c| !c.is_ascii()));
            if let Err(error) = compare(&expected(&in_ascii(document), library), &screen) {
                panic!("{name} at {width} in ASCII: {error}\n{screen}");
            }
        }
    }
}

/// No line is wider than the width, unless it is code or has one word that is longer.
fn check_width(name: &str, document: &str, screen: &str, width: usize) {
    // Flows have tests of their own.
    if document.contains("```flow") {
        return;
    }
    let columns = |text: &str| text.chars().count();
    let code: Vec<&str> = document.lines().map(str::trim).collect();
    for line in screen.lines().filter(|line| columns(line) > width) {
        let text = line.trim_start_matches([' ', '│', '•', '◦']);
        let marker = text.find(char::is_whitespace).filter(|&end| text[..end].ends_with([']', '.']));
        let words = text[marker.unwrap_or(0)..].split_whitespace().count();
        assert!(words == 1 || code.contains(&text.trim()), "{name} at {width}: {line}");
    }
}

#[test]
fn no_word_is_lost_on_any_screen() {
    let library = rdmanav::library();
    let (parts, others): (Vec<_>, Vec<_>) = documents(&library).into_iter().partition(|(name, _)| name.contains('#'));
    hold(&others, &[20, 40, 80, 120], &library);
    // Their text stands in the section, too.
    hold(&parts, &[60], &library);
}

#[test]
fn no_word_of_a_conclusion_is_lost() {
    let library = rdmanav::library();
    let conclusions = conclusions(&library);
    assert!(conclusions.len() > 900);
    hold(&conclusions, &[40, 80], &library);
}

#[test]
fn no_word_of_an_answer_to_a_question_is_lost() {
    let searcher = rdmanav::searcher();
    let library = rdmanav::library();
    let questions =
        ["DCQCN", "vendor err 129", "why is nccl using tcp instead of ib", "NCCL_IB_TC", "gpu direct", "error 12"];
    let answers = questions.map(|question| {
        let answer = query::query(question, None, 6, query::View::default(), &searcher);
        (question.to_string(), answer.document(&library))
    });
    hold(&answers, &[20, 40, 80, 120], &library);
}

/// The checks above, checked: a screen that lacks any one of its words is found out.
#[test]
fn a_lost_word_is_found() {
    let library = rdmanav::library();
    let sample = [include_str!("sample.md"), "\n```flow\npxn-send\n```\n"].concat();
    for width in [20, 40, 80] {
        let blocks = expected(&sample, &library);
        let screen = plain(&sample, &library, width, false);
        compare(&blocks, &screen).unwrap();
        // From the names of the lanes above the first box.
        let first_box = screen.find(['┌', '┏', '╔', '╭']).expect("a flow is drawn");
        let drawing =
            screen[..first_box].rfind("\n\n").expect("a blank line")..screen.find("Steps:").expect("its sources");
        let mut checked = 0;
        for (start, word) in screen
            .split(' ')
            .flat_map(|piece| piece.split('\n'))
            .map(|piece| (piece.as_ptr() as usize - screen.as_ptr() as usize, piece))
        {
            if words(word).is_empty() || drawing.contains(&start) {
                continue;
            }
            let cut = format!("{}{}", &screen[..start], &screen[start + word.len()..]);
            assert!(compare(&blocks, &cut).is_err(), "at {width}, nobody misses {word:?}");
            checked += 1;
        }
        assert!(checked > 100, "{checked}");
        // And one that lacks a line, or has two in another order.
        let lines: Vec<&str> = screen.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !words(line).is_empty()) {
            if drawing.contains(&(line.as_ptr() as usize - screen.as_ptr() as usize)) {
                continue;
            }
            let without: Vec<&str> =
                lines.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, line)| *line).collect();
            assert!(compare(&blocks, &without.join("\n")).is_err(), "at {width}, nobody misses {line:?}");
        }
    }
}

/// A pager, grep or a multiplexer may cut the text at any line.
#[test]
fn every_line_closes_its_styles_and_links_and_shows_the_same_words() {
    let library = rdmanav::library();
    for (name, document) in documents(&library) {
        for (theme, hyperlinks) in [(Theme::Dark, true), (Theme::NoColors, false)] {
            let options = Options { width: 60, styled: true, ascii: false };
            let styled = render::terminal(&document, &library, options, Paint { theme, hyperlinks });
            let mut text = String::new();
            for line in styled.lines() {
                let bare = without_escapes(line).unwrap_or_else(|error| panic!("{name}: {error}: {line:?}"));
                assert!(!bare.ends_with(' '), "{name}: {bare:?}");
                writeln!(text, "{bare}").unwrap();
            }
            if !hyperlinks {
                assert_eq!(words(&text), words(&plain(&document, &library, 60, false)), "{name}");
            }
        }
    }
}

/// The text of a line, if all that is opened in it is closed in it.
fn without_escapes(line: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let (mut is_styled, mut is_linked) = (false, false);
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix("]8;;") {
            let (address, after) = after.split_once("\u{1b}\\").ok_or("a hyperlink that does not end")?;
            if is_linked != address.is_empty() {
                return Err("a hyperlink inside another one");
            }
            is_linked = !is_linked;
            rest = after;
        } else if let Some(after) = after.strip_prefix('[') {
            let (codes, after) = after.split_once('m').ok_or("no style")?;
            if !codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') {
                return Err("no style");
            }
            is_styled = codes != "0";
            rest = after;
        } else {
            return Err("another escape sequence");
        }
    }
    out.push_str(rest);
    if is_styled || is_linked { Err("open at the end of the line") } else { Ok(out) }
}
