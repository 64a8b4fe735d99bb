//! The effect of deletions and changes of an object on its external resource, as defined by the engine's annotations
//! and fields. Data only; Crossplane's own policies are more complex.

use serde_json::Value;

/// The rules by which an engine manages external resources.
#[derive(Debug)]
pub struct ExternalPolicy {
    /// JSON pointers to the name of the external resource; the first one present is used.
    pub names: &'static [&'static str],
    /// The action on deletion of the object, unless a mark overrides it.
    pub removal: DeletionPolicy,
    /// Marks that keep the external resource when the object is deleted.
    pub kept_by: &'static [FieldMark],
    /// Marks that disable all external actions.
    pub held_by: &'static [FieldMark],
    /// Marks that pause the engine, including the removal of its finalizer, until they are removed.
    pub paused_by: &'static [FieldMark],
    /// Marks that disable the correction of external drift until the object is changed or deleted.
    pub uncorrected_by: &'static [FieldMark],
    /// The last observed state of the external resource.
    pub observed: ObservedState,
    /// The behavior when a lost object is created again and its external resource still exists.
    pub again: RecreationPolicy,
}

/// The behavior of an engine when an object is created whose external resource already exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecreationPolicy {
    /// Adopts it by its name.
    Found,
    /// Adopts it by the identifier at this JSON pointer; by the object's own name if the field is absent.
    By(&'static str),
    /// Adopts it if the object has this annotation; otherwise, fails or creates another one.
    OnlyWith(&'static str),
    /// Creates another one, for this reason.
    Never(&'static str),
}

/// The state of an external resource that its engine last observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedState {
    /// No comparable state.
    Nothing,
    /// A verdict that reports drift.
    Verdict,
    /// Fields with the same names as in `spec`, below this JSON pointer.
    Fields(&'static str),
}

/// The action on an external resource when its object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// The external resource is deleted.
    Deletes,
    /// The external resource is kept, for this reason, unless the object has the mark.
    Keeps {
        /// The reason, as text.
        why: &'static str,
        /// The mark with which the external resource is deleted.
        but_for: Option<FieldMark>,
    },
}

/// A field or an annotation with one of several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldMark {
    /// The JSON pointer to the field.
    pub at: &'static str,
    /// The values; `true` also matches a boolean.
    pub values: &'static [&'static str],
}

impl FieldMark {
    /// Creates a mark.
    pub const fn new(at: &'static str, values: &'static [&'static str]) -> Self {
        Self { at, values }
    }

    /// Returns a description of the mark if the object has it.
    fn describe_match(&self, object: &Value) -> Option<String> {
        let found = self.value(object).filter(|found| self.values.contains(&found.as_str()))?;
        Some(format!("{} is {found}", self.name()))
    }

    /// Returns the value of the field, even if it does not match.
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

impl ExternalPolicy {
    /// The rules of an engine for which only deletion is known.
    pub const DELETES: Self = Self {
        names: &[],
        removal: DeletionPolicy::Deletes,
        kept_by: &[],
        held_by: &[],
        paused_by: &[],
        uncorrected_by: &[],
        observed: ObservedState::Nothing,
        again: RecreationPolicy::Found,
    };

    /// Returns the name of the external resource.
    pub fn name(&self, object: &Value) -> Option<String> {
        let text =
            |pointer: &&str| object.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        self.names.iter().find_map(text)
    }

    /// Returns the reason why external resources are not changed at all.
    pub fn inactive_reason(&self, object: &Value) -> Option<String> {
        self.pause_reason(object).or_else(|| on(self.held_by, object))
    }

    /// Returns the mark that makes the engine read-only for the lifetime of the object.
    pub fn read_only_mark(&self, object: &Value) -> Option<&FieldMark> {
        self.held_by.iter().find(|mark| mark.describe_match(object).is_some())
    }

    /// Returns the reason why external drift is not corrected.
    pub fn uncorrected_reason(&self, object: &Value) -> Option<String> {
        self.inactive_reason(object).or_else(|| on(self.uncorrected_by, object))
    }

    /// Returns the reason why the engine currently ignores the object.
    pub fn pause_reason(&self, object: &Value) -> Option<String> {
        on(self.paused_by, object)
    }

    /// Returns the values of all fields that are used by marks, without duplicates: `NAME=VALUE`.
    pub fn mark_values(&self, object: &Value) -> Vec<String> {
        let mut said = Vec::new();
        for mark in [self.paused_by, self.held_by, self.uncorrected_by, self.kept_by].into_iter().flatten() {
            let text = mark.value(object).map(|value| format!("{}={value}", mark.name()));
            said.extend(text.filter(|text| !said.contains(text)));
        }
        said
    }

    /// Returns the reason why the external resource is kept when the object is deleted.
    pub fn keep_reason(&self, object: &Value) -> Option<String> {
        if let Some(mark) = self.inactive_reason(object).or_else(|| on(self.kept_by, object)) {
            return Some(mark);
        }
        match self.removal {
            DeletionPolicy::Deletes => None,
            DeletionPolicy::Keeps { but_for: Some(mark), .. } if mark.describe_match(object).is_some() => None,
            DeletionPolicy::Keeps { why, .. } => Some(why.to_owned()),
        }
    }
}

/// Returns a description of the first mark that an object has.
fn on(marks: &[FieldMark], object: &Value) -> Option<String> {
    marks.iter().find_map(|mark| mark.describe_match(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_decide_whether_an_external_resource_is_kept() {
        const OUTSIDE: ExternalPolicy = ExternalPolicy {
            names: &["/status/id", "/metadata/name"],
            removal: DeletionPolicy::Deletes,
            kept_by: &[FieldMark::new("/metadata/annotations/example.org~1deletion-policy", &["retain"])],
            held_by: &[FieldMark::new("/spec/suspend", &["true"])],
            paused_by: &[FieldMark::new("/spec/paused", &["true"])],
            uncorrected_by: &[FieldMark::new("/spec/interval", &["0"])],
            observed: ObservedState::Nothing,
            again: RecreationPolicy::Found,
        };
        let object = json!({"metadata": {"name": "a", "annotations": {"example.org/deletion-policy": "retain"}}});
        assert_eq!(OUTSIDE.keep_reason(&object).as_deref(), Some("example.org/deletion-policy is retain"));
        assert_eq!(OUTSIDE.inactive_reason(&object), None);
        assert_eq!(OUTSIDE.name(&object).as_deref(), Some("a"));
        let suspended = json!({"spec": {"suspend": true}, "status": {"id": "x"}});
        assert_eq!(OUTSIDE.keep_reason(&suspended).as_deref(), Some("spec.suspend is true"));
        assert_eq!(OUTSIDE.name(&suspended).as_deref(), Some("x"));
        assert_eq!(OUTSIDE.keep_reason(&json!({})), None);
        let paused = json!({"spec": {"paused": true}});
        assert_eq!(OUTSIDE.pause_reason(&paused).as_deref(), Some("spec.paused is true"));
        assert_eq!(
            (OUTSIDE.pause_reason(&suspended), OUTSIDE.inactive_reason(&paused)),
            (None, OUTSIDE.pause_reason(&paused))
        );
        // A pause is temporary; a read-only mark is permanent.
        assert!(OUTSIDE.read_only_mark(&suspended).is_some() && OUTSIDE.read_only_mark(&paused).is_none());
        // Without correction, changes and deletions are still applied.
        let unwatched = json!({"spec": {"interval": "0"}});
        assert_eq!(OUTSIDE.uncorrected_reason(&unwatched).as_deref(), Some("spec.interval is 0"));
        assert_eq!((OUTSIDE.inactive_reason(&unwatched), OUTSIDE.keep_reason(&unwatched)), (None, None));
        assert_eq!(OUTSIDE.mark_values(&unwatched), ["spec.interval=0"]);
        assert_eq!(OUTSIDE.uncorrected_reason(&suspended), OUTSIDE.inactive_reason(&suspended));
    }

    #[test]
    fn a_mark_with_several_meanings_is_listed_once() {
        const MARK: &[FieldMark] = &[FieldMark::new("/spec/mode", &["off"])];
        const OUTSIDE: ExternalPolicy = ExternalPolicy { held_by: MARK, kept_by: MARK, ..ExternalPolicy::DELETES };
        assert_eq!(OUTSIDE.mark_values(&json!({"spec": {"mode": "off"}})), ["spec.mode=off"]);
    }

    #[test]
    fn a_resource_is_kept_unless_its_destroy_mark_is_set() {
        const DESTROY: FieldMark = FieldMark::new("/spec/destroyResourcesOnDeletion", &["true"]);
        const OUTSIDE: ExternalPolicy = ExternalPolicy {
            removal: DeletionPolicy::Keeps { why: "by default", but_for: Some(DESTROY) },
            ..ExternalPolicy::DELETES
        };
        assert_eq!(OUTSIDE.keep_reason(&json!({"spec": {}})).as_deref(), Some("by default"));
        assert_eq!(OUTSIDE.keep_reason(&json!({"spec": {"destroyResourcesOnDeletion": true}})), None);
    }
}
