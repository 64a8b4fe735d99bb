//! A minimal engine in one file: the required parts of an adapter, and the test that they are sufficient.

use crate::engine::adapter::Engine;
use crate::engine::code::{Code, CodeInfo};
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::graph::link::{External, Link, LinkEnd, Relation};
use crate::model::body::{BodyShape, KindRequest};
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

const BROKEN: Code = Code::new(&CodeInfo {
    code: "UCP901",
    verdict: Verdict::Failed,
    title: "a toy is broken",
    meaning: "Condition Whole of a Toy is False.",
    advice: "Glue it.",
    command: "kubectl get {object} -o yaml",
});

pub(super) struct ToyEngine;

impl Engine for ToyEngine {
    fn name(&self) -> &'static str {
        "Toys"
    }

    fn part_of(&self) -> &'static str {
        "toys"
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        (kind.group == "toys.example.org").then(|| KindRequest::all(BodyShape::Conditions))
    }

    fn judge(&self, resource: &Resource, _: &AssessmentClock) -> Option<Judgement> {
        let broken = resource.conditions.with_status("Whole", ConditionStatus::False);
        let problems = broken.map(|condition| Problem::new(BROKEN, condition.last_transition_time, &condition.message));
        (resource.kind.group == "toys.example.org")
            .then(|| Judgement::worst(problems.into_iter().collect(), Judgement::ok(None)))
    }

    fn codes(&self) -> &'static [Code] {
        &[BROKEN]
    }

    fn is_listed(&self, kind: &ResourceKind) -> bool {
        self.want(kind).is_some()
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        let shelf =
            resource.metadata.label("toys.example.org/shelf").map(|shelf| LinkEnd::External(External::named(shelf)));
        shelf.map(|shelf| Link::from_declaring_object(Relation::Represents, shelf)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::time::Duration;

    use serde::de::DeserializeSeed as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::engine::assessment::assess;
    use crate::engine::engines::links;
    use crate::engine::presence::is_present;
    use crate::engine::{controller, parse_code, want};
    use crate::graph::Graph;
    use crate::graph::walk::{GraphWalk, WalkDirection};
    use crate::model::seed::ResourceSeed;
    use crate::model::state::{ClusterState, Origin};

    fn toy() -> Value {
        json!({
            "metadata": {"name": "train", "uid": "1", "labels": {"toys.example.org/shelf": "top-shelf"}},
            "status": {"conditions": [
                {"type": "Whole", "status": "False", "reason": "Dropped", "message": "a wheel is off"},
            ]},
        })
    }

    fn its_controller() -> Value {
        json!({
            "metadata": {
                "name": "toys", "namespace": "toys", "uid": "2",
                "labels": {"app.kubernetes.io/part-of": "toys", "app.kubernetes.io/version": "v4.2.0"},
            },
            "spec": {"replicas": 1},
            "status": {"readyReplicas": 1},
        })
    }

    /// Reads the objects as a source does: each in the shape that an engine requests for its kind.
    fn state() -> ClusterState {
        let toys = Arc::new(ResourceKind::guess("toys.example.org", "Toy"));
        let deployments = Arc::new(ResourceKind::guess("apps", "Deployment"));
        let read = |kind: &Arc<ResourceKind>, object: Value| {
            ResourceSeed { kind, shape: want(kind).unwrap().shape }.deserialize(object).unwrap()
        };
        let origin = Origin::Snapshot { path: "toys.yaml".to_owned() };
        ClusterState {
            resources: vec![read(&toys, toy()), read(&deployments, its_controller())],
            kinds: vec![toys, deployments],
            ..ClusterState::empty(origin, "2026-11-20T09:10:00Z".parse().unwrap())
        }
    }

    #[test]
    fn an_engine_needs_a_single_file_and_a_single_line() {
        let state = state();
        let clock =
            AssessmentClock { now: state.moment, stuck_after: Duration::from_mins(15), comparison_interval: None };
        let assessment = assess(&state, &clock);

        let [judged] = assessment.judged.as_slice() else { panic!("{:?}", assessment.judged) };
        assert_eq!((judged.resource.metadata.name.as_str(), judged.engine), ("train", "Toys"));
        assert_eq!(judged.judgement.verdict, Verdict::Failed);
        let [problem] = judged.judgement.problems.as_slice() else { panic!("{:?}", judged.judgement) };
        assert_eq!((problem.code, problem.message.as_str()), (BROKEN, "a wheel is off"));
        assert_eq!(parse_code("ucp901").map(|code| code.info().title), Some("a toy is broken"));

        assert!(is_present(&state));
        assert_eq!(controller::version(&state, ToyEngine.part_of()).as_deref(), Some("4.2.0"));

        let graph = Graph::from_state(&state, links, &[], &BTreeSet::new());
        let toy = graph.find(&state.resources[0].key()).unwrap();
        let walk = GraphWalk::from(&graph, toy, WalkDirection::Both, usize::MAX);
        assert_eq!(walk.nodes().len(), 2, "the toy and its shelf");
    }
}
