//! Effects of new definitions on the manifests of a checkout (`--repo`).

use std::collections::BTreeMap;

use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::{DoctorFacts, whole_object};
use crate::schema::{SchemaNode, schema_in};
use crate::upgrade::DefinitionUpgrade;
use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::SchemaEffects;
use ucp_client::prediction::overlay::overlay;
use ucp_core::engine::code::Code;
use ucp_core::failure::Failure;
use ucp_core::model::expression::RulePatience;
use ucp_core::model::object::ObjectName;

pub(super) const CHECK: DoctorCheck = DoctorCheck {
    name: "declared-objects",
    codes: &[Code::VersionWithdrawn, Code::VersionDeprecated, Code::FieldsRemoved, Code::ObjectsInvalid],
    reads: &[RequiredData::NewDefinitions],
    run: declared_objects,
};

fn declared_objects(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    let Some(upgrade) = &facts.upgrade else { return answer };
    answer.unknown.extend(upgrade.unread_files.iter().cloned());
    let patience = RulePatience::default();
    let live: BTreeMap<ObjectName, &Value> =
        facts.state.resources.iter().map(|resource| (resource.name(), whole_object(resource))).collect();
    for (file, manifest) in &upgrade.declared {
        let object = ObjectName::from_manifest(manifest);
        let Some(new) = upgrade.definition_declared_by(&object) else { continue };
        let add = |code, severity, evidence: String| {
            CheckFinding::new(code, severity, object.clone(), format!("in {file}: {evidence}"))
        };
        let version = object.api_version.rsplit('/').next().unwrap_or_default();
        let installed = upgrade.installed.get(&new.name()).map(NewDefinition::list_from).unwrap_or_default();
        if let Some(problem) = new.new_version_problem(installed.first(), version) {
            let (code, severity) = match new.served_version(version) {
                Some(_) => (Code::VersionDeprecated, FindingSeverity::Warning),
                None => (Code::VersionWithdrawn, FindingSeverity::Error),
            };
            answer.found.push(add(code, severity, format!("{version}, {problem}")));
        }
        if new.served_version(version).is_none() {
            continue;
        }
        match effects(upgrade, new, manifest, version, live.get(&object).copied(), &patience) {
            Ok(effects) => {
                for (code, prefix, entries) in
                    [(Code::FieldsRemoved, "removed: ", &effects.removed), (Code::ObjectsInvalid, "", &effects.invalid)]
                {
                    if !entries.is_empty() {
                        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
                        let evidence = format!("{prefix}{}", entries.join(", "));
                        answer.found.push(add(code, FindingSeverity::Error, evidence));
                    }
                }
                answer.unknown.extend(effects.unchecked.iter().map(|clause| format!("{file}: {clause}")));
            }
            Err(reason) => answer.unknown.push(format!("{file}: {}", reason.as_str())),
        }
    }
    let unread = upgrade.declared.iter().filter_map(|(_, manifest)| {
        let new = upgrade.definition_declared_by(&ObjectName::from_manifest(manifest))?;
        (!upgrade.installed.contains_key(&new.name())).then(|| new.name())
    });
    answer.unknown.extend(unread.map(|name| {
        format!("the installed schema of {name} is unknown, so effects that manifests have today are reported too")
    }));
    answer.unknown.sort();
    answer.unknown.dedup();
    answer
}

/// Returns the effects on a manifest. It may be a patch, so fields that are missing are only known if the object is live.
fn effects(
    upgrade: &DefinitionUpgrade,
    new: &NewDefinition,
    manifest: &Value,
    version: &str,
    live: Option<&Value>,
    patience: &RulePatience,
) -> Result<SchemaEffects, Failure> {
    let schema = upgrade.installed.get(&new.name()).and_then(|crd| schema_in(crd, version)).map(SchemaNode::new);
    let mut alone = SchemaEffects::of_upgrade(new, schema, manifest, patience)?;
    match live.filter(|live| !live.is_null()) {
        Some(live) => {
            let merged = SchemaEffects::of_upgrade(new, schema, &overlay(live, manifest), patience)?;
            (alone.invalid, alone.unchecked) = (merged.invalid, merged.unchecked);
        }
        None => alone.invalid.retain(|clause| !clause.ends_with(" is required")),
    }
    Ok(alone)
}
