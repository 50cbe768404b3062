//! What is checked of flows, variables, profiles, signatures and ways to ask.

use std::collections::{BTreeMap, BTreeSet};

use super::{Checker, ID, is_id};
use crate::knowledge::directory::{Content, Located};
use crate::knowledge::model::Flow;
use crate::knowledge::release::Release;
use crate::knowledge::signature;

/// A pattern of fewer literal words would match by chance.
const SHORTEST_PATTERN: usize = 2;

/// A pattern of more would take long to align with each line that resembles it.
const LONGEST_PATTERN: usize = 80;

/// The longest texts of a flow's step, in characters: what fits a box of a flow at 80 columns.
const FLOW_TEXTS: [(&str, usize); 4] = [("at", 24), ("does", 70), ("via", 40), ("cost", 40)];

impl Checker<'_> {
    pub(super) fn flow(&mut self, flow: &Located<'_, Flow<'_>>) {
        let Located { entry, file, line } = flow;
        self.one_line(entry.title, "title", file, *line);
        for section in &entry.sections {
            if !self.knows_part(section, "") {
                self.fault(file, *line, format!("sections: no section {section}"));
            }
        }
        if entry.steps.is_empty() {
            self.finding(file, *line, "has no steps");
        }
        if entry.loop_to.is_some_and(|step| step == 0 || usize::from(step) > entry.steps.len()) {
            self.finding(file, *line, format!("loop_to: there are steps 1 to {}", entry.steps.len()));
        }
        for (index, step) in entry.steps.iter().enumerate() {
            let number = index + 1;
            let texts = [step.at, step.does, step.via.unwrap_or(""), step.cost.unwrap_or("")];
            for ((name, most), text) in FLOW_TEXTS.iter().zip(texts) {
                if text.chars().count() > *most {
                    self.fault(file, *line, format!("step {number}: {name} has more than {most} characters"));
                }
            }
            if step.via.is_none() && number < entry.steps.len() {
                self.fault(
                    file,
                    *line,
                    format!("step {number}: via is missing (what is crossed to reach the next step)"),
                );
            }
            self.cites(&step.sources, file, *line, &format!("step {number}"));
        }
    }

    pub(super) fn profiles(&mut self, content: &Content<'_>) {
        for Located { entry, file, line } in &content.profiles {
            for section in &entry.sections {
                if !self.knows_part(section, "") {
                    self.fault(file, *line, format!("sections: no section {section}"));
                }
            }
            self.one_line(entry.title, "title", file, *line);
            let mut names = BTreeSet::new();
            for setting in &entry.variables {
                self.name(setting.name, file, *line);
                self.one_line(setting.value, setting.name, file, *line);
                self.one_line(setting.before.unwrap_or_default(), setting.name, file, *line);
                if !self.knows_variable(setting.name) && !self.knows_other(setting.name) {
                    self.fault(
                        file,
                        *line,
                        format!("{}: neither in env/variables.yaml nor in env/others.yaml", setting.name),
                    );
                }
                if !names.insert(setting.name) {
                    self.finding(file, *line, format!("{} is there twice", setting.name));
                }
                self.cites(&setting.sources, file, *line, setting.name);
            }
        }
    }

    pub(super) fn variables(&mut self, content: &Content<'_>) {
        for Located { entry, file, line } in &content.variables {
            self.name(entry.name, file, *line);
            for name in &entry.related {
                if !self.knows_variable(name) {
                    self.fault(file, *line, format!("{}: related: no variable {name}", entry.name));
                }
            }
            for section in &entry.sections {
                if !self.knows_part(section, "") {
                    self.fault(file, *line, format!("{}: no section {section}", entry.name));
                }
            }
            let releases = entry.defaults.iter().map(|default| default.since).chain([entry.first]).chain(entry.last);
            for release in releases.filter(|release| Release::parse(release).is_none()) {
                self.finding(file, *line, format!("{}: {release} is no release such as 2.22.3", entry.name));
            }
            if entry.defaults.is_empty() {
                self.finding(file, *line, format!("{}: defaults is empty", entry.name));
            }
            self.cites(&entry.sources, file, *line, entry.name);
            for note in &entry.notes {
                self.cites(&note.sources, file, *line, entry.name);
            }
        }
    }

    pub(super) fn others(&mut self, content: &Content<'_>) {
        for Located { entry, file, line } in &content.others {
            self.name(entry.name, file, *line);
            if self.knows_variable(entry.name) {
                self.finding(file, *line, format!("{} is in env/variables.yaml: NCCL reads it", entry.name));
            }
            for name in &entry.instead {
                if !self.knows_variable(name) && !self.knows_other(name) {
                    self.fault(file, *line, format!("{}: instead: {name} is in neither file of env/", entry.name));
                }
            }
            self.cites(&entry.sources, file, *line, entry.name);
        }
    }

    pub(super) fn signatures(&mut self, content: &Content<'_>) {
        let mut texts = BTreeMap::new();
        for Located { entry, file, line } in &content.signatures {
            if !is_id(entry.id) {
                self.finding(file, *line, format!("id {}: {ID}", entry.id));
            }
            if entry.patterns.is_empty() {
                self.finding(file, *line, format!("{}: patterns is empty", entry.id));
            }
            for pattern in &entry.patterns {
                if signature::literals(pattern.text).len() < SHORTEST_PATTERN {
                    let message = format!("{}: \"{}\" has too few words to be told apart", entry.id, pattern.text);
                    self.finding(file, *line, message);
                }
                if signature::literals(pattern.text).len() > LONGEST_PATTERN {
                    let message = format!("{}: a pattern of more than {LONGEST_PATTERN} words", entry.id);
                    self.finding(file, *line, message);
                }
                if let Some(first) = texts.insert(pattern.text, entry.id) {
                    let message = format!("{}: \"{}\" is a pattern of {first} too", entry.id, pattern.text);
                    self.finding(file, *line, message);
                }
                for release in pattern.since.iter().chain(&pattern.until).filter(|text| Release::parse(text).is_none())
                {
                    self.finding(file, *line, format!("{}: {release} is no release such as 2.22.3", entry.id));
                }
            }
            self.address(entry.part, entry.id, file, *line);
            self.cites(&entry.sources, file, *line, entry.id);
        }
    }

    pub(super) fn asked(&mut self, content: &Content<'_>) {
        for Located { entry, file, line } in &content.asked {
            self.address(entry.part, "part", file, *line);
            if entry.asks.is_empty() {
                self.finding(file, *line, format!("{}: asks is empty", entry.part));
            }
        }
    }
}
