//! Evaluates an expression of jq with limits for its steps and its memory. The language is jq's without what repeats,
//! recurses, or assigns, so that an expression recurses no deeper than its own text and the object do.
//!
//! Results are passed to a callback, one by one, since an expression has any number of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::Term;
use jaq_core::path::{Opt, Part};
use regex::Regex;
use serde_json::{Map, Value};

use super::path_step::JqPathStep;
use super::values::{is_true, number, text, type_name, weight};

/// Limit for the memory of all values that an expression creates, in the units of [`weight`].
const MOST_MEMORY: u64 = 1_000_000;

/// The reason why an evaluation stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The expression does not match the object; `?` and `try` catch this.
    Misfit(String),
    /// The limit of steps or memory is reached.
    Spent,
    /// A part of the language is not available.
    Unavailable(String),
    /// The first result is found, or a later part stopped.
    Done(u32),
}

pub(super) type Flow = Result<(), Stop>;
pub(super) type Output<'o, 'v> = &'o mut dyn FnMut(&mut JqEvaluation, JqItem<'v>) -> Flow;

pub(super) fn misfit<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Misfit(reason.into()))
}

/// A value and its path in the object. A value that was computed has none.
#[derive(Clone)]
pub(super) struct JqItem<'v> {
    pub(super) value: Cow<'v, Value>,
    pub(super) path: Option<Rc<PathNode>>,
}

/// The last step of a path, and those before it.
pub(super) enum PathNode {
    Root,
    Step(JqPathStep, Rc<PathNode>),
}

impl PathNode {
    pub(super) fn steps(&self) -> Vec<JqPathStep> {
        let (mut steps, mut node) = (Vec::new(), self);
        while let Self::Step(step, before) = node {
            steps.push(step.clone());
            node = before;
        }
        steps.reverse();
        steps
    }
}

impl<'v> JqItem<'v> {
    pub(super) fn computed(value: Value) -> Self {
        Self { value: Cow::Owned(value), path: None }
    }

    /// Returns the same value, whose path does not matter.
    fn as_value(&self) -> Self {
        Self { value: self.value.clone(), path: None }
    }
}

/// Values of variables, the innermost first.
#[derive(Clone, Default)]
pub(super) struct JqVariables<'t>(Option<Rc<(&'t str, Value, JqVariables<'t>)>>);

impl<'t> JqVariables<'t> {
    /// Returns these variables and one more.
    pub(super) fn with(&self, name: &'t str, value: Value) -> Self {
        Self(Some(Rc::new((name, value, self.clone()))))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let (known, value, outer) = self.0.as_deref()?;
        if *known == name { Some(value) } else { outer.get(name) }
    }
}

/// What an evaluation has used.
pub(super) struct JqEvaluation {
    pub(super) steps_left: u64,
    memory_left: u64,
    marks: u32,
    pub(super) patterns: HashMap<String, Regex>,
}

impl JqEvaluation {
    pub(super) fn new(steps: u64) -> Self {
        Self { steps_left: steps, memory_left: MOST_MEMORY, marks: 0, patterns: HashMap::new() }
    }

    pub(super) fn spend(&mut self, steps: u64) -> Flow {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(Stop::Spent)?;
        Ok(())
    }

    /// Accounts for a value that is created.
    pub(super) fn allocate(&mut self, units: u64) -> Flow {
        self.spend(units)?;
        self.memory_left = self.memory_left.checked_sub(units).ok_or(Stop::Spent)?;
        Ok(())
    }

    pub(super) fn clone_of(&mut self, value: &Value) -> Result<Value, Stop> {
        self.allocate(weight(value))?;
        Ok(value.clone())
    }

    /// Passes on a computed value.
    pub(super) fn put<'v>(&mut self, value: Value, out: Output<'_, 'v>) -> Flow {
        self.allocate(weight(&value))?;
        out(self, JqItem::computed(value))
    }

    fn mark(&mut self) -> u32 {
        self.marks += 1;
        self.marks
    }

    /// Runs a term for the values of its results.
    pub(super) fn values<'t, 'v>(
        &mut self,
        term: &'t Term<&'t str>,
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
        out: &mut dyn FnMut(&mut Self, Cow<'v, Value>) -> Flow,
    ) -> Flow {
        let input = self.copy(input)?.as_value();
        self.run(term, variables, input, &mut |evaluation, item| out(evaluation, item.value))
    }

    /// Copies an item, and accounts for it if its value was computed.
    pub(super) fn copy<'v>(&mut self, item: &JqItem<'v>) -> Result<JqItem<'v>, Stop> {
        if let Cow::Owned(value) = &item.value {
            self.allocate(weight(value))?;
        }
        Ok(item.clone())
    }

    /// Runs a term, and returns its own errors, which may be caught, or none. Those of the parts after it remain errors.
    pub(super) fn attempt<'t, 'v>(
        &mut self,
        term: &'t Term<&'t str>,
        variables: &JqVariables<'t>,
        input: JqItem<'v>,
        out: Output<'_, 'v>,
    ) -> Result<Option<String>, Stop> {
        let mark = self.mark();
        let mut later = None;
        let ran = self.run(term, variables, input, &mut |evaluation, item| {
            out(evaluation, item).map_err(|stop| {
                later = Some(stop);
                Stop::Done(mark)
            })
        });
        match ran {
            Err(Stop::Done(done)) if done == mark => Err(later.unwrap_or(Stop::Done(mark))),
            Err(Stop::Misfit(reason)) => Ok(Some(reason)),
            Err(stop) => Err(stop),
            Ok(()) => Ok(None),
        }
    }

    /// Returns the first result of a term.
    pub(super) fn first<'t, 'v>(
        &mut self,
        term: &'t Term<&'t str>,
        variables: &JqVariables<'t>,
        input: JqItem<'v>,
    ) -> Result<Option<JqItem<'v>>, Stop> {
        let mark = self.mark();
        let mut found = None;
        match self.run(term, variables, input, &mut |_, item| {
            found = Some(item);
            Err(Stop::Done(mark))
        }) {
            Err(Stop::Done(done)) if done == mark => Ok(found),
            Err(stop) => Err(stop),
            Ok(()) => Ok(None),
        }
    }

    /// Runs a term for an input.
    pub(super) fn run<'t, 'v>(
        &mut self,
        term: &'t Term<&'t str>,
        variables: &JqVariables<'t>,
        input: JqItem<'v>,
        out: Output<'_, 'v>,
    ) -> Flow {
        self.spend(1)?;
        match term {
            Term::Id => out(self, input),
            Term::Recurse => self.descend(&input, out),
            Term::Num(digits) => self.put(number(digits.parse().unwrap_or_default()), out),
            Term::Str(_, parts) => self.join(parts, variables, &input, String::new(), out),
            Term::Arr(None) => self.put(Value::Array(Vec::new()), out),
            Term::Arr(Some(items)) => {
                let mut list = Vec::new();
                self.values(items, variables, &input, &mut |evaluation, value| {
                    evaluation.allocate(weight(&value))?;
                    list.push(value.into_owned());
                    Ok(())
                })?;
                self.put(Value::Array(list), out)
            }
            Term::Obj(entries) => self.build(entries, variables, &input, &Map::new(), out),
            Term::Neg(term) => self.values(term, variables, &input, &mut |evaluation, value| match value.as_f64() {
                Some(value) => evaluation.put(number(-value), out),
                None => misfit(format!("{} cannot be negated", type_name(&value))),
            }),
            Term::BinOp(left, operator, right) => self.operate(left, operator, right, variables, input, out),
            Term::TryCatch(body, otherwise) => {
                let kept = self.copy(&input)?;
                match (self.attempt(body, variables, kept, out)?, otherwise) {
                    (Some(reason), Some(otherwise)) => {
                        self.run(otherwise, variables, JqItem::computed(Value::from(reason)), out)
                    }
                    _ => Ok(()),
                }
            }
            Term::IfThenElse(branches, otherwise) => {
                self.branch(branches, otherwise.as_deref(), variables, &input, out)
            }
            Term::Var(name) => match variables.get(name) {
                Some(value) => self.put(value.clone(), out),
                None => Err(Stop::Unavailable((*name).to_owned())),
            },
            Term::Call(name, arguments) => self.call(name, arguments, variables, input, out),
            Term::Path(head, path) => {
                let kept = self.copy(&input)?;
                self.run(head, variables, input, &mut |evaluation, item| {
                    evaluation.follow(&path.0, variables, &kept, item, out)
                })
            }
            Term::Label(..) | Term::Break(_) | Term::Fold(..) | Term::Def(..) => misfit("it is not available here"),
        }
    }

    /// Passes on an item and everything below it.
    pub(super) fn descend<'v>(&mut self, item: &JqItem<'v>, out: Output<'_, 'v>) -> Flow {
        let own = self.copy(item)?;
        out(self, own)?;
        match item.value.as_ref() {
            Value::Array(_) | Value::Object(_) => {
                self.each(item, &mut |evaluation, child| evaluation.descend(&child, out))
            }
            _ => Ok(()),
        }
    }

    /// Passes on the items of a list, or the fields of an object.
    pub(super) fn each<'v>(&mut self, item: &JqItem<'v>, out: Output<'_, 'v>) -> Flow {
        let steps: Vec<JqPathStep> = match item.value.as_ref() {
            Value::Array(items) => (0..items.len()).map(JqPathStep::Index).collect(),
            Value::Object(fields) => fields.keys().cloned().map(JqPathStep::Name).collect(),
            other => return misfit(format!("there are no items in {}", type_name(other))),
        };
        self.allocate(steps.len() as u64)?;
        for step in steps {
            let child = self.child(item, step)?;
            out(self, child)?;
        }
        Ok(())
    }

    /// Returns the child of an item; null if it does not exist.
    pub(super) fn child<'v>(&mut self, item: &JqItem<'v>, step: JqPathStep) -> Result<JqItem<'v>, Stop> {
        self.spend(1)?;
        fn find<'a>(value: &'a Value, step: &JqPathStep) -> Option<&'a Value> {
            match step {
                JqPathStep::Index(index) => value.get(index),
                JqPathStep::Name(name) => value.get(name),
            }
        }
        let value = match &item.value {
            Cow::Borrowed(value) => find(value, &step).map(Cow::Borrowed),
            Cow::Owned(value) => find(value, &step).map(|child| self.clone_of(child)).transpose()?.map(Cow::Owned),
        };
        let path = match &item.path {
            Some(before) => {
                self.allocate(1)?;
                Some(Rc::new(PathNode::Step(step, Rc::clone(before))))
            }
            None => None,
        };
        Ok(JqItem { value: value.unwrap_or(Cow::Owned(Value::Null)), path })
    }

    /// Returns the child of an item at an index or name.
    pub(super) fn at<'v>(&mut self, item: &JqItem<'v>, index: &Value) -> Result<JqItem<'v>, Stop> {
        let step = match (item.value.as_ref(), index) {
            (Value::Object(_) | Value::Null, Value::String(name)) => JqPathStep::Name(name.clone()),
            (Value::Array(_) | Value::Null, Value::Number(number)) => {
                let length = item.value.as_array().map_or(0, Vec::len);
                let number = number.as_f64().unwrap_or_default().floor();
                let from_start = if number < 0.0 { number + length as f64 } else { number };
                match from_start >= 0.0 {
                    true => JqPathStep::Index(from_start as usize),
                    // Before the first item, where nothing is.
                    false => JqPathStep::Index(usize::MAX),
                }
            }
            (value, index) => return misfit(format!("{} has no {}", type_name(value), type_name(index))),
        };
        self.child(item, step)
    }

    /// Follows the parts of a path.
    fn follow<'t, 'v>(
        &mut self,
        parts: &'t [(Part<Term<&'t str>>, Opt)],
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
        item: JqItem<'v>,
        out: Output<'_, 'v>,
    ) -> Flow {
        let Some(((part, optional), rest)) = parts.split_first() else { return out(self, item) };
        let is_optional = matches!(optional, Opt::Optional);
        match part {
            Part::Range(None, None) => {
                if !matches!(item.value.as_ref(), Value::Array(_) | Value::Object(_)) && is_optional {
                    return Ok(());
                }
                self.each(&item, &mut |evaluation, child| evaluation.follow(rest, variables, input, child, out))
            }
            Part::Range(..) => misfit("slices are not available here"),
            Part::Index(index) => {
                self.values(index, variables, input, &mut |evaluation, index| match evaluation.at(&item, &index) {
                    Ok(child) => evaluation.follow(rest, variables, input, child, out),
                    Err(Stop::Misfit(_)) if is_optional => Ok(()),
                    Err(stop) => Err(stop),
                })
            }
        }
    }

    /// Joins the parts of a text.
    fn join<'t, 'v>(
        &mut self,
        parts: &'t [StrPart<&'t str, Term<&'t str>>],
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
        before: String,
        out: Output<'_, 'v>,
    ) -> Flow {
        let Some((part, rest)) = parts.split_first() else { return self.put(Value::String(before), out) };
        self.allocate(1 + before.len() as u64 / 64)?;
        match part {
            StrPart::Str(text) => self.join(rest, variables, input, before + text, out),
            StrPart::Char(character) => self.join(rest, variables, input, format!("{before}{character}"), out),
            StrPart::Term(term) => self.values(term, variables, input, &mut |evaluation, value| {
                evaluation.allocate(weight(&value))?;
                evaluation.join(rest, variables, input, format!("{before}{}", text(&value)), out)
            }),
        }
    }

    /// Builds objects from each combination of names and values.
    fn build<'t, 'v>(
        &mut self,
        entries: &'t [(Term<&'t str>, Option<Term<&'t str>>)],
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
        before: &Map<String, Value>,
        out: Output<'_, 'v>,
    ) -> Flow {
        let Some(((name, value), rest)) = entries.split_first() else {
            return self.put(Value::Object(before.clone()), out);
        };
        let mut put = |evaluation: &mut Self, name: &str, value: &Value| {
            evaluation.allocate(before.len() as u64 + before.values().map(weight).sum::<u64>() + weight(value))?;
            let mut fields = before.clone();
            fields.insert(name.to_owned(), value.clone());
            evaluation.build(rest, variables, input, &fields, out)
        };
        if let (Term::Var(variable), None) = (name, value) {
            let Some(value) = variables.get(variable) else {
                return Err(Stop::Unavailable((*variable).to_owned()));
            };
            return put(self, variable.trim_start_matches('$'), value);
        }
        self.values(name, variables, input, &mut |evaluation, name| {
            let Some(text) = name.as_str() else { return misfit("the name of a field is not a text") };
            match value {
                Some(value) => {
                    evaluation.values(value, variables, input, &mut |evaluation, value| put(evaluation, text, &value))
                }
                None => {
                    let field = evaluation.at(input, &name)?;
                    put(evaluation, text, &field.value)
                }
            }
        })
    }

    fn branch<'t, 'v>(
        &mut self,
        branches: &'t [(Term<&'t str>, Term<&'t str>)],
        otherwise: Option<&'t Term<&'t str>>,
        variables: &JqVariables<'t>,
        input: &JqItem<'v>,
        out: Output<'_, 'v>,
    ) -> Flow {
        let Some(((condition, then), rest)) = branches.split_first() else {
            let input = self.copy(input)?;
            return match otherwise {
                Some(otherwise) => self.run(otherwise, variables, input, out),
                None => out(self, input),
            };
        };
        self.values(condition, variables, input, &mut |evaluation, condition| match is_true(&condition) {
            true => {
                let input = evaluation.copy(input)?;
                evaluation.run(then, variables, input, out)
            }
            false => evaluation.branch(rest, otherwise, variables, input, out),
        })
    }
}
