//! What is said of objects: judgements, problems, causes, and the facts that they are found in.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::code::Code;
use super::controller::Controllers;
use crate::graph::{LazyGraph, NodeId};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;
use crate::model::word::Word;

/// Everything that causes are looked for in.
#[derive(Clone, Copy)]
pub struct Facts<'facts, 'state> {
    /// The cluster.
    pub state: &'state ClusterState,
    /// Its objects, and what they have to do with each other.
    pub graph: &'facts LazyGraph<'state>,
    /// Its judged objects.
    pub judged: &'facts [Judged<'state>],
    /// Of each object of the state, its position among the judged.
    pub positions: &'facts [Option<usize>],
    /// Its controllers.
    pub controllers: &'facts Controllers<'state>,
    /// Now, and how long is too long.
    pub clock: &'facts Clock,
}

impl Facts<'_, '_> {
    /// The position of an object among the judged.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.positions.get(node).copied().flatten()
    }

    /// A cause for each judged object that is to blame, in its own words, with what it holds up.
    pub fn causes(&self, blamed: BTreeMap<usize, Vec<usize>>) -> Vec<Cause> {
        let causes = blamed.into_iter().filter_map(|(position, holds_up)| {
            let entry = &self.judged[position];
            Some(Cause { object: entry.resource.name(), problem: entry.judgement.problems.first()?.clone(), holds_up })
        });
        causes.collect()
    }
}

/// Now, and how long is too long.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The moment that the state speaks of.
    pub now: Timestamp,
    /// `--stuck-after`: progressing for longer is stuck.
    pub stuck_after: Duration,
}

impl Clock {
    /// Whether something that began then has taken too long.
    pub fn is_overdue(&self, since: Option<Timestamp>) -> bool {
        let limit = SignedDuration::try_from(self.stuck_after).unwrap_or(SignedDuration::MAX);
        since.is_some_and(|since| self.now.duration_since(since) > limit)
    }

    /// The verdict on something that has been under way since then.
    pub fn under_way(&self, since: Option<Timestamp>) -> Verdict {
        if self.is_overdue(since) { Verdict::Stuck } else { Verdict::Progressing }
    }
}

/// How one object is doing.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The worst of it.
    pub verdict: Verdict,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The most useful words of the engine, where it is not well.
    pub message: Option<Word>,
    /// What a person should see, worst first. Progress within its time has none.
    pub problems: Vec<Problem>,
}

impl Judgement {
    /// All is well.
    pub fn ok(since: Option<Timestamp>) -> Self {
        Self { verdict: Verdict::Ok, since, message: None, problems: Vec::new() }
    }

    /// Not well, but nothing to report yet.
    pub fn quiet(verdict: Verdict, since: Option<Timestamp>, message: impl Into<Word>) -> Self {
        Self { verdict, since, message: Some(message.into()), problems: Vec::new() }
    }

    /// The worst of several problems; `otherwise` where there is none.
    pub fn worst(mut problems: Vec<Problem>, otherwise: Self) -> Self {
        problems.sort_by_key(|problem| problem.code.info().verdict);
        let Some(worst) = problems.first() else { return otherwise };
        let verdict = worst.code.info().verdict;
        if otherwise.verdict < verdict {
            return Self { problems, ..otherwise };
        }
        Self { verdict, since: worst.since, message: Some(worst.message.as_str().into()), problems }
    }
}

/// One thing that is wrong with one object.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What kind of thing; decides the verdict.
    pub code: Code,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The engine's own words.
    pub message: String,
    /// The next command, where the code's own is not exact enough.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem in the engine's words.
    pub fn new(code: Code, since: Option<Timestamp>, message: impl Into<String>) -> Self {
        Self { code, since, message: message.into(), hint: None }
    }
}

/// A judged object.
#[derive(Debug)]
pub struct Judged<'state> {
    /// The object.
    pub resource: &'state Resource,
    /// Its node in the graph.
    pub node: NodeId,
    /// Whose it is.
    pub engine: &'static str,
    /// How it is doing.
    pub judgement: Judgement,
}

/// A problem that several objects share. Those it holds up do not report it again.
#[derive(Debug)]
pub struct Cause {
    /// The object that is to blame.
    pub object: crate::model::object::ObjectName,
    /// What is wrong with it.
    pub problem: Problem,
    /// Positions, among the judged, of the objects that wait for it.
    pub holds_up: Vec<usize>,
}
