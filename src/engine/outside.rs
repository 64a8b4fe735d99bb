//! What becomes of the thing that an object stands for when the object is removed or changed, as the engine's annotations
//! and fields say. Data; Crossplane's own policies are more than that.

use serde_json::Value;

/// What an engine does outside.
#[derive(Debug)]
pub struct Outside {
    /// Where the name of the thing stands, as JSON pointers; the first that is there.
    pub names: &'static [&'static str],
    /// What happens when the object is removed and no mark says otherwise.
    pub removal: Removal,
    /// Marks by which the thing is left alone when the object is removed.
    pub kept_by: &'static [Mark],
    /// Marks by which nothing outside is touched at all.
    pub held_by: &'static [Mark],
    /// Marks by which the engine does nothing, not even let the object go, until they are taken away.
    pub paused_by: &'static [Mark],
    /// Marks by which what differs outside is left as it is, until the object changes or goes.
    pub uncorrected_by: &'static [Mark],
    /// What the engine tells of the thing, as it saw it last.
    pub observed: Observed,
    /// What becomes of the thing when its object is lost and made anew.
    pub again: Again,
}

/// What an engine does about a thing that exists when an object for it is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It takes it over, by its name.
    Found,
    /// It takes it over by the identifier at this JSON pointer; where that is not said, by the object's own name.
    By(&'static str),
    /// It takes it over where the object has this annotation, and else fails or makes another one.
    OnlyWith(&'static str),
    /// It makes another one, for this reason.
    Never(&'static str),
}

/// What an engine tells of the thing that an object stands for, as it saw it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// Nothing that could be compared.
    Nothing,
    /// That it differs, as a verdict.
    Verdict,
    /// Its fields, under the names that they have in `spec`, below this JSON pointer.
    Fields(&'static str),
}

/// What happens outside when an object is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// The thing is deleted.
    Deletes,
    /// It is left alone, for this reason, but for where the mark stands.
    Keeps {
        /// Why, in words.
        why: &'static str,
        /// With it, the thing is deleted.
        but_for: Option<Mark>,
    },
}

/// A field or an annotation with one of some values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Its JSON pointer.
    pub at: &'static str,
    /// Its values; `true` is that of a boolean, too.
    pub values: &'static [&'static str],
}

impl Mark {
    /// A mark.
    pub const fn new(at: &'static str, values: &'static [&'static str]) -> Self {
        Self { at, values }
    }

    /// The mark in words, where an object has it.
    fn on(&self, object: &Value) -> Option<String> {
        let found = self.value(object).filter(|found| self.values.contains(&found.as_str()))?;
        Some(format!("{} is {found}", self.name()))
    }

    /// What an object says there, mark or not.
    fn value(&self, object: &Value) -> Option<String> {
        match object.pointer(self.at)? {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    fn name(&self) -> String {
        let name = self.at.trim_start_matches("/metadata/annotations/").trim_start_matches('/');
        name.replace('/', ".").replace("~1", "/")
    }
}

impl Outside {
    /// Where nothing is known but that removal deletes.
    pub const DELETES: Self = Self {
        names: &[],
        removal: Removal::Deletes,
        kept_by: &[],
        held_by: &[],
        paused_by: &[],
        uncorrected_by: &[],
        observed: Observed::Nothing,
        again: Again::Found,
    };

    /// The name of the thing.
    pub fn name(&self, object: &Value) -> Option<String> {
        let text =
            |pointer: &&str| object.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        self.names.iter().find_map(text)
    }

    /// Why nothing outside is touched, whatever is changed.
    pub fn held(&self, object: &Value) -> Option<String> {
        self.paused(object).or_else(|| on(self.held_by, object))
    }

    /// The mark by which the engine only reads what is outside, however long the object lives.
    pub fn only_reads(&self, object: &Value) -> Option<&Mark> {
        self.held_by.iter().find(|mark| mark.on(object).is_some())
    }

    /// Why what differs outside stays as it is.
    pub fn uncorrected(&self, object: &Value) -> Option<String> {
        self.held(object).or_else(|| on(self.uncorrected_by, object))
    }

    /// Why the engine does nothing with the object for now.
    pub fn paused(&self, object: &Value) -> Option<String> {
        on(self.paused_by, object)
    }

    /// What the object says where marks stand, each once: `NAME=VALUE`.
    pub fn said(&self, object: &Value) -> Vec<String> {
        let mut said = Vec::new();
        for mark in [self.paused_by, self.held_by, self.uncorrected_by, self.kept_by].into_iter().flatten() {
            let text = mark.value(object).map(|value| format!("{}={value}", mark.name()));
            said.extend(text.filter(|text| !said.contains(text)));
        }
        said
    }

    /// Why the thing stays when the object is removed.
    pub fn kept(&self, object: &Value) -> Option<String> {
        if let Some(mark) = self.held(object).or_else(|| on(self.kept_by, object)) {
            return Some(mark);
        }
        match self.removal {
            Removal::Deletes => None,
            Removal::Keeps { but_for: Some(mark), .. } if mark.on(object).is_some() => None,
            Removal::Keeps { why, .. } => Some(why.to_owned()),
        }
    }
}

/// The first of some marks that an object has, in words.
fn on(marks: &[Mark], object: &Value) -> Option<String> {
    marks.iter().find_map(|mark| mark.on(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_decide_what_stays() {
        const OUTSIDE: Outside = Outside {
            names: &["/status/id", "/metadata/name"],
            removal: Removal::Deletes,
            kept_by: &[Mark::new("/metadata/annotations/example.org~1deletion-policy", &["retain"])],
            held_by: &[Mark::new("/spec/suspend", &["true"])],
            paused_by: &[Mark::new("/spec/paused", &["true"])],
            uncorrected_by: &[Mark::new("/spec/interval", &["0"])],
            observed: Observed::Nothing,
            again: Again::Found,
        };
        let object = json!({"metadata": {"name": "a", "annotations": {"example.org/deletion-policy": "retain"}}});
        assert_eq!(OUTSIDE.kept(&object).as_deref(), Some("example.org/deletion-policy is retain"));
        assert_eq!(OUTSIDE.held(&object), None);
        assert_eq!(OUTSIDE.name(&object).as_deref(), Some("a"));
        let suspended = json!({"spec": {"suspend": true}, "status": {"id": "x"}});
        assert_eq!(OUTSIDE.kept(&suspended).as_deref(), Some("spec.suspend is true"));
        assert_eq!(OUTSIDE.name(&suspended).as_deref(), Some("x"));
        assert_eq!(OUTSIDE.kept(&json!({})), None);
        let paused = json!({"spec": {"paused": true}});
        assert_eq!(OUTSIDE.paused(&paused).as_deref(), Some("spec.paused is true"));
        assert_eq!((OUTSIDE.paused(&suspended), OUTSIDE.held(&paused)), (None, OUTSIDE.paused(&paused)));
        // A pause ends; what only reads does so for good.
        assert!(OUTSIDE.only_reads(&suspended).is_some() && OUTSIDE.only_reads(&paused).is_none());
        // What is not corrected is changed and deleted all the same.
        let unwatched = json!({"spec": {"interval": "0"}});
        assert_eq!(OUTSIDE.uncorrected(&unwatched).as_deref(), Some("spec.interval is 0"));
        assert_eq!((OUTSIDE.held(&unwatched), OUTSIDE.kept(&unwatched)), (None, None));
        assert_eq!(OUTSIDE.said(&unwatched), ["spec.interval=0"]);
        assert_eq!(OUTSIDE.uncorrected(&suspended), OUTSIDE.held(&suspended));
    }

    #[test]
    fn a_mark_with_several_meanings_is_said_once() {
        const MARK: &[Mark] = &[Mark::new("/spec/mode", &["off"])];
        const OUTSIDE: Outside = Outside { held_by: MARK, kept_by: MARK, ..Outside::DELETES };
        assert_eq!(OUTSIDE.said(&json!({"spec": {"mode": "off"}})), ["spec.mode=off"]);
    }

    #[test]
    fn some_engines_keep_what_nobody_asked_them_to_destroy() {
        const DESTROY: Mark = Mark::new("/spec/destroyResourcesOnDeletion", &["true"]);
        const OUTSIDE: Outside =
            Outside { removal: Removal::Keeps { why: "by default", but_for: Some(DESTROY) }, ..Outside::DELETES };
        assert_eq!(OUTSIDE.kept(&json!({"spec": {}})).as_deref(), Some("by default"));
        assert_eq!(OUTSIDE.kept(&json!({"spec": {"destroyResourcesOnDeletion": true}})), None);
    }
}
