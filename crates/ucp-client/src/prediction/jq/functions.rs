//! The functions of jq that are available, and what else of the language is not.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::ops::Math;
use jaq_core::path::Part;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::evaluate::{Flow, JqEvaluation, JqItem, JqVariables, Stop, misfit};
use super::operators::calculate;
use super::values::{compare, contains, is_true, number, text, type_name, weight};

/// Functions by name and number of arguments.
const FUNCTIONS: [(&str, usize); 53] = [
    ("add", 0),
    ("all", 0),
    ("all", 1),
    ("all", 2),
    ("any", 0),
    ("any", 1),
    ("any", 2),
    ("arrays", 0),
    ("ascii_downcase", 0),
    ("ascii_upcase", 0),
    ("booleans", 0),
    ("contains", 1),
    ("empty", 0),
    ("endswith", 1),
    ("error", 0),
    ("error", 1),
    ("false", 0),
    ("first", 0),
    ("first", 1),
    ("getpath", 1),
    ("has", 1),
    ("in", 1),
    ("inside", 1),
    ("isempty", 1),
    ("iterables", 0),
    ("join", 1),
    ("keys", 0),
    ("last", 0),
    ("length", 0),
    ("ltrimstr", 1),
    ("map", 1),
    ("max", 0),
    ("min", 0),
    ("not", 0),
    ("null", 0),
    ("nulls", 0),
    ("numbers", 0),
    ("objects", 0),
    ("recurse", 0),
    ("rtrimstr", 1),
    ("scalars", 0),
    ("select", 1),
    ("sort", 0),
    ("split", 1),
    ("startswith", 1),
    ("strings", 0),
    ("test", 1),
    ("to_entries", 0),
    ("tojson", 0),
    ("tonumber", 0),
    ("tostring", 0),
    ("true", 0),
    ("type", 0),
];
const MORE_FUNCTIONS: [(&str, usize); 4] = [("test", 2), ("unique", 0), ("values", 0), ("reverse", 0)];

/// Steps for compiling a regular expression.
const COMPILATION: u64 = 50_000;
/// Limit for the memory of a regular expression.
const LARGEST_PATTERN: usize = 1 << 20;

/// Returns the first part of a term that is not available.
pub(super) fn unavailable(term: &Term<&str>) -> Option<String> {
    let all = |terms: &[Term<&str>]| terms.iter().find_map(unavailable);
    let parts = |parts: &[StrPart<&str, Term<&str>>]| {
        parts.iter().find_map(|part| match part {
            StrPart::Term(term) => unavailable(term),
            _ => None,
        })
    };
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Arr(None) | Term::Var(_) => None,
        Term::Str(Some(format), _) => Some((*format).to_owned()),
        Term::Str(None, text) => parts(text),
        Term::Arr(Some(inner)) | Term::Neg(inner) => unavailable(inner),
        Term::Obj(entries) => {
            entries.iter().find_map(|(name, value)| unavailable(name).or_else(|| value.as_ref().and_then(unavailable)))
        }
        Term::BinOp(left, operator, right) => {
            let own = match operator {
                BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                    Some("an assignment".to_owned())
                }
                BinaryOp::Pipe(Some(Pattern::Arr(_) | Pattern::Obj(_))) => Some("a pattern".to_owned()),
                _ => None,
            };
            own.or_else(|| unavailable(left)).or_else(|| unavailable(right))
        }
        Term::Label(..) => Some("label".to_owned()),
        Term::Break(_) => Some("break".to_owned()),
        Term::Fold(name, ..) => Some((*name).to_owned()),
        Term::Def(..) => Some("def".to_owned()),
        Term::TryCatch(body, otherwise) => unavailable(body).or_else(|| otherwise.as_deref().and_then(unavailable)),
        Term::IfThenElse(branches, otherwise) => branches
            .iter()
            .find_map(|(condition, then)| unavailable(condition).or_else(|| unavailable(then)))
            .or_else(|| otherwise.as_deref().and_then(unavailable)),
        Term::Call(name, arguments) => {
            let is_known = FUNCTIONS.iter().chain(&MORE_FUNCTIONS).any(|known| *known == (name, arguments.len()));
            if is_known { all(arguments) } else { Some((*name).to_owned()) }
        }
        Term::Path(head, path) => unavailable(head).or_else(|| {
            path.0.iter().find_map(|(part, _)| match part {
                Part::Index(index) => unavailable(index),
                Part::Range(None, None) => None,
                Part::Range(..) => Some("a slice".to_owned()),
            })
        }),
    }
}

impl JqEvaluation {
    /// Calls a function.
    pub(super) fn call<'t, 'v>(
        &mut self,
        name: &str,
        arguments: &'t [Term<&'t str>],
        variables: &JqVariables<'t>,
        input: JqItem<'v>,
        out: &mut dyn FnMut(&mut Self, JqItem<'v>) -> Flow,
    ) -> Flow {
        self.spend(1)?;
        match (name, arguments) {
            ("empty", []) => Ok(()),
            ("recurse", []) => self.descend(&input, out),
            ("select", [condition]) => {
                self.values(condition, variables, &input, &mut |evaluation, value| match is_true(&value) {
                    true => {
                        let item = evaluation.copy(&input)?;
                        out(evaluation, item)
                    }
                    false => Ok(()),
                })
            }
            ("first", []) => {
                let item = self.at(&input, &Value::from(0))?;
                out(self, item)
            }
            ("last", []) => {
                let item = self.at(&input, &Value::from(-1))?;
                out(self, item)
            }
            ("first", [term]) => match self.first(term, variables, input)? {
                Some(item) => out(self, item),
                None => Ok(()),
            },
            ("isempty", [term]) => {
                let is_empty = self.first(term, variables, input)?.is_none();
                self.put(Value::Bool(is_empty), out)
            }
            ("getpath", [path]) => self.values(path, variables, &input, &mut |evaluation, path| {
                let Value::Array(steps) = path.as_ref() else { return misfit("a path is a list") };
                let mut item = evaluation.copy(&input)?;
                for step in steps {
                    item = evaluation.at(&item, step)?;
                }
                out(evaluation, item)
            }),
            ("map", [term]) => {
                let mut list = Vec::new();
                self.each(&input, &mut |evaluation, child| {
                    evaluation.values(term, variables, &child, &mut |evaluation, value| {
                        list.push(evaluation.clone_of(&value)?);
                        Ok(())
                    })
                })?;
                self.put(Value::Array(list), out)
            }
            ("any" | "all", conditions) => {
                let is_decided = self.decide(name == "any", conditions, variables, &input)?;
                self.put(Value::Bool(is_decided == (name == "any")), out)
            }
            ("error", []) => misfit(text(&input.value)),
            ("error", [term]) => self.values(term, variables, &input, &mut |_, value| misfit(text(&value))),
            (_, []) => {
                if let Some(is_kept) = is_of_type(name, &input.value) {
                    return if is_kept { out(self, input) } else { Ok(()) };
                }
                self.spend(weight(&input.value))?;
                let result = self.convert(name, &input.value)?;
                self.put(result, out)
            }
            ("test", [pattern]) => self.values(pattern, variables, &input, &mut |evaluation, pattern| {
                let is_match = evaluation.matches(&input.value, &pattern, "")?;
                evaluation.put(Value::Bool(is_match), out)
            }),
            ("test", [pattern, flags]) => self.values(flags, variables, &input, &mut |evaluation, flags| {
                evaluation.values(pattern, variables, &input, &mut |evaluation, pattern| {
                    let is_match = evaluation.matches(&input.value, &pattern, flags.as_str().unwrap_or_default())?;
                    evaluation.put(Value::Bool(is_match), out)
                })
            }),
            (_, [argument]) => self.values(argument, variables, &input, &mut |evaluation, argument| {
                // A text is searched for another, and each item of a list for each of another.
                let (own, other) = (weight(&input.value), weight(&argument));
                evaluation.spend(own.saturating_mul(other).saturating_add(own + other))?;
                let result = evaluation.combine(name, &input.value, &argument)?;
                evaluation.put(result, out)
            }),
            _ => misfit(format!("{name} is not available here")),
        }
    }

    /// Returns true if a condition holds for any item, or does not hold for one of all.
    fn decide<'t, 'v>(
        &mut self,
        decisive: bool,
        conditions: &'t [Term<&'t str>],
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
    ) -> Result<bool, Stop> {
        let mut is_decided = false;
        let mut test = |evaluation: &mut Self, item: &JqItem<'v>, condition: Option<&'t Term<&'t str>>| match condition
        {
            None => {
                is_decided |= is_true(&item.value) == decisive;
                Ok(())
            }
            Some(condition) => evaluation.values(condition, variables, item, &mut |_, value| {
                is_decided |= is_true(&value) == decisive;
                Ok(())
            }),
        };
        match conditions {
            [items, condition] => {
                let own = self.copy(input)?;
                self.run(items, variables, own, &mut |evaluation, item| test(evaluation, &item, Some(condition)))?;
            }
            other => self.each(input, &mut |evaluation, item| test(evaluation, &item, other.first()))?,
        }
        Ok(is_decided)
    }

    /// Runs a function without arguments.
    fn convert(&mut self, name: &str, input: &Value) -> Result<Value, Stop> {
        Ok(match (name, input) {
            ("true", _) => Value::Bool(true),
            ("false", _) => Value::Bool(false),
            ("null", _) => Value::Null,
            ("not", input) => Value::Bool(!is_true(input)),
            ("type", input) => Value::from(type_name(input)),
            ("length", Value::Null) => Value::from(0),
            ("length", Value::String(text)) => Value::from(text.chars().count()),
            ("length", Value::Array(items)) => Value::from(items.len()),
            ("length", Value::Object(fields)) => Value::from(fields.len()),
            ("length", Value::Number(one)) => number(one.as_f64().unwrap_or_default().abs()),
            ("keys", Value::Array(items)) => (0..items.len()).map(Value::from).collect(),
            ("keys", Value::Object(fields)) => {
                let mut names: Vec<&String> = fields.keys().collect();
                names.sort_unstable();
                names.into_iter().cloned().map(Value::String).collect()
            }
            ("to_entries", Value::Object(fields)) => {
                self.allocate(2 * fields.len() as u64 + weight(input))?;
                let entry = |(name, value): (&String, &Value)| serde_json::json!({"key": name, "value": value});
                fields.iter().map(entry).collect()
            }
            ("tostring", input) => Value::String(text(input)),
            ("tojson", input) => Value::String(input.to_string()),
            ("tonumber", Value::Number(_)) => input.clone(),
            ("tonumber", Value::String(digits)) => match digits.trim().parse::<f64>() {
                Ok(value) if value.is_finite() => number(value),
                _ => return misfit("the text is not a number"),
            },
            ("ascii_downcase", Value::String(text)) => Value::String(text.to_ascii_lowercase()),
            ("ascii_upcase", Value::String(text)) => Value::String(text.to_ascii_uppercase()),
            ("reverse", Value::Array(items)) => items.iter().rev().cloned().collect(),
            ("sort" | "unique" | "min" | "max", Value::Array(items)) => self.sorted(name, items)?,
            ("add", Value::Array(_) | Value::Object(_)) => {
                let items: Vec<&Value> = match input {
                    Value::Object(fields) => fields.values().collect(),
                    _ => input.as_array().into_iter().flatten().collect(),
                };
                let mut sum = Value::Null;
                for item in items {
                    self.allocate(weight(&sum) + weight(item))?;
                    sum = calculate(Math::Add, sum, item)?;
                }
                sum
            }
            (_, input) => return misfit(format!("{name} does not apply to {}", type_name(input))),
        })
    }

    fn sorted(&mut self, name: &str, items: &[Value]) -> Result<Value, Stop> {
        // Each item is compared about as often as the length has digits.
        let comparisons = u64::from(items.len().checked_ilog2().unwrap_or_default()) + 1;
        self.spend(items.iter().map(weight).sum::<u64>().saturating_mul(comparisons))?;
        let mut sorted = items.to_vec();
        sorted.sort_by(compare);
        Ok(match name {
            "min" => sorted.into_iter().next().unwrap_or_default(),
            "max" => sorted.pop().unwrap_or_default(),
            "unique" => {
                sorted.dedup_by(|one, other| compare(one, other).is_eq());
                Value::Array(sorted)
            }
            _ => Value::Array(sorted),
        })
    }

    /// Runs a function with one argument.
    fn combine(&mut self, name: &str, input: &Value, argument: &Value) -> Result<Value, Stop> {
        Ok(match (name, input, argument) {
            ("has", Value::Object(fields), Value::String(name)) => Value::Bool(fields.contains_key(name)),
            ("has", Value::Array(items), Value::Number(index)) => {
                let index = index.as_f64().unwrap_or(-1.0);
                Value::Bool(index >= 0.0 && index < items.len() as f64)
            }
            ("in", _, fields) => return self.combine("has", fields, input),
            ("contains", _, _) => Value::Bool(contains(input, argument).or_else(misfit)?),
            ("inside", _, _) => Value::Bool(contains(argument, input).or_else(misfit)?),
            ("startswith", Value::String(text), Value::String(part)) => Value::Bool(text.starts_with(part.as_str())),
            ("endswith", Value::String(text), Value::String(part)) => Value::Bool(text.ends_with(part.as_str())),
            ("ltrimstr", Value::String(text), Value::String(part)) => {
                Value::from(text.strip_prefix(part.as_str()).unwrap_or(text))
            }
            ("rtrimstr", Value::String(text), Value::String(part)) => {
                Value::from(text.strip_suffix(part.as_str()).unwrap_or(text))
            }
            ("ltrimstr" | "rtrimstr", input, _) => input.clone(),
            ("split", Value::String(text), Value::String(separator)) => {
                self.allocate(text.len() as u64)?;
                match separator.as_str() {
                    _ if text.is_empty() => Value::Array(Vec::new()),
                    "" => text.chars().map(String::from).collect(),
                    separator => text.split(separator).collect(),
                }
            }
            ("join", Value::Array(items), Value::String(separator)) => {
                self.allocate((items.len() * (1 + separator.len() / 64)) as u64)?;
                let mut texts = Vec::new();
                for item in items {
                    texts.push(match item {
                        Value::Null => String::new(),
                        Value::Array(_) | Value::Object(_) => return misfit("join applies to lists of texts"),
                        item => text(item),
                    });
                }
                Value::String(texts.join(separator))
            }
            (_, input, argument) => {
                return misfit(format!("{name} does not apply to {} and {}", type_name(input), type_name(argument)));
            }
        })
    }

    fn matches(&mut self, input: &Value, pattern: &Value, flags: &str) -> Result<bool, Stop> {
        let (Value::String(text), Value::String(pattern)) = (input, pattern) else {
            return misfit("test applies to texts");
        };
        // Each byte is compared with each part of the pattern, at worst.
        let cost = (text.len() as u64 + 1).saturating_mul(pattern.len() as u64 / 8 + 1);
        self.spend(cost)?;
        let key = format!("{flags}/{pattern}");
        if !self.patterns.contains_key(&key) {
            self.spend(COMPILATION)?;
            let compiled = compile(pattern, flags)?;
            self.patterns.insert(key.clone(), compiled);
        }
        Ok(self.patterns.get(&key).is_some_and(|pattern| pattern.is_match(text)))
    }
}

fn compile(pattern: &str, flags: &str) -> Result<Regex, Stop> {
    let mut builder = RegexBuilder::new(pattern);
    for flag in flags.chars() {
        match flag {
            'g' | 'n' => &mut builder,
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            's' => builder.dot_matches_new_line(true),
            _ => return misfit("an unknown flag of a regular expression"),
        };
    }
    let compiled = builder.size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN).build();
    compiled.map_err(|_| Stop::Misfit("an invalid regular expression".to_owned()))
}

/// Returns whether a filter by type keeps a value; `None` for other functions.
fn is_of_type(name: &str, value: &Value) -> Option<bool> {
    Some(match name {
        "values" => !value.is_null(),
        "nulls" => value.is_null(),
        "booleans" => value.is_boolean(),
        "numbers" => value.is_number(),
        "strings" => value.is_string(),
        "arrays" => value.is_array(),
        "objects" => value.is_object(),
        "iterables" => value.is_array() || value.is_object(),
        "scalars" => !value.is_array() && !value.is_object(),
        _ => return None,
    })
}
