//! What is still waited for, on a terminal.

use std::time::Duration;

use super::timeout::Deadline;
use crate::cli::Context;
use crate::model::text::one_line;
use crate::model::time::human_duration;
use crate::ui::progress::Lines;
use crate::wait::{Goal, Item, Outlook, Survey};

/// Objects that have a line of their own.
const SHOWN: usize = 5;

/// Lines that say what is missing, and go away at the end.
pub(super) struct Waiting {
    lines: Lines,
    goal: Goal,
}

impl Waiting {
    pub(super) fn start(context: &Context, goal: Goal) -> Self {
        let waiting = Self { lines: context.ui.lines(), goal };
        waiting.lines.show(&["connecting …".to_owned()]);
        waiting
    }

    /// Whether somebody sees it.
    pub(super) fn is_seen(&self) -> bool {
        self.lines.are_seen()
    }

    pub(super) fn show(&self, survey: &Survey, deadline: Deadline) {
        if self.is_seen() {
            self.lines.show(&lines(survey, self.goal, deadline.elapsed(), deadline.left()));
        }
    }
}

fn lines(survey: &Survey, goal: Goal, elapsed: Duration, left: Option<Duration>) -> Vec<String> {
    let seconds = |duration: Duration| human_duration(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX));
    let open: Vec<&Item> = survey.open().collect();
    let left = left.map(|left| format!(", {} left", seconds(left))).unwrap_or_default();
    let reached = survey.items.iter().filter(|item| item.outlook == Outlook::Reached).count();
    let what = match survey.items.len() {
        0 => "nothing matches yet".to_owned(),
        total => format!("{reached} of {total} {goal}"),
    };
    let mut lines = vec![format!("{what} after {}{left}", seconds(elapsed))];
    for item in open.iter().take(SHOWN) {
        let verdict = item.verdict.map_or("–", |verdict| verdict.as_str());
        let why = item.message.as_deref().map(one_line).unwrap_or_default();
        lines.push(format!("  {verdict:<11} {}  {why}", one_line(&item.object.to_string())));
    }
    if open.len() > SHOWN {
        lines.push(format!("  and {} more", open.len() - SHOWN));
    }
    lines
}
