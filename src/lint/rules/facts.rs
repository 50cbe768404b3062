//! What the rules look up in a file again and again, gathered once: a file may have a hundred thousand settings and scopes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{reaches, values};
use crate::lint::{Container, Setting, Source, Value};

/// What a file says, by scope and by name.
pub struct Facts<'c> {
    source: &'c Source,
    scopes: BTreeMap<usize, Scope<'c>>,
    /// The first container of each scope.
    containers: BTreeMap<usize, &'c Container>,
    /// Names that the file uses itself: `$NAME`, `${NAME}`.
    used: BTreeSet<&'c str>,
    /// The beginnings of device names of all lists, with the first whose name is more digits.
    longer_devices: HashMap<&'c str, &'c str>,
    /// The file is for RCCL.
    pub is_rccl: bool,
}

/// The settings of a scope that get to programs.
#[derive(Default)]
struct Scope<'c> {
    settings: Vec<&'c Setting>,
    /// The last of each name; none where it was taken away.
    last: BTreeMap<&'c str, Option<&'c Setting>>,
}

impl<'c> Facts<'c> {
    /// Gathers them.
    pub fn of(source: &'c Source) -> Self {
        let mut facts = Facts {
            source,
            scopes: BTreeMap::new(),
            containers: BTreeMap::new(),
            used: BTreeSet::new(),
            longer_devices: HashMap::new(),
            is_rccl: false,
        };
        for setting in &source.settings {
            facts.setting(setting);
        }
        for container in &source.containers {
            facts.containers.entry(container.scope).or_insert(container);
        }
        for line in 1..=source.lines() {
            facts.used.extend(names_used(source.line_text(line)));
        }
        facts
    }

    fn setting(&mut self, setting: &'c Setting) {
        self.is_rccl |= ["RCCL_", "HSA_", "HIP_"].iter().any(|start| setting.name.starts_with(start));
        if let Some(text) = setting.value.text().filter(|_| setting.name.contains("HCA")) {
            for name in values::names(text) {
                let digits = name.bytes().rev().take(MOST_DIGITS).take_while(u8::is_ascii_digit).count();
                for more in 1..=digits {
                    self.longer_devices.entry(&name[..name.len() - more]).or_insert(name);
                }
            }
        }
        let scope = self.scopes.entry(setting.scope).or_default();
        if reaches(setting) {
            scope.settings.push(setting);
            match setting.value {
                Value::Inherited => {}
                Value::Unset => {
                    scope.last.insert(&setting.name, None);
                }
                _ => {
                    scope.last.insert(&setting.name, Some(setting));
                }
            }
        }
    }

    /// All scopes that have settings, each with those that get to programs.
    pub fn scopes(&self) -> impl Iterator<Item = (usize, &[&'c Setting])> {
        self.scopes.iter().map(|(number, scope)| (*number, &*scope.settings))
    }

    /// What a process in this scope sees.
    pub fn environment(&self, scope: usize) -> Environment<'_, 'c> {
        let levels = self.source.scopes(scope).filter_map(|scope| Some(&self.scopes.get(&scope)?.last));
        Environment { levels: levels.collect() }
    }

    /// The container whose environment this scope is.
    pub fn container(&self, scope: usize) -> Option<&'c Container> {
        self.containers.get(&scope).copied()
    }

    /// The file uses the variable itself.
    pub fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// The first device of the file whose name is this one and more digits.
    pub fn longer_device(&self, name: &str) -> Option<&'c str> {
        self.longer_devices.get(name).copied()
    }
}

/// No host has devices with longer numbers.
const MOST_DIGITS: usize = 4;

/// More names with one beginning are not looked at together: NCCL reads some sixty.
const MOST_STARTING: usize = 128;

/// The settings that a process sees: its own scope before those around it.
pub struct Environment<'f, 'c> {
    levels: Vec<&'f BTreeMap<&'c str, Option<&'c Setting>>>,
}

impl<'c> Environment<'_, 'c> {
    /// The setting of this name.
    pub fn get(&self, name: &str) -> Option<&'c Setting> {
        self.levels.iter().find_map(|level| level.get(name)).copied().flatten()
    }

    /// The text of the setting of this name.
    pub fn text(&self, name: &str) -> Option<&'c str> {
        self.get(name)?.value.text()
    }

    /// The settings whose names begin so, in the order of the names.
    pub fn starting(&self, start: &str) -> Vec<&'c Setting> {
        let mut found: BTreeMap<&str, Option<&Setting>> = BTreeMap::new();
        for level in &self.levels {
            let of_level = level.range(start..).take_while(|(name, _)| name.starts_with(start));
            for (name, setting) in of_level.take(MOST_STARTING) {
                found.entry(name).or_insert(*setting);
            }
        }
        found.into_values().flatten().take(MOST_STARTING).collect()
    }
}

/// The names behind `$` and `${` in a line.
fn names_used(line: &str) -> impl Iterator<Item = &str> {
    line.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_a_shell_ends_them() {
        let names = |line| names_used(line).collect::<Vec<_>>();
        assert_eq!(names("a=$B c=${D:-3} $E_F/g $"), ["B", "D", "E_F", ""]);
        assert_eq!(names("nothing"), Vec::<&str>::new());
    }

    #[test]
    fn a_process_sees_its_own_scope_first() {
        let text = b"export NCCL_IB_TC=1\nexport NCCL_IB_SL=2\nNCCL_IB_TC=3 ./run\n";
        let source = crate::lint::read("a.sh", text, None).unwrap();
        let facts = Facts::of(&source);
        let inner = source.settings.iter().find(|setting| setting.value.text() == Some("3")).unwrap();
        let environment = facts.environment(inner.scope);
        assert_eq!((environment.text("NCCL_IB_TC"), environment.text("NCCL_IB_SL")), (Some("3"), Some("2")));
        let texts: Vec<_> =
            environment.starting("NCCL_IB_").iter().filter_map(|setting| setting.value.text()).collect();
        assert_eq!(texts, ["2", "3"]);
    }
}
