//! The objects that a wait still waits for, on a terminal.

use std::time::Duration;

use super::aim::WaitAim;
use super::timeout::Deadline;
use crate::cli::Context;
use crate::report::wait::WaitItem;
use crate::ui::progress::LiveLines;
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::one_line;
use ucp_core::model::time::human_duration;
use ucp_core::model::verdict::Verdict;
use ucp_features::wait::{WaitOutlook, WaitSurvey};

/// Number of objects with a line of their own.
const SHOWN: usize = 5;

/// Lines that show the open objects, and are removed at the end.
pub(super) struct WaitDisplay {
    lines: LiveLines,
    aim: WaitAim,
}

impl WaitDisplay {
    pub(super) fn start(context: &Context, aim: WaitAim) -> Self {
        let waiting = Self { lines: context.ui.lines(), aim };
        waiting.lines.show(&["connecting …".to_owned()]);
        waiting
    }

    /// Returns true if the lines are visible.
    pub(super) fn is_seen(&self) -> bool {
        self.lines.is_visible()
    }

    pub(super) fn show(&self, survey: &WaitSurvey, deadline: Deadline) {
        if self.is_seen() {
            let open = survey.open().map(|item| OpenObject {
                object: &item.object,
                verdict: item.verdict,
                message: item.message.as_deref(),
            });
            let counted =
                (survey.items.len(), survey.items.iter().filter(|item| item.outlook == WaitOutlook::Reached).count());
            self.lines.show(&lines(open.collect(), counted, self.aim, deadline));
        }
    }

    /// Shows the open copies of Secrets.
    pub(super) fn show_items(&self, items: &[WaitItem], deadline: Deadline) {
        if self.is_seen() {
            let open = items.iter().filter(|item| !item.reached).map(|item| OpenObject {
                object: &item.object,
                verdict: item.verdict,
                message: item.message.as_deref(),
            });
            let counted = (items.len(), items.iter().filter(|item| item.reached).count());
            self.lines.show(&lines(open.collect(), counted, self.aim, deadline));
        }
    }
}

/// An object that has not reached the goal.
struct OpenObject<'a> {
    object: &'a ObjectName,
    verdict: Option<Verdict>,
    message: Option<&'a str>,
}

fn lines(open: Vec<OpenObject<'_>>, (total, reached): (usize, usize), aim: WaitAim, deadline: Deadline) -> Vec<String> {
    let seconds = |duration: Duration| human_duration(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX));
    let (elapsed, left) = (deadline.elapsed(), deadline.remaining());
    let left = left.map(|left| format!(", {} left", seconds(left))).unwrap_or_default();
    let what = match total {
        0 => "nothing matches yet".to_owned(),
        total => format!("{reached} of {total} {aim}"),
    };
    let mut lines = vec![format!("{what} after {}{left}", seconds(elapsed))];
    for item in open.iter().take(SHOWN) {
        let verdict = item.verdict.map_or("–", |verdict| verdict.as_str());
        let why = item.message.map(one_line).unwrap_or_default();
        lines.push(format!("  {verdict:<11} {}  {why}", one_line(&item.object.to_string())));
    }
    if open.len() > SHOWN {
        lines.push(format!("  and {} more", open.len() - SHOWN));
    }
    lines
}
