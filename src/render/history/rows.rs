//! The rows of a `History` in the order of the timeline: the newest change first, its effects after it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::report::history::{History, HistoryItem};
use ucp_core::model::object::ObjectName;
use ucp_features::history::{ChangeSort, HistoryGap};

/// A row of the timeline.
pub(super) enum TimelineRow<'a> {
    Item(&'a HistoryItem, usize),
    Gap(&'a HistoryGap),
}

/// A row of the timeline for a list of one line per row, as safe text.
#[derive(Debug, Clone)]
pub struct HistoryRow {
    /// The time; for a gap, its end.
    pub time: Timestamp,
    /// The time as text, in the zone of the document, with the day if it is not the last one.
    pub when: String,
    /// The number of causes above it.
    pub level: usize,
    /// The object; `None` for a gap.
    pub object: Option<ObjectName>,
    /// What happened, without the object.
    pub what: String,
    /// The sort of change; `None` for a gap.
    pub change: Option<ChangeSort>,
}

impl History {
    /// Returns the rows of the timeline, the newest first; effects follow their cause, the oldest first.
    pub(super) fn rows(&self) -> Vec<TimelineRow<'_>> {
        let mut effects: BTreeMap<Option<usize>, Vec<&HistoryItem>> = BTreeMap::new();
        for item in self.items.iter().rev() {
            effects.entry(item.caused_by).or_default().push(item);
        }
        let mut rows = Vec::new();
        let mut gaps = self.gaps.iter().peekable();
        for item in effects.get(&None).into_iter().flatten().rev() {
            while let Some(gap) = gaps.next_if(|gap| gap.to >= item.time) {
                rows.push(TimelineRow::Gap(gap));
            }
            add_with_effects(item, 0, &effects, &mut rows);
        }
        rows.extend(gaps.map(TimelineRow::Gap));
        rows
    }

    /// Returns one row for each occurrence and gap, in the order of the text output.
    pub fn list_rows(&self) -> Vec<HistoryRow> {
        let last_day = self.day(self.to);
        let when = |time: Timestamp, clock: String| match self.day(time) == last_day {
            true => clock,
            false => format!("{} {clock}", self.format(time, "%d %b")),
        };
        let rows = self.rows().into_iter().map(|row| match row {
            TimelineRow::Item(item, level) => {
                let also = if item.also.is_empty() { String::new() } else { format!("and {} more ", item.also.len()) };
                HistoryRow {
                    time: item.time,
                    when: when(item.time, self.when(item)),
                    level,
                    object: Some(item.object.clone()),
                    what: format!("{also}{}", self.predicate(item)),
                    change: Some(item.change),
                }
            }
            TimelineRow::Gap(gap) => HistoryRow {
                time: gap.to,
                when: "?".to_owned(),
                level: 0,
                object: None,
                what: self.gap_line(gap),
                change: None,
            },
        });
        rows.collect()
    }
}

fn add_with_effects<'a>(
    item: &'a HistoryItem,
    level: usize,
    effects: &BTreeMap<Option<usize>, Vec<&'a HistoryItem>>,
    rows: &mut Vec<TimelineRow<'a>>,
) {
    rows.push(TimelineRow::Item(item, level));
    for effect in effects.get(&Some(item.id)).into_iter().flatten() {
        add_with_effects(effect, level + 1, effects, rows);
    }
}
