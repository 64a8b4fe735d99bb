//! Checks whether Crossplane's core may manage the kinds that Compositions compose. Without these rights, core reports
//! only that an informer did not sync in time (crossplane#6544, #7398), or that one object is forbidden.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::{DoctorFacts, text, whole_object};
use crate::adopt::names::NamespacedName;
use crate::plan::granted_rules::{includes_account, rule_allows};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, core};
use ucp_core::model::body::Body;
use ucp_core::model::kind::guess_plural;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_core::model::resource::Resource;

const RBAC: &str = "rbac.authorization.k8s.io";
const COMPOSITES: &[CrossplaneRole] = &[CrossplaneRole::Composite];

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "core-rights",
    codes: &[Code::CoreRightsMissing],
    reads: &[
        RequiredData::IfThere("apiextensions.crossplane.io", "Composition"),
        RequiredData::Roles(COMPOSITES),
        RequiredData::IfThere(RBAC, "ClusterRole"),
        RequiredData::IfThere(RBAC, "ClusterRoleBinding"),
    ],
    run: missing_core_rights,
}];

/// Core watches each composed kind in the whole cluster, even for namespaced composites.
const WATCHING: [&str; 2] = ["list", "watch"];
/// Core applies composed objects (`patch` creates with `create`), and deletes those that are no longer desired.
const WRITING: [&str; 3] = ["create", "patch", "delete"];

fn missing_core_rights(facts: &DoctorFacts<'_>) -> CheckFindings {
    let composed = composed_kinds(facts);
    if composed.is_empty() {
        return CheckFindings::default();
    }
    let unknown = |reason: String| CheckFindings { found: Vec::new(), unknown: vec![reason] };
    if let Some(kind) = ["ClusterRole", "ClusterRoleBinding"].iter().find(|kind| !facts.state.has_read(RBAC, kind)) {
        return unknown(format!("no {kind} was read, so the rights of Crossplane's core are unknown"));
    }
    let accounts: BTreeSet<NamespacedName> = core(facts.state).into_iter().filter_map(service_account).collect();
    if accounts.is_empty() {
        return unknown("Crossplane's core was not found, so its rights are unknown".to_owned());
    }
    let found = accounts.iter().flat_map(|account| {
        let rights = GrantedRights::of_account(facts, account);
        composed.iter().filter_map(move |(composition, kinds)| check_composition(account, &rights, composition, kinds))
    });
    found.collect()
}

/// Returns a finding if the ServiceAccount may not manage all kinds that a Composition composes.
fn check_composition(
    account: &NamespacedName,
    rights: &GrantedRights<'_>,
    composition: &ObjectName,
    kinds: &BTreeSet<ComposedKind>,
) -> Option<CheckFinding> {
    let missing = |verbs: &[&str]| -> Vec<String> {
        let of_kind = |kind: &ComposedKind| {
            let verbs: Vec<_> = verbs.iter().copied().filter(|verb| !rights.allow(kind, verb)).collect();
            (!verbs.is_empty()).then(|| format!("{} {}", verbs.join("/"), kind.qualified_plural()))
        };
        kinds.iter().filter_map(of_kind).collect()
    };
    let (watching, writing) = (missing(&WATCHING), missing(&WRITING));
    // Without the first, no object of the Composition is composed. A RoleBinding, which is not read, may grant the second.
    let severity = if watching.is_empty() { FindingSeverity::Warning } else { FindingSeverity::Error };
    let missing = [watching, writing].concat();
    if missing.is_empty() {
        return None;
    }
    let evidence = format!(
        "no ClusterRoleBinding allows Crossplane's core, which runs as ServiceAccount {}/{}, to: {}",
        account.namespace,
        account.name,
        missing.join(", ")
    );
    Some(CheckFinding::new(Code::CoreRightsMissing, severity, composition.clone(), evidence))
}

/// A kind that a Composition composes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ComposedKind {
    group: String,
    plural: String,
}

impl ComposedKind {
    fn qualified_plural(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

/// Returns the kinds that each Composition composes: the bases of its pipeline's inputs, and the objects that its
/// composites refer to. Kinds that only a template names are unknown until a composite has them.
fn composed_kinds(facts: &DoctorFacts<'_>) -> BTreeMap<ObjectName, BTreeSet<ComposedKind>> {
    let plurals = defined_plurals(facts);
    let kind = |api_version: &str, kind: &str| {
        let group = group_of(api_version);
        let plural =
            plurals.get(&(group, kind)).map_or_else(|| guess_plural(&kind.to_lowercase()), ToString::to_string);
        ComposedKind { group: group.to_owned(), plural }
    };
    let mut composed: BTreeMap<ObjectName, BTreeSet<ComposedKind>> = BTreeMap::new();
    let mut compositions = BTreeMap::new();
    for composition in facts.of_kind("apiextensions.crossplane.io", "Composition") {
        compositions.insert(composition.metadata.name.as_str(), composition.name());
        let kinds = bases(whole_object(composition)).map(|(api_version, name)| kind(api_version, name));
        composed.entry(composition.name()).or_default().extend(kinds);
    }
    for composite in facts.of_role(COMPOSITES) {
        let Body::Crossplane(body) = &composite.body else { continue };
        let Some(composition) = body.composition.as_deref().and_then(|name| compositions.get(name)) else { continue };
        let kinds = body
            .composed
            .iter()
            .filter_map(|reference| Some(kind(reference.api_version.as_deref()?, reference.kind.as_deref()?)));
        composed.entry(composition.clone()).or_default().extend(kinds);
    }
    composed.retain(|_, kinds| !kinds.is_empty());
    composed
}

/// Returns `apiVersion` and `kind` of the bases in a Composition.
fn bases(composition: &Value) -> impl Iterator<Item = (&str, &str)> {
    composed_resources(composition).filter_map(|(_, resource)| {
        let base = resource.get("base")?;
        Some((base.get("apiVersion")?.as_str()?, base.get("kind")?.as_str()?))
    })
}

/// Returns the composed resources in a Composition, each with the object that also has its sets of patches:
/// `resources[]` of function-patch-and-transform's input, and of a Composition without a pipeline.
pub(super) fn composed_resources(composition: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let inputs = list(composition, "/spec/pipeline").filter_map(|step| step.get("input"));
    let holders = inputs.chain(composition.get("spec"));
    holders.flat_map(|holder| list(holder, "/resources").map(move |resource| (holder, resource)))
}

/// Returns the plurals that CRDs define, by group and kind.
fn defined_plurals<'a>(facts: &DoctorFacts<'a>) -> BTreeMap<(&'a str, &'a str), &'a str> {
    let definitions = facts.of_kind("apiextensions.k8s.io", "CustomResourceDefinition");
    let plural = |resource: &'a Resource| match &resource.body {
        // A CRD is named plural.group.
        Body::Definition(body) => {
            let (plural, _) = resource.metadata.name.split_once('.')?;
            Some(((body.group.as_str(), body.kind.as_str()), plural))
        }
        _ => None,
    };
    definitions.filter_map(plural).collect()
}

/// Returns the ServiceAccount of a workload.
fn service_account(workload: &Resource) -> Option<NamespacedName> {
    let name = text(workload, "/spec/template/spec/serviceAccountName").unwrap_or("default");
    Some(NamespacedName { namespace: workload.metadata.namespace.clone()?, name: name.to_owned() })
}

/// The rules that ClusterRoleBindings grant to a ServiceAccount.
struct GrantedRights<'a>(Vec<&'a Value>);

impl<'a> GrantedRights<'a> {
    fn of_account(facts: &DoctorFacts<'a>, account: &NamespacedName) -> Self {
        let bindings = facts.of_kind(RBAC, "ClusterRoleBinding").map(whole_object);
        let roles: BTreeSet<_> = bindings
            .filter(|binding| {
                list(binding, "/subjects").any(|subject| includes_account(subject, &account.namespace, &account.name))
            })
            .filter_map(|binding| binding.pointer("/roleRef/name")?.as_str())
            .collect();
        let is_bound = |role: &&Resource| roles.contains(role.metadata.name.as_str());
        let bound: Vec<_> = facts.of_kind(RBAC, "ClusterRole").filter(is_bound).collect();
        let selectors: Vec<_> = bound
            .iter()
            .flat_map(|role| list(whole_object(role), "/aggregationRule/clusterRoleSelectors"))
            .filter_map(|selector| selector.get("matchLabels")?.as_object())
            .collect();
        // The rules of an aggregated role are copied into it by a controller, which may not have run yet.
        let aggregated = facts.of_kind(RBAC, "ClusterRole").filter(|role| {
            let matches = |(key, value): (&String, &Value)| role.metadata.label(key) == value.as_str();
            selectors.iter().any(|labels| !labels.is_empty() && labels.iter().all(matches))
        });
        Self(bound.iter().copied().chain(aggregated).flat_map(|role| list(whole_object(role), "/rules")).collect())
    }

    fn allow(&self, kind: &ComposedKind, verb: &str) -> bool {
        self.0.iter().any(|rule| rule_allows(rule, (&kind.group, &kind.plural), verb, None))
    }
}

pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}
