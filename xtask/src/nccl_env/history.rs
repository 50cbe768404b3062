//! The variables over all releases.

use std::collections::BTreeMap;

use super::guide::Guide;
use super::release::Reading;

/// What the sources and the guide say about a variable: the mechanical fields of its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub name: String,
    /// None for one that is read as text.
    pub kind: Option<String>,
    pub scope: String,
    pub documented: bool,
    pub category: Option<String>,
    pub first: String,
    pub last: Option<String>,
    pub file: String,
    /// (release, default), wherever the default changed.
    pub defaults: Vec<(String, String)>,
}

/// Stands for the default in releases between two that read the variable.
const ABSENT: &str = "absent";

/// The readings of all releases, added oldest first.
#[derive(Default)]
pub struct History {
    releases: Vec<String>,
    /// Name -> (index of the release, reading), oldest first.
    readings: BTreeMap<String, Vec<(usize, Reading)>>,
}

impl History {
    /// Adds the next release.
    pub fn add(&mut self, release: &str, readings: BTreeMap<String, Reading>) {
        for (name, reading) in readings {
            self.readings.entry(name).or_default().push((self.releases.len(), reading));
        }
        self.releases.push(release.to_string());
    }

    /// One record a variable, by name.
    pub fn records(&self, guide: &Guide) -> BTreeMap<&str, Record> {
        let record = |(name, readings): (&'_ String, &Vec<_>)| self.record(name, readings, guide);
        self.readings.iter().filter_map(|entry| Some((entry.0.as_str(), record(entry)?))).collect()
    }

    fn record(&self, name: &str, readings: &[(usize, Reading)], guide: &Guide) -> Option<Record> {
        let ((first, _), (last, newest)) = (readings.first()?, readings.last()?);
        Some(Record {
            name: name.to_string(),
            kind: newest.kind.clone(),
            scope: newest.scope.to_string(),
            documented: guide.describes(name),
            category: guide.category(name).map(str::to_string),
            first: self.releases[*first].clone(),
            last: (last + 1 < self.releases.len()).then(|| self.releases[*last].clone()),
            file: newest.file.clone(),
            defaults: self.defaults(readings),
        })
    }

    fn defaults(&self, readings: &[(usize, Reading)]) -> Vec<(String, String)> {
        let mut defaults: Vec<(String, String)> = Vec::new();
        let mut change = |release: usize, default: &str| {
            if defaults.last().is_none_or(|(_, last)| last != default) {
                defaults.push((self.releases[release].clone(), default.to_string()));
            }
        };
        let mut expected = readings.first().map_or(0, |(first, _)| *first);
        for (release, reading) in readings {
            if *release > expected {
                change(expected, ABSENT);
            }
            change(*release, &reading.default);
            expected = release + 1;
        }
        defaults
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::History;
    use crate::nccl_env::guide::Guide;
    use crate::nccl_env::release::Reading;
    use crate::nccl_env::sources::Scope;

    fn history(defaults: &[Option<&str>]) -> History {
        let mut history = History::default();
        for (number, default) in defaults.iter().enumerate() {
            let readings = default.map(|default| {
                let reading = Reading {
                    file: format!("src/{number}.cc"),
                    scope: Scope::Core,
                    kind: Some("int-param".into()),
                    default: default.into(),
                };
                ("NCCL_A".to_string(), reading)
            });
            history.add(&format!("2.{number}.1"), readings.into_iter().collect::<BTreeMap<_, _>>());
        }
        history
    }

    #[test]
    fn first_last_and_changes() {
        let history = history(&[None, Some("0"), Some("0"), Some("1"), None]);
        let record = &history.records(&Guide::parse("NCCL_A\n------\n"))["NCCL_A"];
        assert_eq!((record.first.as_str(), record.last.as_deref()), ("2.1.1", Some("2.3.1")));
        assert_eq!(record.file, "src/3.cc");
        assert!(record.documented);
        assert_eq!(record.defaults, [("2.1.1".into(), "0".into()), ("2.3.1".into(), "1".into())]);
    }

    #[test]
    fn a_gap_shows() {
        let history = history(&[Some("0"), None, None, Some("0")]);
        let record = &history.records(&Guide::parse(""))["NCCL_A"];
        assert_eq!(record.last, None);
        let defaults: Vec<String> = record.defaults.iter().map(|(since, value)| format!("{since} {value}")).collect();
        assert_eq!(defaults, ["2.0.1 0", "2.1.1 absent", "2.3.1 0"]);
    }
}
