//! Declared engines: kinds, essential controllers, references, and external resources as data. Their objects are judged
//! by the rules for any kind and the table of conventions; engine-specific logic is a single function.

mod codes;
mod controllers;
mod text;

use std::collections::BTreeMap;

use crate::engine::any::{self, VerdictCodes};
use crate::engine::code::Code;
use crate::engine::controller::Controller;
use crate::engine::outside::ExternalPolicy;
use crate::engine::{
    AssessmentClock, AssessmentFacts, Cause, Engine, ExternalRole, Judgement, MemberSelector, Problem,
};
use crate::graph::link::{External, ExternalHealth, Link, LinkEnd, Relation};
use crate::model::body::any::GenericObject;
use crate::model::body::{Body, BodyShape, KindRequest};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) use codes::{ALL as CODES, verdicts};
pub(super) use controllers::DeclaredController;
pub(super) use text::TextLocation;

/// An engine that is declared as data.
pub(super) struct DeclaredEngine {
    /// The name of the engine, as its project writes it.
    pub(super) name: &'static str,
    /// `app.kubernetes.io/part-of` of its workloads, and its name for `--external-controllers`.
    pub(super) part_of: &'static str,
    /// The kinds that it judges; other kinds of its groups are not read.
    pub(super) kinds: &'static [KindSelector],
    /// The codes that belong to this engine only.
    pub(super) codes: &'static [Code],
    /// The code for each verdict.
    pub(super) verdicts: VerdictCodes,
    /// The essential controllers.
    pub(super) controllers: &'static [DeclaredController],
    /// References of its objects to others.
    pub(super) references: &'static [ReferenceField],
    /// Labels and annotations by which any object refers to its creator, an object of this engine.
    pub(super) parents: &'static [ParentReference],
    /// The annotation and label by which the members of its objects are found.
    pub(super) members: Option<MemberDeclaration>,
    /// The resources that its objects represent; those with external resources are listed.
    pub(super) stands_for: RepresentedResource,
    /// The engine-specific judgement of an object.
    pub(super) own: fn(&Resource, &GenericObject, &AssessmentClock) -> EngineJudgement,
}

/// The annotation and label by which objects find members that they do not list by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemberDeclaration {
    /// The annotation with the kinds of the members, such as `Deployment.apps,ConfigMap`.
    pub(super) kinds_in: &'static str,
    /// The label on the members.
    pub(super) label: &'static str,
}

/// The resources that the objects of an engine represent.
#[derive(Debug, Clone, Copy)]
pub(super) enum RepresentedResource {
    /// Resources in this cluster.
    Inside,
    /// External resources: the candidates for the external name, of which the first present one is used, and the
    /// effects of deletions and changes.
    Outside(&'static [TextLocation], &'static ExternalPolicy),
}

/// The engine-specific judgement of an object.
pub(super) enum EngineJudgement {
    /// None: the rules for any kind decide.
    Nothing,
    /// Problems in addition to those of the rules.
    Beside(Vec<Problem>),
    /// The complete judgement, which replaces that of the rules.
    Instead(Judgement),
}

impl EngineJudgement {
    /// Returns a judgement with only these problems, of which the worst decides.
    pub(super) fn only(problems: Vec<Problem>) -> Self {
        Self::Instead(Judgement::worst(problems, Judgement::ok(None)))
    }
}

/// A selection of kinds in an API group.
pub(super) struct KindSelector {
    /// The API group; a leading `*.` matches all subgroups, and `*` any group.
    pub(super) group: &'static str,
    /// The selected kinds.
    pub(super) which: KindFilter,
}

/// A selection of kinds.
pub(super) enum KindFilter {
    /// All except these, which only contain settings, and templates.
    AllBut(&'static [&'static str]),
    /// Only these.
    Only(&'static [&'static str]),
    /// Those in a category.
    InCategory(&'static str),
}

/// A field by which an object refers to another.
pub(super) struct ReferenceField {
    /// The relation to the referenced object.
    pub(super) relation: Relation,
    /// The path of a list or an object in `spec`, or in `status` with the prefix `status.`, that contains the
    /// references; empty if the fields are not in a list.
    pub(super) each: &'static str,
    pub(super) group: TextLocation,
    pub(super) kind: TextLocation,
    /// Absent for cluster-scoped objects, and for the namespace of the object itself.
    pub(super) namespace: TextLocation,
    pub(super) name: TextLocation,
}

/// Labels or annotations by which an object refers to its creator.
pub(super) struct ParentReference {
    pub(super) relation: Relation,
    pub(super) group: TextLocation,
    pub(super) kind: TextLocation,
    pub(super) namespace: TextLocation,
    pub(super) name: TextLocation,
}

impl DeclaredEngine {
    /// The defaults for an engine's declaration.
    pub(super) const NEW: Self = Self {
        name: "",
        part_of: "",
        kinds: &[],
        codes: &[],
        verdicts: any::ANY,
        controllers: &[],
        references: &[],
        parents: &[],
        members: None,
        stands_for: RepresentedResource::Inside,
        own: |_, _, _| EngineJudgement::Nothing,
    };

    fn has(&self, kind: &ResourceKind) -> bool {
        self.kinds.iter().any(|kinds| kinds.has(kind))
    }

    fn reference(&self, resource: &Resource, any: &GenericObject, reference: &ReferenceField) -> Vec<Link> {
        let items = match reference.each {
            "" => vec![None],
            path => {
                let (part, path) = path.strip_prefix("status.").map_or((&any.spec, path), |path| (&any.status, path));
                text::items(part, path).into_iter().map(Some).collect()
            }
        };
        let link = |item| {
            let read = |text: &TextLocation| text.read(resource, Some(any), item);
            let name = read(&reference.name)?;
            let group = read(&reference.group).unwrap_or_default();
            let group = text::group(&group).to_owned();
            let key = ObjectKey { group, kind: read(&reference.kind)?, namespace: read(&reference.namespace), name };
            Some(Link::from_declaring_object(reference.relation, LinkEnd::unversioned(key)))
        };
        items.into_iter().filter_map(link).collect()
    }
}

impl KindSelector {
    fn has(&self, kind: &ResourceKind) -> bool {
        let is_group = match self.group.strip_prefix("*.") {
            Some(parent) => kind.group.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => self.group == "*" || kind.group == self.group,
        };
        let name = kind.kind.as_str();
        is_group
            && match self.which {
                KindFilter::AllBut(left_out) => !left_out.contains(&name) && !name.ends_with("Template"),
                KindFilter::Only(kinds) => kinds.contains(&name),
                KindFilter::InCategory(category) => kind.in_category(category),
            }
    }
}

impl ParentReference {
    fn link(&self, resource: &Resource) -> Option<Link> {
        let read = |text: &TextLocation| text.read(resource, None, None);
        let name = read(&self.name)?;
        let key = ObjectKey {
            group: read(&self.group).unwrap_or_default(),
            kind: read(&self.kind)?,
            namespace: read(&self.namespace).filter(|namespace| !namespace.is_empty()),
            name,
        };
        // An object may carry the labels that refer to itself.
        let is_itself = key.kind == resource.kind.kind && key.name == resource.metadata.name;
        (!is_itself).then(|| Link::to_declaring_object(LinkEnd::unversioned(key), self.relation))
    }
}

impl Engine for DeclaredEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn part_of(&self) -> &'static str {
        self.part_of
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        self.has(kind).then(|| KindRequest::all(BodyShape::Any))
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        let Body::Any(any) = &resource.body else { return None };
        let by_rules = || any::judge_as(resource, any, clock, &[], &self.verdicts);
        // Engine-specific problems do not apply to objects that are being deleted or are paused.
        let is_let_be = resource.metadata.deletion_timestamp.is_some()
            || any::find_pause_mark(&resource.metadata, &any.spec).is_some();
        match (self.own)(resource, any, clock) {
            EngineJudgement::Nothing => Some(by_rules()),
            _ if is_let_be => Some(by_rules()),
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
