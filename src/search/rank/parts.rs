//! The best parts for a question, several of a section.

use super::{Hit, LINE, Outcome, Ranking, Searcher};
use crate::search::index::Unit;

/// What a part counts of whose section a better part is there already: one question seldom needs two parts of a section.
const FURTHER: f32 = 0.5;

/// What a part must score, as a share of the best: below it is what merely shares a word.
const LEAST: f32 = 0.35;

impl Searcher<'_> {
    /// As [`search`](Self::search), with further parts of the same sections in between, where they answer better than what comes next.
    pub fn search_parts(&self, question: &str, most: usize) -> Outcome {
        let mut outcome = self.search(question, None, most);
        if outcome.hits.is_empty() {
            return outcome;
        }
        let further = self.further_parts(&self.rank(question, None), &outcome.hits);
        let (first, others) = outcome.hits.split_first_mut().expect("there is a hit");
        let mut rest: Vec<Hit> = others.iter().cloned().chain(further).collect();
        rest.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
        // A name and a log line have scores of their own kind: what follows them is compared with the best of the others.
        let best = if first.score >= LINE { rest.first().map_or(0.0, |hit| hit.score) } else { first.score };
        rest.retain(|hit| hit.score >= LEAST * best);
        outcome.hits.truncate(1);
        outcome.hits.extend(rest);
        outcome.hits.truncate(most);
        outcome
    }

    /// All other parts of the sections of `hits`.
    fn further_parts(&self, ranking: &Ranking, hits: &[Hit]) -> Vec<Hit> {
        let mut further = Vec::new();
        let mut section_score = 0.0;
        for (number, unit_score) in ranking.scores.units[..self.index.first_asked()].iter().enumerate() {
            let unit = match self.index.unit(number) {
                Unit::Section(section) => {
                    section_score = self.section_score(unit_score);
                    Unit::Part(section, 0)
                }
                Unit::Part(section, place) => Unit::Part(section, place),
                Unit::Variable(_) | Unit::Other(_) | Unit::Asked(_) => continue,
            };
            let is_of_hit = hits.iter().any(|hit| hit.unit.section() == unit.section());
            if !is_of_hit || hits.iter().any(|hit| hit.unit == unit) {
                continue;
            }
            let own = if matches!(unit, Unit::Part(_, 0)) {
                section_score
            } else {
                self.part_score(unit_score, section_score, &ranking.scores)
            };
            further.push(Hit { unit, score: FURTHER * own, rows: Vec::new(), matched: number });
        }
        further
    }
}
