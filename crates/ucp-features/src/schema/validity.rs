//! Validation of objects, as the server does for new objects.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::node::SchemaNode;
use super::rules::{PendingRule, check_rules, has_hidden_part};
use super::walk::SchemaWalk;
use ucp_core::model::expression::RulePatience;

/// The result of a validation. Its clauses name places, and never contain values of the object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationReport {
    /// Clauses that do not hold: `spec.size must be at most 10`.
    pub invalid: BTreeSet<String>,
    /// Clauses that could not be evaluated.
    pub unchecked: BTreeSet<String>,
}

impl<'a> SchemaNode<'a> {
    /// Validates an object without undeclared fields, whose defaults are filled in.
    pub fn validate(self, object: &Value, patience: &RulePatience) -> ValidationReport {
        let (mut walk, mut rules) = (SchemaWalk::default(), Vec::new());
        self.check_value(object, &mut walk, &mut rules);
        check_rules(&rules, patience, &mut walk);
        let (invalid, unchecked) = walk.into_entries_and_doubts();
        ValidationReport { invalid, unchecked }
    }

    fn check_value<'v>(self, value: &'v Value, walk: &mut SchemaWalk, rules: &mut Vec<PendingRule<'v>>)
    where
        'a: 'v,
    {
        if !self.has_type(value, walk) {
            return;
        }
        self.check_enum(value, walk);
        if value.is_null() {
            return;
        }
        self.check_bounds(value, walk);
        self.check_branches(value, walk);
        self.collect_rules(value, walk, rules);
        match value {
            Value::Object(fields) => self.check_fields(fields, walk, rules),
            Value::Array(items) => self.check_items(items, walk, rules),
            _ => {}
        }
    }

    fn check_fields<'v>(self, fields: &'v Map<String, Value>, walk: &mut SchemaWalk, rules: &mut Vec<PendingRule<'v>>)
    where
        'a: 'v,
    {
        if self.is_embedded_object() {
            walk.add_doubt("is an object of its own, whose kind and metadata are not evaluated");
        }
        let embedded = if self.is_embedded_object() { &["apiVersion", "kind"][..] } else { &[] };
        let required = self.required();
        for name in required.iter().chain(embedded).filter(|name| !fields.contains_key(**name)) {
            walk.in_field(name, |walk| walk.add("is required"));
        }
        for (name, value) in fields {
            walk.in_declared(self, name, |schema, walk| schema.check_value(value, walk, rules));
        }
    }

    fn check_items<'v>(self, items: &'v [Value], walk: &mut SchemaWalk, rules: &mut Vec<PendingRule<'v>>)
    where
        'a: 'v,
    {
        let is_repeated = match self.0.get("x-kubernetes-list-type").and_then(Value::as_str) {
            Some("set") => has_repetition(items.iter().map(Value::to_string)),
            Some("map") => has_repetition(items.iter().map(|item| self.list_key(item))),
            _ => false,
        };
        if is_repeated {
            walk.add("has an element twice");
        } else if self.0.get("x-kubernetes-list-type").is_some() && items.iter().any(has_hidden_part) {
            walk.add_doubt("has hidden elements, which may be equal");
        }
        let Some(schema) = self.items() else { return };
        items.iter().for_each(|item| walk.in_list(|walk| schema.check_value(item, walk, rules)));
    }

    /// Returns the values of the fields that identify an element of a list.
    fn list_key(self, item: &Value) -> String {
        let names = self.0.get("x-kubernetes-list-map-keys").and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(|name| format!("{};", item.get(name).unwrap_or(&Value::Null))).collect()
    }

    /// Reports a value that satisfies none, several, or not all of the alternatives of the schema.
    fn check_branches(self, value: &Value, walk: &mut SchemaWalk) {
        for branch in self.branches("allOf") {
            branch.check_value(value, walk, &mut Vec::new());
        }
        let has_alternatives = ["anyOf", "oneOf", "not"].iter().any(|name| self.0.get(name).is_some());
        if has_alternatives && has_hidden_part(value) {
            walk.add_doubt("has alternatives, and is hidden");
            return;
        }
        if let Some(alternatives) = self.tally_branches("anyOf", value)
            && alternatives.admitting == 0
        {
            alternatives.report("satisfies none of several alternatives", walk);
        }
        if let Some(alternatives) = self.tally_branches("oneOf", value) {
            match alternatives {
                BranchTally { admitting: 1, undecided: 0 } => {}
                BranchTally { admitting: 2.., .. } => walk.add("must satisfy exactly one of several alternatives"),
                _ => alternatives.report("must satisfy exactly one of several alternatives", walk),
            }
        }
        match self.0.get("not").map(|branch| SchemaNode(branch).admission(value)) {
            Some(Admission::Admits) => walk.add("satisfies an excluded schema"),
            Some(Admission::Undecided) => walk.add_doubt("has an excluded schema that is not evaluated"),
            Some(Admission::Refuses) | None => {}
        }
    }

    /// Counts the alternatives of a keyword; `None` if it has none.
    fn tally_branches(self, name: &str, value: &Value) -> Option<BranchTally> {
        let mut branches = self.branches(name).peekable();
        branches.peek()?;
        let mut tally = BranchTally::default();
        for branch in branches {
            match branch.admission(value) {
                Admission::Admits => tally.admitting += 1,
                Admission::Undecided => tally.undecided += 1,
                Admission::Refuses => {}
            }
        }
        Some(tally)
    }

    fn branches(self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().map(Self)
    }

    fn admission(self, value: &Value) -> Admission {
        let mut walk = SchemaWalk::default();
        self.check_value(value, &mut walk, &mut Vec::new());
        match walk.into_entries_and_doubts() {
            (entries, _) if !entries.is_empty() => Admission::Refuses,
            (_, doubts) if !doubts.is_empty() => Admission::Undecided,
            _ => Admission::Admits,
        }
    }
}

/// The answer of a schema to a value.
enum Admission {
    Admits,
    Refuses,
    /// A format or pattern is not evaluated.
    Undecided,
}

/// The answers of the alternatives of a schema.
#[derive(Default)]
struct BranchTally {
    admitting: usize,
    undecided: usize,
}

impl BranchTally {
    /// Adds a clause, as a doubt if an alternative is undecided.
    fn report(&self, clause: &str, walk: &mut SchemaWalk) {
        match self.undecided {
            0 => walk.add(clause),
            _ => walk.add_doubt("has alternatives that are not evaluated"),
        }
    }
}

fn has_repetition(keys: impl Iterator<Item = String>) -> bool {
    let mut seen = HashSet::new();
    keys.into_iter().any(|key| !seen.insert(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn clauses(schema: Value, value: Value) -> Vec<String> {
        let object = json!({"spec": value});
        let schema = json!({"type": "object", "properties": {"spec": schema}});
        let report = SchemaNode::new(&schema).validate(&object, &RulePatience::default());
        report.invalid.into_iter().chain(report.unchecked.into_iter().map(|clause| format!("? {clause}"))).collect()
    }

    #[test]
    fn every_rule_of_a_schema_is_checked() {
        for (schema, value, expected) in [
            (json!({"type": "string"}), json!("a"), None),
            (json!({"type": "string"}), json!(1), Some("spec must be a string")),
            (json!({"type": "integer"}), json!(1.0), None),
            (json!({"type": "integer"}), json!(1.5), Some("spec must be an integer")),
            (json!({"type": "string"}), json!(null), Some("spec must be a string")),
            (json!({"type": "string", "nullable": true}), json!(null), None),
            (json!({"x-kubernetes-int-or-string": true}), json!("50%"), None),
            (json!({"x-kubernetes-int-or-string": true}), json!(true), Some("spec must be an integer or string")),
            (json!({"enum": ["a", "b"]}), json!("c"), Some("spec is none of the allowed values")),
            (json!({"type": "integer", "maximum": 10}), json!(11), Some("spec must be at most 10")),
            (
                json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true}),
                json!(1),
                Some("spec must be more than 1"),
            ),
            (json!({"type": "number", "multipleOf": 2}), json!(3), Some("spec must be a multiple of 2")),
            (
                json!({"type": "integer", "format": "int32"}),
                json!(3_000_000_000_i64),
                Some("spec must have the format int32"),
            ),
            (json!({"type": "string", "maxLength": 2}), json!("äöü"), Some("spec must have at most 2 characters")),
            (json!({"type": "string", "pattern": "^[a-z]+$"}), json!("A"), Some("spec must match ^[a-z]+$")),
            (
                json!({"type": "string", "pattern": "(?=x)"}),
                json!("A"),
                Some("? spec has a pattern that cannot be evaluated: (?=x)"),
            ),
            (json!({"type": "string", "format": "date-time"}), json!("2026-11-27T00:00:00Z"), None),
            (
                json!({"type": "string", "format": "date-time"}),
                json!("today"),
                Some("spec must have the format date-time"),
            ),
            (
                json!({"type": "string", "format": "uri"}),
                json!("a"),
                Some("? spec has the format uri, which is not evaluated"),
            ),
            (json!({"type": "string", "pattern": "^a"}), json!("<hidden>"), Some("? spec is hidden")),
            (json!({"type": "object", "required": ["a"]}), json!({}), Some("spec.a is required")),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                json!({"k": 1}),
                Some("spec.* must be a string"),
            ),
            (json!({"type": "array", "items": {"type": "string"}}), json!(["a", 1]), Some("spec[] must be a string")),
            (json!({"type": "array", "minItems": 2}), json!([1]), Some("spec must have at least 2 items")),
            (
                json!({"type": "array", "x-kubernetes-list-type": "set"}),
                json!([1, 1]),
                Some("spec has an element twice"),
            ),
            (
                json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
                json!([{"k": 1, "v": 1}, {"k": 1, "v": 2}]),
                Some("spec has an element twice"),
            ),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("a"), None),
            (
                json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                json!({}),
                Some("spec satisfies none of several alternatives"),
            ),
            (
                json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                json!({"a": 1, "b": 1}),
                Some("spec must satisfy exactly one of several alternatives"),
            ),
            (json!({"not": {"required": ["a"]}}), json!({"a": 1}), Some("spec satisfies an excluded schema")),
            (
                json!({"anyOf": [{"format": "uri"}, {"maxLength": 1}]}),
                json!("abc"),
                Some("? spec has alternatives that are not evaluated"),
            ),
            (json!({"anyOf": [{"format": "uri"}, {"maxLength": 3}]}), json!("abc"), None),
            (
                json!({"oneOf": [{"format": "uri"}, {"maxLength": 3}]}),
                json!("abc"),
                Some("? spec has alternatives that are not evaluated"),
            ),
            (
                json!({"oneOf": [{"format": "uri"}, {"maxLength": 3}, {"maxLength": 4}]}),
                json!("abc"),
                Some("spec must satisfy exactly one of several alternatives"),
            ),
            (
                json!({"not": {"format": "uri"}}),
                json!("abc"),
                Some("? spec has an excluded schema that is not evaluated"),
            ),
            (json!({"not": {"format": "uri", "maxLength": 1}}), json!("abc"), None),
            (json!({"allOf": [{"maxLength": 1}]}), json!("ab"), Some("spec must have at most 1 characters")),
            (
                json!({"x-kubernetes-embedded-resource": true, "type": "object"}),
                json!({"kind": "A"}),
                Some(
                    "spec.apiVersion is required; ? spec is an object of its own, whose kind and metadata are not evaluated",
                ),
            ),
            (
                json!({"type": "string", "nullable": true, "enum": ["a"]}),
                json!(null),
                Some("spec is none of the allowed values"),
            ),
            (json!({"type": "number", "multipleOf": 0.1}), json!(0.3), None),
            (
                json!({"type": "string", "pattern": r"^\d+$"}),
                json!("١٢"),
                Some(r"? spec has a pattern that cannot be evaluated: ^\d+$"),
            ),
            (
                json!({"type": "string", "pattern": "^[a~~b]$"}),
                json!("~"),
                Some("? spec has a pattern that cannot be evaluated: ^[a~~b]$"),
            ),
            (
                json!({"type": "string", "format": "date-time"}),
                json!("2026-11-27 00:00:00Z"),
                Some("spec must have the format date-time"),
            ),
            (json!({"type": "string", "format": "ip"}), json!("a"), None),
            (
                json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}),
                json!(["a", "<hidden-1-13>"]),
                Some("? spec has hidden elements, which may be equal; ? spec[] is hidden"),
            ),
            (
                json!({"not": {"enum": ["a"]}}),
                json!("<hidden>"),
                Some("? spec has alternatives, and is hidden; ? spec is hidden"),
            ),
        ] {
            let found = clauses(schema.clone(), value.clone());
            assert_eq!(found.join("; "), expected.unwrap_or_default(), "{schema} {value}");
        }
    }

    #[test]
    fn rules_are_evaluated_where_their_value_is() {
        let schema = json!({"type": "array", "items": {"type": "object", "x-kubernetes-validations": [
            {"rule": "self.min <= self.max", "message": "min is above max"},
            {"rule": "self.min == oldSelf.min", "message": "min is immutable"},
            {"rule": "!oldSelf.hasValue()", "message": "new only", "optionalOldSelf": true},
            {"rule": "isQuantity(self.min)", "message": "min is a quantity"},
        ]}});
        let expected = [
            "spec[] breaks a rule: min is above max",
            "? spec[] has a rule that cannot be evaluated: min is a quantity",
            "? spec[] has a rule that cannot be evaluated: new only",
        ];
        assert_eq!(clauses(schema, json!([{"min": 1, "max": 2}, {"min": 3, "max": 2}])), expected);
    }
}
