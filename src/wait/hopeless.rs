//! How long objects have been without hope, from one look to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::model::object::ObjectName;

/// Since when each object has been without hope, without a break.
#[derive(Debug, Default)]
pub struct Hopeless {
    since: BTreeMap<ObjectName, Instant>,
}

impl Hopeless {
    /// Notes a look: which objects are without hope now. Whatever else was has recovered.
    pub fn note<'a>(&mut self, objects: impl IntoIterator<Item = &'a ObjectName>, now: Instant) {
        let objects: BTreeSet<&ObjectName> = objects.into_iter().collect();
        self.since.retain(|object, _| objects.contains(object));
        for object in objects {
            self.since.entry(object.clone()).or_insert(now);
        }
    }

    /// For how long the one has been that has been so for longest; `None` where there is hope for all.
    pub fn longest(&self, now: Instant) -> Option<Duration> {
        self.since.values().min().map(|since| now.saturating_duration_since(*since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_an_object_starts_anew_when_it_has_recovered() {
        let object = |name: &str| ObjectName::secret("default", name);
        let (one, other) = (object("one"), object("other"));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut hopeless = Hopeless::default();
        assert_eq!(hopeless.longest(start), None);
        hopeless.note([&one], start);
        hopeless.note([&one, &other], after(10));
        assert_eq!(hopeless.longest(after(12)), Some(Duration::from_secs(12)));
        // The first has recovered, or somebody excuses it.
        hopeless.note([&other], after(20));
        assert_eq!(hopeless.longest(after(20)), Some(Duration::from_secs(10)));
        hopeless.note([&one, &other], after(30));
        assert_eq!(hopeless.longest(after(30)), Some(Duration::from_secs(20)));
        hopeless.note([], after(40));
        assert_eq!(hopeless.longest(after(40)), None);
        hopeless.note([&one], after(50));
        assert_eq!(hopeless.longest(after(50)), Some(Duration::ZERO));
    }
}
