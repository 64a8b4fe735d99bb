//! Declared engines: kinds, essential controllers, references, and external resources as data. Their objects are judged
//! by the rules for any kind and the table of conventions; engine-specific logic is a single function.

mod codes;
mod controllers;
mod declaration;
mod text;

use std::collections::BTreeMap;

use crate::engine::adapter::{Engine, ExternalRole, MemberSelector};
use crate::engine::any;
use crate::engine::code::Code;
use crate::engine::controller::description::Controller;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, Judgement};
use crate::engine::outside::ExternalPolicy;
use crate::graph::link::{External, ExternalHealth, Link, LinkEnd, Relation};
use crate::model::body::{Body, BodyShape, KindRequest};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) use codes::{ALL as CODES, verdicts};
pub(super) use declaration::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, MemberDeclaration, ParentReference,
    ReferenceField, RepresentedResource,
};
pub(super) use text::TextLocation;

impl Engine for DeclaredEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn part_of(&self) -> &'static str {
        self.part_of
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        self.has(kind).then(|| KindRequest::ruled(BodyShape::Any))
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        let Body::Any(any) = &resource.body else { return None };
        let by_rules = || any::judge_as(resource, any, clock, &[], &self.verdicts);
        // Engine-specific problems do not apply to objects that are being deleted or are paused.
        let is_let_be = resource.metadata.deletion_timestamp.is_some()
            || any::find_pause_mark(&resource.metadata, &any.spec, clock.now).is_some();
        match (self.own)(resource, any, clock) {
            EngineJudgement::Nothing => Some(by_rules()),
            _ if is_let_be => Some(by_rules()),
            EngineJudgement::AtBest(judgement) => {
                let judged = by_rules();
                Some(if judged.verdict == Verdict::Ok { judgement } else { judged })
            }
            EngineJudgement::Instead(judgement) => Some(judgement),
            EngineJudgement::Beside(problems) => {
                let judged = by_rules();
                let mut all = judged.problems.clone();
                all.extend(problems);
                Some(Judgement::worst(all, judged))
            }
        }
    }

    fn codes(&self) -> &'static [Code] {
        self.codes
    }

    fn version(&self, state: &ClusterState) -> Option<String> {
        controllers::version(self, state)
    }

    fn external_name(&self, resource: &Resource) -> Option<String> {
        let (RepresentedResource::Outside(names, _), Body::Any(any)) = (self.stands_for, &resource.body) else {
            return None;
        };
        names.iter().find_map(|name| name.read(resource, Some(any), None))
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        let mut links: Vec<Link> = self.parents.iter().filter_map(|parent| parent.link(resource)).collect();
        let Body::Any(any) = &resource.body else { return links };
        if !self.has(&resource.kind) {
            return links;
        }
        links.extend(self.references.iter().flat_map(|reference| self.reference(resource, any, reference)));
        if let Some(name) = self.external_name(resource) {
            let external = External {
                kind: resource.kind.kind.clone(),
                namespace: None,
                name,
                cluster: None,
                health: ExternalHealth::Inherited,
            };
            links.push(Link::from_declaring_object(Relation::Represents, LinkEnd::External(external)));
        }
        links
    }

    fn members(&self, resource: &Resource) -> Option<MemberSelector> {
        let MemberDeclaration { kinds_in, label } = self.members.filter(|_| self.has(&resource.kind))?;
        let named = resource.metadata.annotation(kinds_in)?.split(',').filter(|name| !name.is_empty());
        let pair = |name: &str| {
            let (kind, group) = name.split_once('.').unwrap_or((name, ""));
            (group.to_owned(), kind.to_owned())
        };
        Some(MemberSelector { label, kinds: named.map(pair).collect() })
    }

    fn purpose(&self, kind: &ResourceKind) -> Option<ExternalRole> {
        let is_outside = matches!(self.stands_for, RepresentedResource::Outside(..)) && self.has(kind);
        is_outside.then_some(ExternalRole::External)
    }

    fn outside(&self, kind: &ResourceKind) -> Option<&'static ExternalPolicy> {
        match self.stands_for {
            RepresentedResource::Outside(_, outside) if self.has(kind) => Some(outside),
            _ => None,
        }
    }

    fn controllers<'state>(&self, state: &'state ClusterState) -> Vec<Controller<'state>> {
        controllers::list_controllers(self, state)
    }

    /// Returns objects that other objects of this engine need: an issuer, a store, or a network.
    fn causes(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (held, entry) in facts.judged.iter().enumerate().filter(|(_, entry)| entry.engine == self.name) {
            let waits = matches!(
                entry.judgement.verdict,
                Verdict::Failed | Verdict::Stuck | Verdict::Progressing | Verdict::Unknown
            );
            for edge in facts.graph.down(entry.node).iter().filter(|edge| waits && edge.relation.is_need()) {
                let Some(position) = facts.position(edge.node).filter(|position| *position != held) else { continue };
                let needed = &facts.judged[position];
                let is_to_blame = !needed.judgement.problems.is_empty() && needed.judgement.verdict < Verdict::Paused;
                if needed.engine == self.name && is_to_blame {
                    blamed.entry(position).or_default().push(held);
                }
            }
        }
        facts.causes(blamed)
    }
}
