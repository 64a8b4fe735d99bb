//! Judgements, problems, and causes, and the facts from which they are derived.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::code::Code;
use super::recovery::lasting_evidence;
use crate::graph::{Edge, LazyGraph, NodeId, NodePresence};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;
use crate::model::word::SharedText;

/// The data from which causes are derived.
#[derive(Clone, Copy)]
pub struct AssessmentFacts<'facts, 'state> {
    /// The state of the cluster.
    pub state: &'state ClusterState,
    /// The objects of the cluster and their links.
    pub graph: &'facts LazyGraph<'state>,
    /// The judged objects of the cluster.
    pub judged: &'facts [JudgedObject<'state>],
    /// For each object of the state, its position in the list of judged objects.
    pub positions: &'facts [Option<usize>],
    /// Returns the workload of a controller, by the controller's name, if it was found and does not run.
    pub down_workload: &'facts dyn Fn(&str) -> Option<(ObjectName, Problem)>,
    /// The current time, and the threshold for stuck operations.
    pub clock: &'facts AssessmentClock,
}

impl<'state> AssessmentFacts<'_, 'state> {
    /// Returns a message about each object that is OK while an object that it names does not exist: its status is of a time when
    /// that existed. `named` returns the links of an object that count.
    pub fn without_foundation<'edge>(
        &'edge self,
        named: impl Fn(&JudgedObject<'state>) -> Vec<&'edge Edge>,
    ) -> Vec<(usize, String)> {
        let ready = self.judged.iter().enumerate().filter(|(_, entry)| entry.judgement.verdict == Verdict::Ok);
        let is_absent = |edge: &&Edge| matches!(self.graph.node(edge.node).presence, NodePresence::Missing);
        let found = ready.filter_map(|(index, entry)| {
            let absent = named(entry).into_iter().find(is_absent)?;
            let name = self.graph.name(absent.node)?;
            Some((index, format!("{name} does not exist; the status is of a time when it existed")))
        });
        found.collect()
    }

    /// Returns the position of an object in the list of judged objects.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.positions.get(node).copied().flatten()
    }

    /// Returns a cause for each object that is responsible, with its own message and the objects that it blocks.
    pub fn causes(&self, blamed: BTreeMap<usize, Vec<usize>>) -> Vec<Cause> {
        let causes = blamed.into_iter().filter_map(|(position, holds_up)| {
            let entry = &self.judged[position];
            Some(Cause { object: entry.resource.name(), problem: entry.judgement.problems.first()?.clone(), holds_up })
        });
        causes.collect()
    }
}

/// The current time, and the threshold for stuck operations.
#[derive(Debug, Clone, Copy)]
pub struct AssessmentClock {
    /// The time of the cluster state.
    pub now: Timestamp,
    /// `--stuck-after`: an operation in progress for longer than this is stuck.
    pub stuck_after: Duration,
    /// The time between two comparisons of an Application, if the Argo CD of the cluster sets it.
    pub comparison_interval: Option<Duration>,
}

impl AssessmentClock {
    /// Returns true if an operation with this start time takes too long.
    pub fn is_overdue(&self, since: Option<Timestamp>) -> bool {
        let limit = SignedDuration::try_from(self.stuck_after).unwrap_or(SignedDuration::MAX);
        since.is_some_and(|since| self.now.duration_since(since) > limit)
    }

    /// Returns true if an error may end by itself: its message does not say that it lasts, and the engine has tried for
    /// less than `patience`, a few of its own periods, and less than `--stuck-after`. An error without a start time
    /// counts as old.
    pub fn may_recover(&self, message: &str, since: Option<Timestamp>, patience: SignedDuration) -> bool {
        let limit = SignedDuration::try_from(self.stuck_after).unwrap_or(SignedDuration::MAX).min(patience);
        lasting_evidence(message).is_none() && since.is_some_and(|since| self.now.duration_since(since) < limit)
    }

    /// Returns the verdict for an operation with this start time.
    pub fn under_way(&self, since: Option<Timestamp>) -> Verdict {
        if self.is_overdue(since) { Verdict::Stuck } else { Verdict::Progressing }
    }
}

/// The state of one object.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The worst verdict.
    pub verdict: Verdict,
    /// The start time of this state, if known.
    pub since: Option<Timestamp>,
    /// The most useful message of the engine if the object is not OK.
    pub message: Option<SharedText>,
    /// The problems to report, worst first. An operation that progresses within its time is no problem.
    pub problems: Vec<Problem>,
}

impl Judgement {
    /// Creates a judgement without problems.
    pub fn ok(since: Option<Timestamp>) -> Self {
        Self { verdict: Verdict::Ok, since, message: None, problems: Vec::new() }
    }

    /// Creates a judgement that is not OK, but has no problem to report yet.
    pub fn quiet(verdict: Verdict, since: Option<Timestamp>, message: impl Into<SharedText>) -> Self {
        Self { verdict, since, message: Some(message.into()), problems: Vec::new() }
    }

    /// Returns the worst of several problems; `otherwise` if there are none.
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

/// One problem of one object.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The kind of problem, which determines the verdict.
    pub code: Code,
    /// The start time of the problem, if known.
    pub since: Option<Timestamp>,
    /// The original message of the engine.
    pub message: String,
    /// The next command, if the one of the code is not specific enough.
    pub hint: Option<String>,
}

impl Problem {
    /// Creates a problem with the message of the engine.
    pub fn new(code: Code, since: Option<Timestamp>, message: impl Into<String>) -> Self {
        Self { code, since, message: message.into(), hint: None }
    }
}

/// An object with its judgement.
#[derive(Debug)]
pub struct JudgedObject<'state> {
    /// The judged object.
    pub resource: &'state Resource,
    /// The node of the object in the graph.
    pub node: NodeId,
    /// The name of the engine that the object belongs to.
    pub engine: &'static str,
    /// The judgement of the object.
    pub judgement: Judgement,
}

/// A problem that affects several objects. The affected objects do not report it themselves.
#[derive(Debug)]
pub struct Cause {
    /// The object that causes the problem.
    pub object: ObjectName,
    /// The problem of that object.
    pub problem: Problem,
    /// Positions, in the list of judged objects, of the objects that wait for it.
    pub holds_up: Vec<usize>,
}
