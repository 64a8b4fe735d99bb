//! Packages, the kinds that they install, and the controllers that reconcile them.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::engine_findings::engine_findings;
use super::facts::{DoctorFacts, whole_object};
use crate::upgrade::writers::writers_by_version;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, PACKAGE_LABEL};
use ucp_core::model::body::Body;
use ucp_core::model::body::crossplane::Package;
use ucp_core::model::body::definition::CustomResourceDefinition;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;

/// The CRDs of the cluster.
pub(super) const DEFINITIONS: RequiredData = RequiredData::Always("apiextensions.k8s.io", "CustomResourceDefinition");
const PACKAGES: RequiredData = RequiredData::Roles(&[CrossplaneRole::Package, CrossplaneRole::Revision]);
const WORKLOADS: RequiredData = RequiredData::Always("apps", "Deployment");

const HEALTH: &[Code] = &[Code::PackageNotInstalled, Code::PackageUnhealthy, Code::PackageInactive];
const CONTROLLERS: &[Code] = &[Code::ControllerDown, Code::ControllerMissing];

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "package-health",
        codes: HEALTH,
        reads: &[PACKAGES],
        run: |facts| engine_findings(facts, HEALTH, FindingSeverity::Error),
    },
    DoctorCheck {
        name: "active-revisions",
        codes: &[Code::ActiveRevisionsTwice],
        reads: &[PACKAGES],
        run: duplicate_active_revisions,
    },
    DoctorCheck {
        name: "storage-versions",
        codes: &[Code::StoredVersionUnserved],
        reads: &[DEFINITIONS],
        run: unserved_stored_versions,
    },
    DoctorCheck {
        name: "deprecated-versions",
        codes: &[Code::VersionDeprecated],
        reads: &[DEFINITIONS, RequiredData::Engines],
        run: deprecated_versions,
    },
    DoctorCheck {
        name: "inactive-definitions",
        codes: &[Code::DefinitionInactive],
        reads: &[
            RequiredData::IfThere("apiextensions.crossplane.io", "ManagedResourceDefinition"),
            RequiredData::Engines,
        ],
        run: |facts| engine_findings(facts, &[Code::DefinitionInactive], FindingSeverity::Error),
    },
    DoctorCheck {
        name: "controllers",
        codes: CONTROLLERS,
        reads: &[WORKLOADS, RequiredData::Always("apps", "StatefulSet")],
        run: |facts| engine_findings(facts, CONTROLLERS, FindingSeverity::Error),
    },
    DoctorCheck {
        name: "kinds-without-provider",
        codes: &[Code::KindWithoutProvider],
        reads: &[PACKAGES, RequiredData::Roles(&[CrossplaneRole::Managed])],
        run: kinds_without_provider,
    },
];

/// Returns the active revisions of packages.
pub(super) fn active_revisions<'a>(facts: &'a DoctorFacts<'_>) -> impl Iterator<Item = (&'a Resource, &'a Package)> {
    facts.of_role(&[CrossplaneRole::Revision]).filter_map(|revision| match &revision.body {
        Body::Package(body) if body.desired_state.as_deref() == Some("Active") => Some((revision, body.as_ref())),
        _ => None,
    })
}

fn duplicate_active_revisions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut by_package: BTreeMap<(&str, &str), Vec<&Resource>> = BTreeMap::new();
    for (revision, _) in active_revisions(facts) {
        if let Some(package) = revision.metadata.label(PACKAGE_LABEL) {
            by_package.entry((revision.kind.kind.as_str(), package)).or_default().push(revision);
        }
    }
    let several = by_package.into_iter().filter(|(_, revisions)| revisions.len() > 1);
    several
        .filter_map(|((_, package), revisions)| {
            // If the package does not name its current revision, it is the newest.
            let current = facts.of_role(&[CrossplaneRole::Package]).find_map(|resource| match &resource.body {
                Body::Package(body) if resource.metadata.name == package => body.current_revision.clone(),
                _ => None,
            });
            let newest = revisions.iter().max_by_key(|revision| revision.metadata.creation_timestamp)?;
            let current = current.unwrap_or_else(|| newest.metadata.name.clone());
            let others: Vec<_> = revisions.iter().filter(|revision| revision.metadata.name != current).collect();
            let first = others.first()?;
            let names: Vec<_> = revisions.iter().map(|revision| revision.metadata.name.as_str()).collect();
            let evidence = format!("spec.desiredState is Active in {} of {package}", names.join(" and "));
            let commands = others.iter().map(|revision| {
                format!(
                    r#"kubectl patch {} --type=merge -p '{{"spec":{{"desiredState":"Inactive"}}}}'"#,
                    revision.name()
                )
            });
            let commands: Vec<_> = commands.collect();
            let found = CheckFinding::new(Code::ActiveRevisionsTwice, FindingSeverity::Error, first.name(), evidence);
            Some(found.since(newest.metadata.creation_timestamp).with_command(commands.join(" && ")))
        })
        .collect()
}

/// Returns the installed CRDs.
pub(super) fn definitions<'a>(
    facts: &'a DoctorFacts<'_>,
) -> impl Iterator<Item = (&'a Resource, &'a CustomResourceDefinition)> {
    facts.state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Definition(body) => Some((resource, body.as_ref())),
        _ => None,
    })
}

/// Returns the command that rewrites all objects in the storage version and then removes the other versions from the
/// status.
fn migrate_command(name: &str, storage: &str) -> String {
    let (name, patch) = (quote_word(name), serde_json::json!({"status": {"storedVersions": [storage]}}).to_string());
    format!(
        "kubectl get {name} -A -o json | kubectl replace -f - && kubectl patch customresourcedefinition {name} \
         --subresource=status --type=merge -p {}",
        quote_word(&patch)
    )
}

fn unserved_stored_versions(facts: &DoctorFacts<'_>) -> CheckFindings {
    definitions(facts)
        .filter_map(|(resource, definition)| {
            let is_gone = |name: &&String| definition.version(name).is_none_or(|version| !version.served);
            let gone: Vec<_> = definition.stored.iter().filter(is_gone).map(String::as_str).collect();
            let storage = definition.storage_version()?;
            if gone.is_empty() {
                return None;
            }
            let evidence = format!(
                "status.storedVersions names {}, which spec.versions does not serve; objects are stored in {}",
                gone.join(", "),
                storage.name
            );
            let found =
                CheckFinding::new(Code::StoredVersionUnserved, FindingSeverity::Error, resource.name(), evidence);
            Some(found.with_command(migrate_command(&resource.metadata.name, &storage.name)))
        })
        .collect()
}

fn deprecated_versions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    let mut kinds: BTreeMap<(&str, &str), (BTreeSet<&str>, &str)> = BTreeMap::new();
    for (resource, definition) in definitions(facts) {
        let Some(storage) = definition.storage_version() else { continue };
        let old: BTreeSet<_> =
            definition.versions.iter().filter(|one| one.deprecated).map(|one| one.name.as_str()).collect();
        let in_store: Vec<_> = definition.stored.iter().map(String::as_str).filter(|name| old.contains(name)).collect();
        if !in_store.is_empty() && storage.name != in_store[0] {
            let evidence = format!("status.storedVersions names {}, which is deprecated", in_store.join(", "));
            let found = CheckFinding::new(Code::VersionDeprecated, FindingSeverity::Warning, resource.name(), evidence);
            answer.found.push(found.with_command(migrate_command(&resource.metadata.name, &storage.name)));
        }
        if !old.is_empty() {
            kinds.insert((definition.group.as_str(), definition.kind.as_str()), (old, storage.name.as_str()));
        }
    }
    for object in &facts.state.resources {
        let Some((old, storage)) = kinds.get(&(object.kind.group.as_str(), object.kind.kind.as_str())) else {
            continue;
        };
        for (version, managers) in writers_by_version(whole_object(object), old) {
            let evidence = format!(
                "{managers} writes it as {}/{version}, which is deprecated; {storage} is stored",
                object.kind.group
            );
            answer.found.push(CheckFinding::new(
                Code::VersionDeprecated,
                FindingSeverity::Warning,
                object.name(),
                evidence,
            ));
        }
    }
    answer
}

fn kinds_without_provider(facts: &DoctorFacts<'_>) -> CheckFindings {
    let installed: BTreeSet<&str> =
        active_revisions(facts).flat_map(|(_, revision)| revision.definitions.iter().map(String::as_str)).collect();
    let providers: Vec<_> =
        active_revisions(facts).filter(|(revision, _)| revision.kind.kind == "ProviderRevision").collect();
    let silent = providers.iter().find(|(_, revision)| revision.definitions.is_empty());
    let mut by_kind: BTreeMap<String, Vec<ObjectName>> = BTreeMap::new();
    for object in facts.of_role(&[CrossplaneRole::Managed]) {
        let kind = object.kind.qualified_plural();
        if !installed.contains(kind.as_str()) {
            by_kind.entry(kind).or_default().push(object.name());
        }
    }
    if by_kind.is_empty() {
        return CheckFindings::default();
    }
    // Without any package, providers are installed in another way. A provider that does not list its kinds may have
    // installed this one.
    if facts.of_role(&[CrossplaneRole::Package]).next().is_none() {
        return CheckFindings {
            unknown: vec!["no Provider reports the kinds that it installs".to_owned()],
            ..CheckFindings::default()
        };
    }
    // Files may be without the revisions.
    if providers.is_empty() && !facts.state.has_read("pkg.crossplane.io", "ProviderRevision") {
        return CheckFindings { unknown: vec!["no ProviderRevision was read".to_owned()], ..CheckFindings::default() };
    }
    // A revision that was not read may have installed any kind.
    if let Some(gap) = facts.state.unreadable.iter().find(|gap| gap.what.contains("pkg.crossplane.io")) {
        let unknown = format!("the kinds that packages install are unknown: {}: {}", gap.what, gap.reason);
        return CheckFindings { unknown: vec![unknown], ..CheckFindings::default() };
    }
    if let Some((silent, _)) = silent {
        let unknown = format!("status.objectRefs of {} is empty, so it may install any kind", silent.name());
        return CheckFindings { unknown: vec![unknown], ..CheckFindings::default() };
    }
    by_kind
        .into_iter()
        .flat_map(|(kind, objects)| {
            let evidence = format!("no active ProviderRevision has {kind} in status.objectRefs");
            objects.into_iter().map(move |object| {
                CheckFinding::new(Code::KindWithoutProvider, FindingSeverity::Error, object, evidence.clone())
            })
        })
        .collect()
}
