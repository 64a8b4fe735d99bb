//! A minimal engine in one file: the required parts of an adapter, and the test that they are sufficient.

use crate::engine::code::{Code, CodeInfo};
use crate::engine::{AssessmentClock, Engine, Judgement, Problem};
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
    use std::time::Duration;

    use super::*;
    use crate::engine::{assess, links, parse_code, want};
    use crate::graph::Graph;
    use crate::graph::walk::{GraphWalk, WalkDirection};
    use crate::model::state::ClusterState;
    use crate::report::resources::ResourceList;
    use crate::report::status::StatusReport;
    use crate::report::tree::Tree;
    use crate::report::version::{ClientVersion, VersionReport};
    use crate::source::{Query, snapshot};

    const SNAPSHOT: &str = r#"
apiVersion: toys.example.org/v1
kind: Toy
metadata: {name: train, uid: "1", labels: {toys.example.org/shelf: top-shelf}}
status: {conditions: [{type: Whole, status: "False", reason: Dropped, message: a wheel is off}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: toys, namespace: toys, uid: "2", labels: {app.kubernetes.io/part-of: toys, app.kubernetes.io/version: v4.2.0}}
spec: {replicas: 1}
status: {readyReplicas: 1}
"#;

    fn state() -> ClusterState {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("toys.yaml");
        std::fs::write(&file, SNAPSHOT).unwrap();
        snapshot::read(&file, &Query { want: &want, namespace: None, progress: &|_, _| {} }).unwrap()
    }

    #[test]
    fn an_engine_is_one_file_and_one_line() {
        let state = state();
        let clock =
            AssessmentClock { now: state.moment, stuck_after: Duration::from_mins(15), comparison_interval: None };
        let assessment = assess(&state, &clock);

        let status = StatusReport::from_assessment(&state, &assessment);
        let row = status.engines.iter().find(|engine| engine.name == "Toys").unwrap();
        assert_eq!((row.version.as_deref(), row.verdict), (Some("4.2.0"), Verdict::Failed));
        let finding = status.findings.iter().find(|finding| finding.code == "UCP901").unwrap();
        assert_eq!(finding.message, "a wheel is off");
        assert_eq!(finding.hint.as_deref(), Some("kubectl get toy.toys.example.org/train -o yaml"));
        assert_eq!(parse_code("ucp901").map(|code| code.info().title), Some("a toy is broken"));

        let list = ResourceList::from_assessment(&state, &assessment, |_, _| true);
        assert_eq!(
            list.items.iter().map(|item| (item.object.name.as_str(), item.verdict)).collect::<Vec<_>>(),
            [("train", Verdict::Failed)]
        );

        let graph = Graph::from_state(&state, links, &[], &BTreeSet::new());
        let toy = graph.find(&list_key(&state)).unwrap();
        let walk = GraphWalk::from(&graph, toy, WalkDirection::Both, usize::MAX);
        let tree = Tree::from_walk(&state, &graph, &walk, &assessment, &clock);
        assert_eq!(tree.nodes.len(), 2);
        assert_eq!(tree.edges[0].from, "toy.toys.example.org/train");
        assert_eq!(tree.findings[0].code, "UCP901");

        let version = VersionReport::from_client(ClientVersion::current()).with_engines(&state);
        assert_eq!(
            version.engines.iter().map(|engine| (engine.name.as_str(), engine.version.as_str())).collect::<Vec<_>>(),
            [("Toys", "4.2.0")]
        );
    }

    fn list_key(state: &ClusterState) -> crate::model::object::ObjectKey {
        state.resources.iter().find(|resource| resource.kind.kind == "Toy").unwrap().key()
    }
}
