//! The declaration of an engine as data: its kinds, controllers, references, and the resources that its objects represent.

use super::text;
use super::text::TextLocation;
use crate::engine::any::{self, VerdictCodes};
use crate::engine::code::Code;
use crate::engine::controller::description::ControllerNeed;
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::engine::outside::ExternalPolicy;
use crate::graph::link::{Link, LinkEnd, Relation};
use crate::model::body::any::GenericObject;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;

/// An engine that is declared as data.
pub(in crate::engine) struct DeclaredEngine {
    /// The name of the engine, as its project writes it.
    pub(in crate::engine) name: &'static str,
    /// `app.kubernetes.io/part-of` of its workloads, and its name for `--external-controllers`.
    pub(in crate::engine) part_of: &'static str,
    /// The kinds that it judges; other kinds of its groups are not read.
    pub(in crate::engine) kinds: &'static [KindSelector],
    /// The codes that belong to this engine only.
    pub(in crate::engine) codes: &'static [Code],
    /// The code for each verdict.
    pub(in crate::engine) verdicts: VerdictCodes,
    /// The essential controllers.
    pub(in crate::engine) controllers: &'static [DeclaredController],
    /// References of its objects to others.
    pub(in crate::engine) references: &'static [ReferenceField],
    /// Labels and annotations by which any object refers to its creator, an object of this engine.
    pub(in crate::engine) parents: &'static [ParentReference],
    /// The annotation and label by which the members of its objects are found.
    pub(in crate::engine) members: Option<MemberDeclaration>,
    /// The resources that its objects represent; those with external resources are listed.
    pub(in crate::engine) stands_for: RepresentedResource,
    /// The engine-specific judgement of an object.
    pub(in crate::engine) own: fn(&Resource, &GenericObject, &AssessmentClock) -> EngineJudgement,
}

/// The declaration of a controller.
pub(in crate::engine) struct DeclaredController {
    /// The names of its Deployment, label, or image; the first is the upstream name of the workload. `{service}` is
    /// replaced by the first segment of an API group, which declares one controller per group.
    pub(in crate::engine) names: &'static [&'static str],
    /// The kinds that it reconciles; all kinds of the engine if empty.
    pub(in crate::engine) kinds: &'static [&'static str],
    /// The consequence of a missing workload.
    pub(in crate::engine) need: ControllerNeed,
    /// Returns true for objects of other engines that use it.
    pub(in crate::engine) serves: fn(&Resource) -> bool,
}

impl DeclaredController {
    /// Declares an essential controller for all objects of the engine.
    pub(in crate::engine) const fn all(names: &'static [&'static str]) -> Self {
        Self { names, kinds: &[], need: ControllerNeed::Essential, serves: |_| false }
    }

    /// Declares an essential controller for some kinds.
    pub(in crate::engine) const fn for_kinds(names: &'static [&'static str], kinds: &'static [&'static str]) -> Self {
        Self { names, kinds, need: ControllerNeed::Essential, serves: |_| false }
    }
}

/// The annotation and label by which objects find members that they do not list by name.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct MemberDeclaration {
    /// The annotation with the kinds of the members, such as `Deployment.apps,ConfigMap`.
    pub(in crate::engine) kinds_in: &'static str,
    /// The label on the members.
    pub(in crate::engine) label: &'static str,
}

/// The resources that the objects of an engine represent.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) enum RepresentedResource {
    /// Resources in this cluster.
    Inside,
    /// External resources: the candidates for the external name, of which the first present one is used, and the
    /// effects of deletions and changes.
    Outside(&'static [TextLocation], &'static ExternalPolicy),
}

/// The engine-specific judgement of an object.
pub(in crate::engine) enum EngineJudgement {
    /// None: the rules for any kind decide.
    Nothing,
    /// Problems in addition to those of the rules.
    Beside(Vec<Problem>),
    /// A judgement that replaces that of the rules if it is OK.
    AtBest(Judgement),
    /// The complete judgement, which replaces that of the rules.
    Instead(Judgement),
}

impl EngineJudgement {
    /// Returns a judgement with only these problems, of which the worst decides.
    pub(in crate::engine) fn only(problems: Vec<Problem>) -> Self {
        Self::Instead(Judgement::worst(problems, Judgement::ok(None)))
    }
}

/// A selection of kinds in an API group.
pub(in crate::engine) struct KindSelector {
    /// The API group; a leading `*.` matches all subgroups, and `*` any group.
    pub(in crate::engine) group: &'static str,
    /// The selected kinds.
    pub(in crate::engine) which: KindFilter,
}

/// A selection of kinds.
pub(in crate::engine) enum KindFilter {
    /// All except these, which only contain settings, and templates.
    AllBut(&'static [&'static str]),
    /// Only these.
    Only(&'static [&'static str]),
    /// All except those of other projects, in these groups and below them.
    OutsideOf(&'static [&'static str]),
    /// Those in a category.
    InCategory(&'static str),
}

/// A field by which an object refers to another.
pub(in crate::engine) struct ReferenceField {
    /// The relation to the referenced object.
    pub(in crate::engine) relation: Relation,
    /// The path of a list or an object in `spec`, or in `status` with the prefix `status.`, that contains the
    /// references; empty if the fields are not in a list.
    pub(in crate::engine) each: &'static str,
    pub(in crate::engine) group: TextLocation,
    pub(in crate::engine) kind: TextLocation,
    /// Absent for cluster-scoped objects, and for the namespace of the object itself.
    pub(in crate::engine) namespace: TextLocation,
    pub(in crate::engine) name: TextLocation,
}

/// Labels or annotations by which an object refers to its creator.
pub(in crate::engine) struct ParentReference {
    pub(in crate::engine) relation: Relation,
    pub(in crate::engine) group: TextLocation,
    pub(in crate::engine) kind: TextLocation,
    pub(in crate::engine) namespace: TextLocation,
    pub(in crate::engine) name: TextLocation,
}

impl DeclaredEngine {
    /// The defaults for an engine's declaration.
    pub(in crate::engine) const NEW: Self = Self {
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

    pub(super) fn has(&self, kind: &ResourceKind) -> bool {
        self.kinds.iter().any(|kinds| kinds.has(kind))
    }

    pub(super) fn reference(&self, resource: &Resource, any: &GenericObject, reference: &ReferenceField) -> Vec<Link> {
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
        let is_below = |parent: &str| kind.group.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'));
        let is_group = match self.group.strip_prefix("*.") {
            Some(parent) => is_below(parent),
            None => self.group == "*" || kind.group == self.group,
        };
        let name = kind.kind.as_str();
        let is_template = name.ends_with("Template");
        is_group
            && match self.which {
                KindFilter::AllBut(left_out) => !left_out.contains(&name) && !is_template,
                KindFilter::Only(kinds) => kinds.contains(&name),
                KindFilter::OutsideOf(groups) => {
                    !groups.iter().any(|group| kind.group == *group || is_below(group)) && !is_template
                }
                KindFilter::InCategory(category) => kind.in_category(category),
            }
    }
}

impl ParentReference {
    pub(super) fn link(&self, resource: &Resource) -> Option<Link> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_other_projects_below_a_domain_are_not_selected() {
        let selector = KindSelector { group: "*.example.org", which: KindFilter::OutsideOf(&["fleet.example.org"]) };
        for (group, expected) in [
            ("storage.example.org", true),
            ("network.front.example.org", true),
            ("fleet.example.org", false),
            ("networking.fleet.example.org", false),
            ("example.org", false),
        ] {
            assert_eq!(selector.has(&ResourceKind::guess(group, "Bucket")), expected, "{group}");
        }
    }
}
