//! The sections of a `History` above its timeline: the problems at a time, and the candidates for a cause.

use jiff::Timestamp;

use crate::render::words;
use crate::report::history::History;
use crate::report::history_moment::{PastLimit, PastProblem};
use ucp_core::model::text::one_line;
use ucp_features::history::{ChangeSort, Confidence, OccurrenceCertainty};

/// A time with its day.
const MOMENT: &str = "%a %d %b %H:%M:%S";

impl History {
    /// Returns the sections above the timeline.
    pub(super) fn sections(&self) -> Vec<Vec<(usize, String)>> {
        [self.moment_lines(), self.cause_lines()].into_iter().filter(|lines| !lines.is_empty()).collect()
    }

    fn cause_lines(&self) -> Vec<(usize, String)> {
        let Some(cause) = &self.cause else { return Vec::new() };
        let mut lines = vec![(0, format!("Cause of {}: {}", words::object(&cause.object), cause.conclusion))];
        if let Some(failure) = cause.first_failure.and_then(|id| self.item(id)) {
            let when = format!("{} {}", self.day(failure.time), self.when(failure));
            let name = if failure.change == ChangeSort::TurnedGood { "it healed" } else { "first failure" };
            lines.push((1, format!("{name}: {when}: {}", self.sentence(failure))));
        }
        if self.items.iter().any(|item| item.until.unwrap_or(item.time) < self.from) {
            lines.push((1, "the search covers all data, not only the period below".to_owned()));
        }
        for (number, candidate) in self.candidates.iter().flatten().enumerate() {
            let Some(item) = self.item(candidate.id) else { continue };
            let confidence = match candidate.confidence {
                Confidence::Likely => "likely",
                Confidence::Possible => "possible",
                Confidence::Unlikely => "unlikely",
            };
            let sentence = self.sentence(item);
            let when = format!("{} {}", self.day(item.time), self.when(item));
            lines.push((1, format!("{}. {confidence}: {when} {sentence}", number + 1)));
            lines.extend(candidate.evidence_for.iter().map(|evidence| (2, format!("+ {}", one_line(evidence)))));
            lines.extend(candidate.evidence_against.iter().map(|evidence| (2, format!("- {}", one_line(evidence)))));
        }
        lines
    }

    fn moment_lines(&self) -> Vec<(usize, String)> {
        let Some(at) = &self.at else { return Vec::new() };
        let time = self.format(at.time, "%a %d %b %Y %H:%M");
        let mut lines = match at.wrong.len() {
            0 => vec![(0, format!("At {time}: no problem is known"))],
            number => vec![(0, format!("At {time}: {}", words::count(number, "problems")))],
        };
        lines.extend(at.wrong.iter().map(|problem| (1, self.problem_line(problem, at.snapshot))));
        let limit = |limit: &PastLimit| limit.to_words(|time| self.format(time, MOMENT));
        lines.extend(at.limits.iter().map(|one| (1, format!("limit: {}", one_line(&limit(one))))));
        lines
    }

    fn problem_line(&self, problem: &PastProblem, snapshot: Option<Timestamp>) -> String {
        let time = |time| self.format(time, MOMENT);
        let certainty = match (problem.certainty, snapshot) {
            (OccurrenceCertainty::Exact, _) => String::new(),
            (OccurrenceCertainty::Between, Some(seen)) => format!("last seen {}: ", time(seen)),
            (OccurrenceCertainty::AtLatest | OccurrenceCertainty::Between, _) => "perhaps: ".to_owned(),
        };
        let since = problem.since.map(|since| format!(", since {}", time(since))).unwrap_or_default();
        let until = problem.until.map(|until| format!(", until {}", time(until))).unwrap_or_default();
        format!("{certainty}{} {}{since}{until}", words::object(&problem.object), one_line(&problem.what))
    }
}
