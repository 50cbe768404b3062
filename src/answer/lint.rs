//! `lint`: what is wrong with settings, and its rules.

use schemars::JsonSchema;
use serde::Serialize;

use super::findings::{Shown, severity_name};
use super::{Answer, NotFound, cell, code, next, shows};
use crate::knowledge::Library;
use crate::knowledge::severity::Severity;
use crate::lint::finding::{Finding, LeftOut};
use crate::lint::rules::{Findings, RULES, Rule, rule};
use crate::lint::{Position, Source, Unreadable};
use crate::render;
use crate::search::suggest;

/// What is wrong with the settings of files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LintAnswer {
    schema: &'static str,
    pub findings: Vec<Shown>,
    /// How many more there are than are listed: of a rule the first 1,000 of a severity are, for a file, and the first 20,000 altogether.
    left_out: Vec<MoreFindings>,
    files: Vec<FileRead>,
    /// Print notes, too.
    #[serde(skip)]
    notes: bool,
    /// Line and marks for each finding.
    #[serde(skip)]
    snippets: Vec<String>,
}

/// Findings of a rule that are counted only.
#[derive(Debug, Serialize, JsonSchema)]
struct MoreFindings {
    file: String,
    rule: &'static str,
    severity: Severity,
    count: usize,
}

/// A file that was read, or why it was not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileRead {
    pub name: String,
    /// As what it was read.
    pub kind: Option<crate::lint::Kind>,
    pub settings: usize,
    pub unreadable: Option<String>,
}

impl FileRead {
    /// A file that was read.
    pub fn of(name: &str, source: &Source) -> Self {
        FileRead { name: name.to_string(), kind: Some(source.kind), settings: source.settings.len(), unreadable: None }
    }

    /// A file that was not.
    pub fn not(name: &str, why: Unreadable) -> Self {
        FileRead { name: name.to_string(), kind: None, settings: 0, unreadable: Some(why.to_string()) }
    }
}

/// Makes the answer. `names` are those of the sources, `files` all inputs.
pub fn lint(findings: Findings, sources: &[Source], names: &[String], files: Vec<FileRead>, notes: bool) -> LintAnswer {
    let snippets = findings.kept.iter().map(|finding| snippet(finding, &sources[finding.file])).collect();
    let show = |finding: Finding| {
        let (line, _) = evidence(&sources[finding.file], finding.at);
        let rule = rule(finding.rule).expect("each has a row");
        let sources = rule.sources.iter().map(|source| (*source).to_string()).collect();
        Shown::at_place(finding, names, &line, sources)
    };
    let more = |left: &LeftOut| {
        let file = names.get(left.file).cloned().unwrap_or_default();
        MoreFindings { file, rule: left.rule, severity: left.severity, count: left.count }
    };
    LintAnswer {
        schema: "rdmanav.findings/1",
        left_out: findings.left_out.iter().map(more).collect(),
        findings: findings.kept.into_iter().map(show).collect(),
        files,
        notes,
        snippets,
    }
}

/// A longer line is shown in part, in characters.
const LONGEST_LINE: usize = 400;

/// So many characters in front of the place are shown of a longer line.
const BEFORE: usize = 100;

/// The line of a place, and how many of its characters are cut off in front. Of a long line the piece around the place, with a mark where it is cut.
fn evidence(source: &Source, at: Position) -> (String, usize) {
    let length = source.line_length(at.line);
    if length <= LONGEST_LINE {
        return (source.line_text(at.line).to_string(), 0);
    }
    let cut = at.column.saturating_sub(1 + BEFORE);
    let mark = |is_cut| if is_cut { "\u{2026}" } else { "" };
    let part = source.line_part(at.line, cut, LONGEST_LINE);
    // The mark stands for the last character that is cut off.
    (format!("{}{part}{}", mark(cut > 0), mark(cut + LONGEST_LINE < length)), cut.saturating_sub(1))
}

/// The widest piece that is shown, in characters.
const WIDEST: usize = 160;

/// The line with marks under what is meant. Of a long line the piece around it.
fn snippet(finding: &Finding, source: &Source) -> String {
    let (line, cut) = evidence(source, finding.at);
    let line: Vec<char> = render::clean(&line).replace('\t', " ").chars().collect();
    let column = finding.at.column.saturating_sub(1 + cut).min(line.len());
    let start = if line.len() > WIDEST { column.saturating_sub(40) } else { 0 };
    let shown: String = line.iter().skip(start).take(WIDEST).collect();
    let marks = finding.length.min(WIDEST).min((line.len() - column).max(1));
    let number = finding.at.line.to_string();
    let margin = " ".repeat(number.len());
    format!("{number} | {shown}\n{margin} | {}{}", " ".repeat(column - start), "^".repeat(marks))
}

impl LintAnswer {
    /// The worst severity; none without a finding.
    pub fn worst(&self) -> Option<Severity> {
        let listed = self.findings.iter().map(|finding| finding.severity);
        listed.chain(self.left_out.iter().map(|left| left.severity)).max()
    }
}

impl Answer for LintAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        for (finding, snippet) in self.findings.iter().zip(&self.snippets) {
            if finding.severity == Severity::Note && !self.notes {
                continue;
            }
            out.push_str(&format!(
                "**{}: {}** {}\n\n{}\n\n{}\n**Do.** {}\n\n",
                severity_name(finding.severity).to_lowercase(),
                finding.rule,
                code(&finding.place()),
                finding.message,
                render::fenced(snippet),
                finding.advice
            ));
        }
        for left in self.left_out.iter().filter(|left| self.notes || left.severity > Severity::Note) {
            out.push_str(&format!(
                "\u{2026} and {} more {}s: {} in {}\n\n",
                left.count,
                severity_name(left.severity).to_lowercase(),
                left.rule,
                code(&left.file)
            ));
        }
        let count = |severity| {
            let listed = self.findings.iter().filter(|finding| finding.severity == severity).count();
            let left = self.left_out.iter().filter(|left| left.severity == severity);
            listed + left.map(|left| left.count).sum::<usize>()
        };
        let settings: usize = self.files.iter().map(|file| file.settings).sum();
        let plural = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let read = self.files.iter().filter(|file| file.unreadable.is_none()).count();
        out.push_str(&format!(
            "{} in {}: {}, {}, {}.\n",
            plural(settings, "setting"),
            plural(read, "file"),
            plural(count(Severity::Error), "error"),
            plural(count(Severity::Warning), "warning"),
            plural(count(Severity::Note), "note")
        ));
        let alarms = self.worst() > Some(Severity::Note);
        let mut steps = Vec::new();
        if alarms {
            steps.push("`rdmanav lint --explain RULE` says all about a rule");
        }
        if count(Severity::Note) > 0 && !self.notes {
            steps.push("`--notes` prints the notes, too");
        }
        out.push_str(&next(&steps));
        out
    }
}

/// One rule in full, or all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RulesAnswer {
    schema: &'static str,
    rules: Vec<ShownRule>,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownRule {
    id: &'static str,
    severity: Severity,
    finds: &'static str,
    why: &'static str,
    part: &'static str,
    sources: &'static [&'static str],
}

impl From<&Rule> for ShownRule {
    fn from(rule: &Rule) -> Self {
        ShownRule {
            id: rule.id,
            severity: rule.severity,
            finds: rule.finds,
            why: rule.why,
            part: rule.part,
            sources: rule.sources,
        }
    }
}

/// The rule of this id, or all for an empty one.
pub fn explain(id: &str) -> Result<RulesAnswer, NotFound> {
    let schema = "rdmanav.rules/1";
    if id.is_empty() {
        return Ok(RulesAnswer { schema, rules: RULES.iter().map(ShownRule::from).collect() });
    }
    if let Some(rule) = rule(id) {
        return Ok(RulesAnswer { schema, rules: vec![ShownRule::from(rule)] });
    }
    let near = suggest::nearest(id, RULES.iter().map(|rule| rule.id));
    Err(NotFound::new(format!("no rule \"{}\"", render::short(id)), &near, "all rules: rdmanav lint --explain"))
}

/// The table of all rules.
pub fn table() -> String {
    let mut out = "| Rule | Worst | Finds |\n|---|---|---|\n".to_string();
    for rule in RULES {
        let severity = severity_name(rule.severity).to_lowercase();
        out.push_str(&format!("| `{}` | {severity} | {} |\n", rule.id, cell(rule.finds)));
    }
    out
}

impl Answer for RulesAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        let [rule] = &*self.rules else { return table() };
        let cited: Vec<String> = rule.sources.iter().map(|source| format!("[^{source}]")).collect();
        format!(
            "# {}\n\nWorst severity: {}. Finds {}. {}\n\n{}\n\nTo keep a line as it is: `# rdmanav: allow {}` on it or above it.\n{}",
            rule.id,
            severity_name(rule.severity).to_lowercase(),
            rule.finds,
            cited.join(" "),
            rule.why,
            rule.id,
            next(&shows(&[rule.part]))
        )
    }
}
