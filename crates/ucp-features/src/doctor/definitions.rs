//! The effects of new definitions, from `--crds` or `--package`, on the installed ones, on live objects, and on
//! Compositions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    CheckFinding, CheckFindings, DoctorCheck, DoctorFacts, FindingSeverity, RequiredData, outdated_compositions,
    packages, whole_object, writers_by_version,
};
use crate::schema::SchemaNode;
use crate::schema::schema_in;
use crate::upgrade::DefinitionUpgrade;
use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::{SchemaEffects, is_about_status};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, PACKAGE_LABEL};
use ucp_core::model::body::Body;
use ucp_core::model::body::definition::CustomResourceDefinition;
use ucp_core::model::image::ImageReference;
use ucp_core::model::kind::ResourceScope;
use ucp_core::model::resource::Resource;

const DEFINITIONS: RequiredData = RequiredData::Always("apiextensions.k8s.io", "CustomResourceDefinition");

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "refused-definitions",
        codes: &[Code::DefinitionRefused],
        reads: &[DEFINITIONS],
        run: refused_definitions,
    },
    DoctorCheck {
        name: "withdrawn-versions",
        codes: &[Code::VersionWithdrawn],
        reads: &[DEFINITIONS, RequiredData::NewDefinitions],
        run: withdrawn_versions,
    },
    DoctorCheck {
        name: "live-objects",
        codes: &[Code::FieldsRemoved, Code::ObjectsInvalid, Code::DefaultsAdded],
        reads: &[RequiredData::NewDefinitions],
        run: affected_objects,
    },
    DoctorCheck {
        name: "withdrawn-kinds",
        codes: &[Code::KindWithdrawn],
        reads: &[
            RequiredData::Roles(&[CrossplaneRole::Package, CrossplaneRole::Revision]),
            RequiredData::Roles(&[CrossplaneRole::Managed]),
        ],
        run: withdrawn_kinds,
    },
    outdated_compositions::CHECK,
];

/// Returns the live objects of new definitions.
fn objects_of_definitions<'f>(
    facts: &'f DoctorFacts<'_>,
) -> impl Iterator<Item = (&'f Resource, &'f NewDefinition, &'f DefinitionUpgrade)> {
    let upgrade = facts.upgrade.as_ref();
    let objects =
        upgrade.into_iter().flat_map(|upgrade| facts.state.resources.iter().map(move |object| (object, upgrade)));
    objects.filter_map(|(object, upgrade)| Some((object, upgrade.definition_of(&object.kind)?, upgrade)))
}

/// Returns the installed CRDs with the new definitions in their place.
fn replaced_definitions<'f>(
    facts: &'f DoctorFacts<'_>,
) -> impl Iterator<Item = (&'f Resource, &'f CustomResourceDefinition, &'f NewDefinition)> {
    let new = facts.upgrade.iter().flat_map(|upgrade| &upgrade.definitions);
    let by_name: BTreeMap<String, &NewDefinition> = new.map(|definition| (definition.name(), definition)).collect();
    packages::definitions(facts)
        .filter_map(move |(resource, installed)| Some((resource, installed, *by_name.get(&resource.metadata.name)?)))
}

fn refused_definitions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for (resource, installed, new) in replaced_definitions(facts) {
        // The kind shows the installed scope. Without it, no version is served, and there is no object to lose.
        let kind = facts.state.kinds.iter().find(|kind| kind.group == new.group && kind.plural == new.plural);
        let is_namespaced = kind.is_some_and(|kind| kind.scope == ResourceScope::Namespaced);
        if kind.is_none() && new.namespaced.is_some() {
            answer.unknown.push(format!("the installed scope of {} is unknown", new.name()));
        }
        let refusals = new.refusals(installed, kind.map_or(new.namespaced.unwrap_or_default(), |_| is_namespaced));
        answer.found.extend(refusals.into_iter().map(|refusal| {
            CheckFinding::new(Code::DefinitionRefused, FindingSeverity::Error, resource.name(), refusal)
        }));
    }
    answer
}

fn withdrawn_versions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut found = Vec::new();
    for (resource, installed, new) in replaced_definitions(facts) {
        let served = installed.versions.iter().filter(|version| version.served);
        let withdrawn: BTreeSet<&str> =
            served.map(|version| version.name.as_str()).filter(|name| new.served_version(name).is_none()).collect();
        let mut in_use = BTreeSet::new();
        let objects = facts
            .state
            .resources
            .iter()
            .filter(|object| object.kind.group == new.group && object.kind.plural == new.plural);
        for object in objects {
            for (version, managers) in writers_by_version(whole_object(object), &withdrawn) {
                in_use.insert(version.to_owned());
                let evidence = format!("{managers} writes it as {}/{version}, which is no longer served", new.group);
                found.push(CheckFinding::new(Code::VersionWithdrawn, FindingSeverity::Error, object.name(), evidence));
            }
        }
        for version in withdrawn.into_iter().filter(|version| !in_use.contains(*version)) {
            let evidence = format!("{version} is no longer served; no field manager of a live object wrote it");
            found.push(CheckFinding::new(Code::VersionWithdrawn, FindingSeverity::Info, resource.name(), evidence));
        }
    }
    found.into_iter().collect()
}

fn affected_objects(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    answer.unknown.extend(facts.upgrade.iter().flat_map(|upgrade| upgrade.unread.iter().cloned()));
    let mut unchecked: BTreeMap<String, usize> = BTreeMap::new();
    for (object, new, upgrade) in objects_of_definitions(facts) {
        let installed = upgrade.installed.get(&new.name());
        let schema = installed.and_then(|installed| installed_schema(installed, &object.kind.version));
        if schema.is_none() {
            *unchecked
                .entry(format!(
                    "the installed schema of {} is unknown, so effects that it has today are reported too",
                    new.name()
                ))
                .or_default() += 1;
        }
        match SchemaEffects::of_upgrade(new, schema, whole_object(object)) {
            Ok(effects) => {
                for clause in &effects.unchecked {
                    *unchecked.entry(format!("{}: {clause}", new.name())).or_default() += 1;
                }
                answer.found.extend(findings_of_effects(object, &effects));
            }
            Err(reason) => *unchecked.entry(format!("{}: {reason}", new.name())).or_default() += 1,
        }
    }
    answer.unknown.extend(unchecked.into_iter().map(|(reason, count)| match count {
        1 => format!("{reason} (1 object)"),
        _ => format!("{reason} ({count} objects)"),
    }));
    answer
}

/// Returns the schema of a version in an installed CRD.
fn installed_schema<'crd>(crd: &'crd Value, version: &str) -> Option<SchemaNode<'crd>> {
    schema_in(crd, version).map(SchemaNode::new)
}

/// Returns one finding for each kind of effect. Effects on the status are information, except for invalid ones: the
/// controller writes the status again.
fn findings_of_effects(object: &Resource, effects: &SchemaEffects) -> Vec<CheckFinding> {
    let groups = [
        (Code::FieldsRemoved, &effects.removed, FindingSeverity::Error, FindingSeverity::Info, "removed: "),
        (Code::ObjectsInvalid, &effects.invalid, FindingSeverity::Error, FindingSeverity::Warning, ""),
        (Code::DefaultsAdded, &effects.defaulted, FindingSeverity::Warning, FindingSeverity::Info, "set: "),
    ];
    let mut found = Vec::new();
    for (code, entries, in_spec, in_status, prefix) in groups {
        let (status, spec): (Vec<&str>, Vec<&str>) =
            entries.iter().map(String::as_str).partition(|entry| is_about_status(entry));
        for (severity, entries) in [(in_spec, spec), (in_status, status)] {
            if !entries.is_empty() {
                let evidence = format!("{prefix}{}", entries.join(", "));
                found.push(CheckFinding::new(code, severity, object.name(), evidence));
            }
        }
    }
    found
}

fn withdrawn_kinds(facts: &DoctorFacts<'_>) -> CheckFindings {
    let Some((upgrade, package)) =
        facts.upgrade.as_ref().and_then(|upgrade| Some((upgrade, upgrade.package.as_deref()?)))
    else {
        return CheckFindings::default();
    };
    let is_it = |resource: &&Resource| matches!(&resource.body, Body::Package(body) if body.image.as_deref().is_some_and(|image| repository_name(image) == package));
    let installed: BTreeSet<&str> = facts
        .of_role(&[CrossplaneRole::Package])
        .filter(is_it)
        .map(|resource| resource.metadata.name.as_str())
        .collect();
    if installed.is_empty() {
        let unknown = format!(
            "no installed package has the repository {package}, so the kinds that it no longer has are unknown"
        );
        return CheckFindings { unknown: vec![unknown], ..CheckFindings::default() };
    }
    let revisions = packages::active_revisions(facts)
        .filter(|(revision, _)| revision.metadata.label(PACKAGE_LABEL).is_some_and(|name| installed.contains(name)));
    let new: BTreeSet<String> = upgrade.definitions.iter().map(NewDefinition::name).collect();
    let withdrawn: BTreeSet<&str> = revisions
        .flat_map(|(_, revision)| revision.definitions.iter().map(String::as_str))
        .filter(|name| !new.contains(*name))
        .collect();
    let objects = facts
        .of_role(&[CrossplaneRole::Managed])
        .filter(|object| withdrawn.contains(object.kind.qualified_plural().as_str()));
    objects
        .map(|object| {
            let evidence = format!("the new version of {package} does not have {}", object.kind.qualified_plural());
            CheckFinding::new(Code::KindWithdrawn, FindingSeverity::Error, object.name(), evidence)
        })
        .collect()
}

/// Returns the last part of an image's repository: `provider-aws-s3` of `xpkg.upbound.io/upbound/provider-aws-s3:v1`.
fn repository_name(image: &str) -> String {
    let name = ImageReference::split(image).name;
    name.rsplit('/').next().unwrap_or(&name).to_owned()
}
