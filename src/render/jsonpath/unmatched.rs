//! Fields in a template that no object has, usually because the template was written for another document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::JsonPathTemplate;
use super::path::{FilterTest, JsonPathStep, TemplateNode};
use ucp_core::model::nearest::did_you_mean;

/// The maximum depth of suggested fields.
const DEEPEST: usize = 6;

/// A field that no object has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedField {
    /// The path of its parent, such as `.items[*].metadata`.
    pub path: String,
    /// The missing field.
    pub field: String,
    /// The last field of the path in the template.
    leaf: String,
    /// The suggestion of a similar existing field, as a question; may be empty.
    pub meant: String,
}

impl JsonPathTemplate {
    /// Returns the first field that no object of the document has, if the template has no results at all. Ignores
    /// optional fields.
    pub fn unmatched(&self, document: &Value, optional: &[&str]) -> Option<UnmatchedField> {
        self.unmatched_in(std::slice::from_ref(document), "", optional)
    }

    pub(super) fn unmatched_in(&self, documents: &[Value], path: &str, optional: &[&str]) -> Option<UnmatchedField> {
        let root = ReachedValues { values: documents.iter().collect(), path: path.to_owned() };
        let mut ranges: Vec<ReachedValues<'_>> = vec![root.clone()];
        let mut first: Option<UnmatchedField> = None;
        for node in &self.nodes {
            let at = ranges.last().cloned().unwrap_or_else(|| root.clone());
            match node {
                TemplateNode::Text(_) => {}
                TemplateNode::End => {
                    ranges.pop();
                }
                TemplateNode::Path(steps) if is_constant(steps) => {}
                TemplateNode::Path(steps) => match at.follow(steps) {
                    Ok(_) => return None,
                    Err(missing) => first = first.or_else(|| Some(missing.or_suggest_by_leaf(&root))),
                },
                TemplateNode::Range(steps) => match at.clone().follow(steps) {
                    Ok(found) => ranges.push(found),
                    Err(missing) => {
                        first = first.or(Some(missing));
                        ranges.push(ReachedValues { values: Vec::new(), path: at.path });
                    }
                },
            }
        }
        first.filter(|missing| !optional.contains(&missing.field.as_str()))
    }
}

fn is_constant(steps: &[JsonPathStep]) -> bool {
    steps.iter().all(|step| matches!(step, JsonPathStep::Text(_) | JsonPathStep::Constant(_)))
}

/// The values at a path, ignoring its filters and indexes.
#[derive(Debug, Clone)]
struct ReachedValues<'d> {
    values: Vec<&'d Value>,
    path: String,
}

impl UnmatchedField {
    /// Without a similar field, suggests a field with the name of the path's last field elsewhere.
    fn or_suggest_by_leaf(mut self, root: &ReachedValues<'_>) -> Self {
        if self.meant.is_empty()
            && let Some(found) = root.path_to_field(&self.leaf)
        {
            self.meant = format!("; did you mean '{found}'?");
        }
        self
    }
}

impl<'d> ReachedValues<'d> {
    /// Returns the shortest path to a field of this name; of several, the one that most objects have.
    fn path_to_field(&self, leaf: &str) -> Option<String> {
        let mut layer: Vec<(&Value, String)> = self.values.iter().map(|value| (*value, self.path.clone())).collect();
        for _ in 0..DEEPEST {
            let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, path) in layer.iter().filter(|(value, _)| value.get(leaf).is_some()) {
                *paths.entry(path).or_default() += 1;
            }
            if let Some((path, _)) = paths.iter().max_by_key(|(_, count)| **count) {
                return Some(format!("{path}.{leaf}"));
            }
            let below = |(value, path): (&'d Value, String)| match value {
                Value::Array(items) => items.iter().map(|item| (item, format!("{path}[*]"))).collect::<Vec<_>>(),
                Value::Object(fields) => fields.iter().map(|(name, field)| (field, format!("{path}.{name}"))).collect(),
                _ => Vec::new(),
            };
            layer = layer.into_iter().flat_map(below).collect();
        }
        None
    }

    fn follow(mut self, steps: &[JsonPathStep]) -> Result<Self, UnmatchedField> {
        let leaf = || {
            steps.iter().rev().find_map(|step| match step {
                JsonPathStep::Field(name) => Some(name.clone()),
                _ => None,
            })
        };
        for step in steps {
            self = self.step(step).map_err(|missing| match missing.leaf.as_str() {
                "" => UnmatchedField { leaf: leaf().unwrap_or_default(), ..missing },
                _ => missing,
            })?;
        }
        Ok(self)
    }

    fn step(self, step: &JsonPathStep) -> Result<Self, UnmatchedField> {
        let Self { values, path } = self;
        let below = |values: &[&'d Value]| -> Vec<&'d Value> {
            values
                .iter()
                .flat_map(|value| match value {
                    Value::Array(items) => items.iter().collect::<Vec<_>>(),
                    Value::Object(fields) => fields.values().collect(),
                    _ => Vec::new(),
                })
                .collect()
        };
        match step {
            JsonPathStep::Field(name) => {
                let found: Vec<_> = values.iter().filter_map(|value| value.get(name.as_str())).collect();
                let keys = || values.iter().filter_map(|value| value.as_object()).flat_map(|fields| fields.keys());
                let path = format!("{path}.{name}");
                if found.is_empty() && keys().next().is_some() {
                    let meant = did_you_mean(name, keys().map(String::as_str));
                    return Err(UnmatchedField { path, field: name.clone(), leaf: String::new(), meant });
                }
                Ok(Self { values: found, path })
            }
            JsonPathStep::Filter { left, test } => {
                let elements = Self { values: below(&values), path: format!("{path}[*]") };
                let names_field = !left.is_empty() && matches!(test, FilterTest::Exists | FilterTest::Compare(..));
                if names_field && !elements.values.is_empty() {
                    elements.clone().follow(left)?;
                }
                Ok(elements)
            }
            JsonPathStep::Wildcard | JsonPathStep::Slice(_) => {
                Ok(Self { values: below(&values), path: format!("{path}[*]") })
            }
            JsonPathStep::Recursive => {
                let mut all = values.clone();
                let mut layer = values;
                while !layer.is_empty() {
                    layer = below(&layer);
                    all.extend(layer.iter().copied());
                }
                Ok(Self { values: all, path: format!("{path}..") })
            }
            JsonPathStep::Union(paths) => {
                let mut found = Vec::new();
                let mut missing = None;
                for steps in paths {
                    match (Self { values: values.clone(), path: path.clone() }).follow(steps) {
                        Ok(reached) => found.extend(reached.values),
                        Err(error) => missing = missing.or(Some(error)),
                    }
                }
                match missing {
                    Some(missing) if found.is_empty() => Err(missing),
                    _ => Ok(Self { values: found, path }),
                }
            }
            JsonPathStep::Text(_) | JsonPathStep::Constant(_) => Ok(Self { values: Vec::new(), path }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ResultLayout;
    use super::*;
    use serde_json::json;

    fn unmatched(template: &str) -> Option<String> {
        let document = json!({"kind": "ResourceList", "items": [
            {"object": {"name": "a"}, "verdict": "OK", "findings": []}, {"object": {"name": "b"}, "verdict": "OK"},
        ]});
        let template = JsonPathTemplate::parse(template, ResultLayout::Text).unwrap();
        template.unmatched(&document, &["message"]).map(|missing| format!("{}{}", missing.path, missing.meant))
    }

    #[test]
    fn a_field_of_no_object_is_named() {
        assert_eq!(
            unmatched("{.items[*].metadata.name}"),
            Some(".items[*].metadata; did you mean '.items[*].object.name'?".to_owned())
        );
        assert_eq!(
            unmatched(r#"{range .items[*]}{.verdit}{"\n"}{end}"#),
            Some(".items[*].verdit; did you mean 'verdict'?".to_owned())
        );
        assert_eq!(unmatched("{.items[?(@.nowhere=='a')].verdict}"), Some(".items[*].nowhere".to_owned()));
    }

    #[test]
    fn a_field_that_exists_or_may_be_absent_is_not_named() {
        for template in [
            "{.items[*].verdict}",
            "{.items[*].message}",
            "{.items[*].findings[*].code}",
            "{.kind} {.nowhere}",
            "text",
            "{..name}",
        ] {
            assert_eq!(unmatched(template), None, "{template}");
        }
    }
}
