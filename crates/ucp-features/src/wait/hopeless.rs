//! Tracks the time for which objects have been hopeless, across polls.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use ucp_core::model::object::ObjectName;

/// The start of each object's uninterrupted hopeless time.
#[derive(Debug, Default)]
pub struct HopelessTimes {
    since: BTreeMap<ObjectName, Instant>,
}

impl HopelessTimes {
    /// Records the objects that are hopeless at a poll. All others have recovered.
    pub fn record<'a>(&mut self, objects: impl IntoIterator<Item = &'a ObjectName>, now: Instant) {
        let objects: BTreeSet<&ObjectName> = objects.into_iter().collect();
        self.since.retain(|object, _| objects.contains(object));
        for object in objects {
            self.since.entry(object.clone()).or_insert(now);
        }
    }

    /// Returns the longest time that any object has been hopeless; `None` if none is.
    pub fn longest_hopeless(&self, now: Instant) -> Option<Duration> {
        self.since.values().min().map(|since| now.saturating_duration_since(*since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_an_object_restarts_after_it_recovered() {
        let object = |name: &str| ObjectName::secret("default", name);
        let (one, other) = (object("one"), object("other"));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut hopeless = HopelessTimes::default();
        assert_eq!(hopeless.longest_hopeless(start), None);
        hopeless.record([&one], start);
        hopeless.record([&one, &other], after(10));
        assert_eq!(hopeless.longest_hopeless(after(12)), Some(Duration::from_secs(12)));
        // The first has recovered, or is excused.
        hopeless.record([&other], after(20));
        assert_eq!(hopeless.longest_hopeless(after(20)), Some(Duration::from_secs(10)));
        hopeless.record([&one, &other], after(30));
        assert_eq!(hopeless.longest_hopeless(after(30)), Some(Duration::from_secs(20)));
        hopeless.record([], after(40));
        assert_eq!(hopeless.longest_hopeless(after(40)), None);
        hopeless.record([&one], after(50));
        assert_eq!(hopeless.longest_hopeless(after(50)), Some(Duration::ZERO));
    }
}
