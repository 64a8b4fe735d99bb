//! The effects of new definitions, from `--crds` or `--package`, on the installed ones, on live objects, and on
//! Compositions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::declared_objects;
use super::facts::{DoctorFacts, text, whole_object};
use super::outdated_compositions;
use super::packages;
use crate::schema::{SchemaNode, schema_in};
use crate::upgrade::DefinitionUpgrade;
use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::{SchemaEffects, is_about_status};
use crate::upgrade::writers::writers_by_version;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, PACKAGE_LABEL};
use ucp_core::model::body::Body;
use ucp_core::model::body::definition::CustomResourceDefinition;
use ucp_core::model::expression::RulePatience;
use ucp_core::model::glob;
use ucp_core::model::image::ImageReference;
use ucp_core::model::resource::Resource;

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "incompatible-definitions",
        codes: &[Code::DefinitionRefused],
        reads: &[packages::DEFINITIONS],
        run: incompatible_definitions,
    },
    DoctorCheck {
        name: "withdrawn-versions",
        codes: &[Code::VersionWithdrawn, Code::VersionDeprecated],
        reads: &[packages::DEFINITIONS, RequiredData::NewDefinitions],
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
        reads: &[RequiredData::PackageRoles(&[
            CrossplaneRole::Package,
            CrossplaneRole::Revision,
            CrossplaneRole::Managed,
        ])],
        run: withdrawn_kinds,
    },
    DoctorCheck {
        name: "inactive-kinds",
        codes: &[Code::KindLeftInactive],
        reads: &[
            RequiredData::NewDefinitions,
            RequiredData::IfThere(EXTENSIONS, MANAGED),
            RequiredData::IfThere(EXTENSIONS, "ManagedResourceActivationPolicy"),
        ],
        run: inactive_kinds,
    },
    declared_objects::CHECK,
    outdated_compositions::CHECK,
];

/// The group of definitions and activation policies.
const EXTENSIONS: &str = "apiextensions.crossplane.io";
/// The kind of a definition that may be inactive.
const MANAGED: &str = "ManagedResourceDefinition";

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

fn incompatible_definitions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for (resource, installed, new) in replaced_definitions(facts) {
        let scope = facts.state.kinds.iter().find(|kind| new.defines(kind)).map(|kind| kind.scope);
        if scope.is_none() && new.scope.is_some() {
            answer.unknown.push(format!("the installed scope of {} is unknown", new.name()));
        }
        answer.found.extend(new.refusals(installed, scope).into_iter().map(|refusal| {
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
        for object in facts.state.resources.iter().filter(|object| new.defines(&object.kind)) {
            for (version, managers) in writers_by_version(whole_object(object), &withdrawn) {
                in_use.insert(version.to_owned());
                let evidence = format!("{managers} writes it as {}/{version}, which is no longer served", new.group);
                found.push(CheckFinding::new(Code::VersionWithdrawn, FindingSeverity::Error, object.name(), evidence));
            }
        }
        found.extend(deprecated_versions(facts, installed, new));
        for version in withdrawn.into_iter().filter(|version| !in_use.contains(*version)) {
            let evidence = format!("{version} is no longer served; no field manager of a live object wrote it");
            found.push(CheckFinding::new(Code::VersionWithdrawn, FindingSeverity::Info, resource.name(), evidence));
        }
    }
    found.into_iter().collect()
}

/// Returns the live objects that were written in a version that is deprecated from now on.
fn deprecated_versions(
    facts: &DoctorFacts<'_>,
    installed: &CustomResourceDefinition,
    new: &NewDefinition,
) -> Vec<CheckFinding> {
    let is_new = |name: &str| !installed.versions.iter().any(|version| version.name == name && version.deprecated);
    let deprecated = new.versions.iter().filter(|version| version.served && version.deprecation.is_some());
    let deprecated: BTreeSet<&str> =
        deprecated.map(|version| version.name.as_str()).filter(|name| is_new(name)).collect();
    let mut found = Vec::new();
    for object in facts.state.resources.iter().filter(|object| new.defines(&object.kind)) {
        for (version, managers) in writers_by_version(whole_object(object), &deprecated) {
            let problem = new.version_problem(version).unwrap_or_default();
            let evidence = format!("{managers} writes it as {}/{version}, {problem}", new.group);
            found.push(CheckFinding::new(Code::VersionDeprecated, FindingSeverity::Warning, object.name(), evidence));
        }
    }
    found
}

/// Returns the live objects whose kinds are not active after the upgrade. Crossplane never deactivates a definition that is
/// active (`state cannot be changed once it becomes Active`), so only kinds without an active one are concerned.
fn inactive_kinds(facts: &DoctorFacts<'_>) -> CheckFindings {
    let has_definitions = facts.state.kinds.iter().any(|kind| kind.group == EXTENSIONS && kind.kind == MANAGED);
    let mut answer = CheckFindings::default();
    if !has_definitions {
        // Crossplane 1 installs all CRDs of a package.
        return answer;
    }
    let active: BTreeSet<&str> = facts
        .of_kind(EXTENSIONS, MANAGED)
        .filter(|definition| text(definition, "/spec/state") == Some("Active"))
        .map(|definition| definition.metadata.name.as_str())
        .collect();
    let policies = facts.of_kind(EXTENSIONS, "ManagedResourceActivationPolicy");
    let patterns: BTreeSet<&str> = policies
        .filter_map(|policy| whole_object(policy).pointer("/spec/activate")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // Classes and escapes of `filepath.Match` have rules of their own.
    let (special, plain): (Vec<&str>, Vec<&str>) =
        patterns.into_iter().partition(|pattern| pattern.contains(['[', '\\']));
    for (object, new, _) in objects_of_definitions(facts) {
        let name = new.name();
        let is_active = active.contains(name.as_str()) || plain.iter().any(|pattern| glob::matches(pattern, &name));
        if !new.starts_inactive || is_active {
            continue;
        }
        if !special.is_empty() {
            answer.unknown.push(format!("whether {} activates {name} is not known", special.join(", ")));
            continue;
        }
        let evidence = format!(
            "no ManagedResourceActivationPolicy names {name}, so Crossplane does not update the installed CRD of its kind"
        );
        answer.found.push(CheckFinding::new(Code::KindLeftInactive, FindingSeverity::Error, object.name(), evidence));
    }
    answer.unknown.sort();
    answer.unknown.dedup();
    answer
}

fn affected_objects(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    answer.unknown.extend(facts.upgrade.iter().flat_map(|upgrade| upgrade.unread.iter().cloned()));
    let patience = RulePatience::default();
    let (mut unchecked, mut without_schema) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
    for (object, new, upgrade) in objects_of_definitions(facts) {
        let installed = upgrade.installed.get(&new.name());
        let schema = installed.and_then(|installed| schema_in(installed, &object.kind.version)).map(SchemaNode::new);
        let mut doubt = |reason: &str| *unchecked.entry(format!("{}: {reason}", new.name())).or_default() += 1;
        if schema.is_none() {
            without_schema.insert(new.name());
        }
        if let Some(stored) = installed.and_then(|crd| other_storage_version(crd, &object.kind.version)) {
            doubt(&format!(
                "objects were read in {}, and fields that only {stored} has are unknown",
                object.kind.version
            ));
        }
        match SchemaEffects::of_upgrade(new, schema, whole_object(object), &patience) {
            Ok(effects) => {
                effects.unchecked.iter().for_each(|clause| doubt(clause));
                let version = (new.versions.len() > 1).then_some(object.kind.version.as_str());
                answer.found.extend(findings_of_effects(object, &effects, version));
            }
            Err(reason) => doubt(reason.as_str()),
        }
    }
    answer.unknown.extend(unchecked.into_iter().map(|(reason, count)| match count {
        1 => format!("{reason} (1 object)"),
        _ => format!("{reason} ({count} objects)"),
    }));
    if let Some(first) = without_schema.first() {
        let others = match without_schema.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        answer.unknown.push(format!(
            "the installed schema of {first}{others} is unknown, so effects that objects have today are reported too"
        ));
    }
    answer
}

/// Returns the version in which the objects of a CRD are stored, if it is another one with another schema, and no webhook
/// converts them.
fn other_storage_version<'crd>(crd: &'crd Value, read_in: &str) -> Option<&'crd str> {
    let versions = crd.pointer("/spec/versions")?.as_array()?;
    let storage = versions.iter().find(|version| version["storage"] == true)?["name"].as_str()?;
    let is_other = storage != read_in && schema_in(crd, storage) != schema_in(crd, read_in);
    is_other.then_some(storage)
}

/// Returns one finding for each kind of effect. Effects on the status are information, except for invalid ones: the
/// controller writes the status again. `version` is named if there are several.
fn findings_of_effects(object: &Resource, effects: &SchemaEffects, version: Option<&str>) -> Vec<CheckFinding> {
    let suffix = version.map(|version| format!(" (in {version})")).unwrap_or_default();
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
                let evidence = format!("{prefix}{}{suffix}", entries.join(", "));
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
            "no installed package has an image called {package}, so the kinds that it no longer has are unknown"
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
