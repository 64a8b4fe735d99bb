//! Paths of fields in objects.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::failure::Failure;

/// Path from the root of an object to a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldPath(pub Vec<FieldPathStep>);

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldPathStep {
    /// The field with this name.
    Field(String),
    /// The list element with this index.
    Element(usize),
}

impl FieldPath {
    /// Returns the path of nested fields.
    pub fn from_fields(fields: &[&str]) -> Self {
        Self(fields.iter().map(|field| FieldPathStep::Field((*field).to_owned())).collect())
    }

    /// Returns the path with one more step.
    pub fn with_step(&self, step: FieldPathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Returns true if the path starts with these fields.
    pub fn starts_with(&self, fields: &[&str]) -> bool {
        self.0.len() >= fields.len()
            && fields
                .iter()
                .zip(&self.0)
                .all(|(field, step)| matches!(step, FieldPathStep::Field(name) if name == field))
    }

    /// Returns the value at the path.
    pub fn find<'value>(&self, root: &'value Value) -> Option<&'value Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            FieldPathStep::Field(name) => value.get(name),
            FieldPathStep::Element(index) => value.get(index),
        })
    }

    /// Returns the value that [`FieldPath::set`] just set.
    pub fn find_set<'value>(&self, root: &'value Value) -> Option<&'value Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            FieldPathStep::Field(name) => value.get(name),
            FieldPathStep::Element(index) => value.get(index).or_else(|| value.as_array()?.last()),
        })
    }

    /// Removes the value at the path.
    pub fn remove(&self, root: &mut Value) {
        let Some((last, way)) = self.0.split_last() else { return };
        let place = way.iter().try_fold(root, |value, step| match step {
            FieldPathStep::Field(name) => value.get_mut(name),
            FieldPathStep::Element(index) => value.get_mut(index),
        });
        match (place, last) {
            (Some(Value::Object(fields)), FieldPathStep::Field(name)) => {
                fields.remove(name);
            }
            (Some(Value::Array(items)), FieldPathStep::Element(index)) if *index < items.len() => {
                items.remove(*index);
            }
            _ => {}
        }
    }

    /// Appends an element to the list that contains the end of the path. The index in the path is ignored.
    pub fn append(&self, root: &mut Value, value: Value) {
        let Some((_, way)) = self.0.split_last() else { return };
        let mut end = Self(way.to_vec());
        end.0.push(FieldPathStep::Element(usize::MAX));
        end.set(root, value);
    }

    /// Sets the value at the path. Missing parents are created; lists grow at the end.
    pub fn set(&self, root: &mut Value, value: Value) {
        let place = self.0.iter().fold(root, |place, step| match step {
            FieldPathStep::Field(name) => {
                if !place.is_object() {
                    *place = Value::Object(serde_json::Map::new());
                }
                &mut place[name.as_str()]
            }
            FieldPathStep::Element(index) => {
                if !place.is_array() {
                    *place = Value::Array(Vec::new());
                }
                let Value::Array(items) = place else { unreachable!("it was made a list") };
                let index = (*index).min(items.len());
                if index == items.len() {
                    items.push(Value::Null);
                }
                &mut items[index]
            }
        });
        *place = value;
    }
}

impl fmt::Display for FieldPath {
    /// Formats with dots and indexes. A name that contains a dot, such as that of a label, is in brackets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                FieldPathStep::Element(index) => write!(formatter, "[{index}]")?,
                FieldPathStep::Field(name) if name.contains(['.', '[', ']']) => write!(formatter, "['{name}']")?,
                FieldPathStep::Field(name) if position == 0 => formatter.write_str(name)?,
                FieldPathStep::Field(name) => write!(formatter, ".{name}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Pattern of paths: `spec.forProvider.tags` including everything below, `spec.forProvider.rules[*].id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPattern(Vec<PatternStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternStep {
    Exactly(FieldPathStep),
    /// `*` or `[*]`: any one step.
    Any,
}

impl FieldPattern {
    /// Returns true if the path or a parent of it matches the pattern.
    pub fn covers(&self, path: &FieldPath) -> bool {
        self.0.len() <= path.0.len()
            && self.0.iter().zip(&path.0).all(|(pattern, step)| match pattern {
                PatternStep::Exactly(wanted) => wanted == step,
                PatternStep::Any => true,
            })
    }

    /// Removes all fields that the pattern matches.
    pub fn remove_from(&self, root: &mut Value) {
        remove_steps(&self.0, root);
    }
}

fn remove_steps(steps: &[PatternStep], value: &mut Value) {
    let Some((step, rest)) = steps.split_first() else { return };
    let is_field = |name: &str| {
        matches!(step, PatternStep::Any) || *step == PatternStep::Exactly(FieldPathStep::Field(name.to_owned()))
    };
    let is_element =
        |index: usize| matches!(step, PatternStep::Any) || *step == PatternStep::Exactly(FieldPathStep::Element(index));
    match value {
        Value::Object(fields) if rest.is_empty() => fields.retain(|name, _| !is_field(name)),
        Value::Object(fields) => {
            let matched = fields.iter_mut().filter(|(name, _)| is_field(name));
            matched.for_each(|(_, field)| remove_steps(rest, field));
        }
        Value::Array(items) if rest.is_empty() => {
            let mut index = 0..;
            items.retain(|_| !index.next().is_some_and(is_element));
        }
        Value::Array(items) => {
            let matched = items.iter_mut().enumerate().filter(|(index, _)| is_element(*index));
            matched.for_each(|(_, item)| remove_steps(rest, item));
        }
        _ => {}
    }
}

impl FromStr for FieldPattern {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("'{text}' is not a path such as spec.forProvider.tags or spec.forProvider.rules[*].id");
        let mut steps = Vec::new();
        let mut rest = text.strip_prefix('.').unwrap_or(text);
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix("['") {
                let (name, after) = quoted.split_once("']").ok_or_else(wrong)?;
                steps.push(PatternStep::Exactly(FieldPathStep::Field(name.to_owned())));
                rest = after;
            } else if let Some(bracketed) = rest.strip_prefix('[') {
                let (index, after) = bracketed.split_once(']').ok_or_else(wrong)?;
                steps.push(match index {
                    "*" => PatternStep::Any,
                    index => PatternStep::Exactly(FieldPathStep::Element(index.parse().map_err(|_| wrong())?)),
                });
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                steps.push(match &rest[..end] {
                    "" => return Err(wrong().into()),
                    "*" => PatternStep::Any,
                    name => PatternStep::Exactly(FieldPathStep::Field(name.to_owned())),
                });
                rest = &rest[end..];
            }
            rest = match rest.strip_prefix('.') {
                Some("") => return Err(wrong().into()),
                Some(after) => after,
                None => rest,
            };
        }
        if steps.is_empty() { Err(wrong().into()) } else { Ok(Self(steps)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn path() -> FieldPath {
        let mut path = FieldPath::from_fields(&["spec", "labels", "a.b/c"]);
        path.0.push(FieldPathStep::Element(2));
        path
    }

    #[test]
    fn a_written_path_is_read_back_unchanged() {
        assert_eq!(path().to_string(), "spec.labels['a.b/c'][2]");
        for (pattern, covers) in [
            ("spec", true),
            (".spec.labels", true),
            ("spec.*['a.b/c'][*]", true),
            ("spec.labels['a.b/c'][2]", true),
            ("spec.labels['a.b/c'][1]", false),
            ("spec.labels['a.b/c'][2].x", false),
            ("labels", false),
        ] {
            assert_eq!(pattern.parse::<FieldPattern>().unwrap().covers(&path()), covers, "{pattern}");
        }
        for wrong in ["", ".", "a..b", "a[", "a['b", "a[x]", "a."] {
            assert!(wrong.parse::<FieldPattern>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_fields_of_a_pattern_are_removed() {
        let root = json!({"a": [{"id": 1, "x": 2}, {"id": 3}], "b": {"c": 4, "d": 5}});
        for (pattern, expected) in [
            ("a[*].id", json!({"a": [{"x": 2}, {}], "b": {"c": 4, "d": 5}})),
            ("a[0]", json!({"a": [{"id": 3}], "b": {"c": 4, "d": 5}})),
            ("b.*", json!({"a": [{"id": 1, "x": 2}, {"id": 3}], "b": {}})),
            ("b.c.e", root.clone()),
        ] {
            let mut rest = root.clone();
            pattern.parse::<FieldPattern>().unwrap().remove_from(&mut rest);
            assert_eq!(rest, expected, "{pattern}");
        }
    }

    #[test]
    fn setting_a_path_creates_missing_parents() {
        let mut root = json!({"spec": {"list": [1]}});
        let mut path = FieldPath::from_fields(&["spec", "list"]);
        path.0.push(FieldPathStep::Element(7));
        path.set(&mut root, json!({"x": 1}));
        path.append(&mut root, json!(3));
        FieldPath(path.0[..2].iter().cloned().chain([FieldPathStep::Element(0)]).collect()).remove(&mut root);
        FieldPath::from_fields(&["spec", "nothing", "there"]).remove(&mut root);
        FieldPath::from_fields(&["status", "y"]).set(&mut root, json!(2));
        assert_eq!(root, json!({"spec": {"list": [{"x": 1}, 3]}, "status": {"y": 2}}));
        assert_eq!(FieldPath::from_fields(&["status", "y"]).find(&root), Some(&json!(2)));
    }
}
