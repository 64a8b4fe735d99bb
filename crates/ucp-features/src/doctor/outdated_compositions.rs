//! Compositions whose bases and patches do not fit new definitions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::composed::{composed_resources, list};
use super::facts::{DoctorFacts, whole_object};
use crate::schema::SchemaNode;
use crate::schema::schema_in;
use crate::upgrade::DefinitionUpgrade;
use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::SchemaEffects;
use ucp_core::engine::code::Code;
use ucp_core::model::expression::RulePatience;
use ucp_core::model::object::group_of;
use ucp_core::model::path::{FieldPath, FieldPathStep};
use ucp_core::model::state::ClusterState;

pub(super) const CHECK: DoctorCheck = DoctorCheck {
    name: "outdated-compositions",
    codes: &[Code::CompositionOutdated],
    reads: &[RequiredData::IfThere("apiextensions.crossplane.io", "Composition")],
    run: outdated_compositions,
};

/// Returns the names of the new definitions whose kinds are in the bases of Compositions.
pub fn composed_definitions(upgrade: &DefinitionUpgrade, state: &ClusterState) -> BTreeSet<String> {
    let compositions = state
        .resources
        .iter()
        .filter(|object| object.kind.group == "apiextensions.crossplane.io" && object.kind.kind == "Composition");
    let resources = compositions.flat_map(|composition| composed_resources(whole_object(composition)));
    let definitions = resources.filter_map(|(_, resource)| Some(definition_of_base(upgrade, resource.get("base")?)?.0));
    definitions.map(NewDefinition::name).collect()
}

/// Returns the new definition of a base, and its `apiVersion`.
fn definition_of_base<'u, 'v>(upgrade: &'u DefinitionUpgrade, base: &'v Value) -> Option<(&'u NewDefinition, &'v str)> {
    let (api_version, kind) = (base.get("apiVersion")?.as_str()?, base.get("kind")?.as_str()?);
    let group = group_of(api_version);
    let is_it = |definition: &&NewDefinition| definition.group == group && definition.kind == kind;
    Some((upgrade.definitions.iter().find(is_it)?, api_version))
}

fn outdated_compositions(facts: &DoctorFacts<'_>) -> CheckFindings {
    let Some(upgrade) = &facts.upgrade else { return CheckFindings::default() };
    let compositions = || facts.of_kind("apiextensions.crossplane.io", "Composition");
    let found = compositions()
        .flat_map(|composition| {
            let resources = composed_resources(whole_object(composition));
            resources.filter_map(|(holder, resource)| {
                let misfits = misfits(upgrade, holder, resource)?;
                let name = resource.get("name").and_then(Value::as_str).unwrap_or("a resource without a name");
                let evidence = format!("{name}: {}", Vec::from_iter(misfits).join(", "));
                Some(CheckFinding::new(Code::CompositionOutdated, FindingSeverity::Error, composition.name(), evidence))
            })
        })
        .collect();
    let unknown = compositions().flat_map(|composition| {
        let steps = list(whole_object(composition), "/spec/pipeline").filter(|step| is_other_template(upgrade, step));
        steps.map(|step| format!("{}: the input of step {} is not examined", composition.name(), step["step"]))
    });
    CheckFindings { found, unknown: unknown.collect() }
}

/// Returns true for a step whose input is no list of resources, and names the group of a new definition.
fn is_other_template(upgrade: &DefinitionUpgrade, step: &Value) -> bool {
    let Some(input) = step.get("input").filter(|input| input.get("resources").is_none()) else { return false };
    let text = input.to_string();
    upgrade.definitions.iter().any(|definition| text.contains(&definition.group))
}

/// Returns the parts of a composed resource that its new definition does not have, or `None` if there are none. `holder`
/// has the sets of patches.
fn misfits(upgrade: &DefinitionUpgrade, holder: &Value, resource: &Value) -> Option<BTreeSet<String>> {
    let base = resource.get("base")?;
    let (new, api_version) = definition_of_base(upgrade, base)?;
    let version = api_version.rsplit('/').next()?;
    let installed = upgrade.installed.get(&new.name()).and_then(|crd| schema_in(crd, version)).map(SchemaNode::new);
    let Some(served) = new.served_version(version) else {
        return Some([format!("apiVersion {api_version} is no longer served")].into());
    };
    let mut misfits = served.schema().prune(&mut base.clone());
    if let Some(installed) = installed {
        let undeclared = installed.prune(&mut base.clone());
        misfits.retain(|path| !undeclared.contains(path));
    }
    let is_gone =
        |path: &FieldPath| !served.schema().declares(path) && installed.is_none_or(|node| node.declares(path));
    let patched = patched_paths(holder, resource).map(parse_patched_path);
    misfits.extend(patched.filter(is_gone).map(|path| path.to_string()));
    let gone = misfits.into_iter().map(|path| format!("{path} is removed"));
    let gone = gone.chain(invalid_fields(served.schema(), installed, base));
    Some(gone.collect()).filter(|gone: &BTreeSet<String>| !gone.is_empty())
}

/// Returns the clauses that fields of a base do not satisfy. Patches may add what is missing in it.
fn invalid_fields(new: SchemaNode<'_>, installed: Option<SchemaNode<'_>>, base: &Value) -> Vec<String> {
    let patience = RulePatience::default();
    let invalid = |schema: SchemaNode<'_>| SchemaEffects::of_schema(schema, base, &patience).invalid;
    let today = installed.map(invalid).unwrap_or_default();
    let is_complete = |clause: &String| {
        !["is required", "a rule", "alternatives", "excluded"].iter().any(|word| clause.contains(word))
    };
    invalid(new).into_iter().filter(|clause| !today.contains(clause) && is_complete(clause)).collect()
}

/// Returns the paths of the composed resource that its patches, connection details, and readiness checks read or write.
fn patched_paths<'v>(holder: &'v Value, resource: &'v Value) -> impl Iterator<Item = &'v str> {
    let direct = list(resource, "/patches");
    let of_patches = direct.flat_map(move |patch| {
        let set = patch.get("patchSetName").and_then(Value::as_str);
        let sets = list(holder, "/patchSets")
            .filter(move |known| set.is_some() && known.get("name").and_then(Value::as_str) == set);
        let of_sets = sets.flat_map(|set| list(set, "/patches"));
        std::iter::once(patch).chain(of_sets).flat_map(composed_paths)
    });
    let details = list(resource, "/connectionDetails").filter_map(|detail| detail.get("fromFieldPath")?.as_str());
    let checks = list(resource, "/readinessChecks").filter_map(|check| check.get("fieldPath")?.as_str());
    of_patches.chain(details).chain(checks)
}

/// Returns the paths of the composed resource that a patch reads or writes.
fn composed_paths(patch: &Value) -> Vec<&str> {
    let text = |name: &str| patch.get(name).and_then(Value::as_str);
    match text("type").unwrap_or("FromCompositeFieldPath") {
        "FromCompositeFieldPath" | "FromEnvironmentFieldPath" | "CombineFromComposite" | "CombineFromEnvironment" => {
            text("toFieldPath").or(text("fromFieldPath")).into_iter().collect()
        }
        "ToCompositeFieldPath" | "ToEnvironmentFieldPath" => text("fromFieldPath").into_iter().collect(),
        "CombineToComposite" | "CombineToEnvironment" => {
            list(patch, "/combine/variables").filter_map(|variable| variable.get("fromFieldPath")?.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// Parses a path of a patch: `spec.rules[*].name`, `spec.tags[key]`, `metadata.annotations[a.b/c]`. Any element stands
/// for all of its list. Source: `ParsePath` of crossplane-runtime's package fieldpath.
fn parse_patched_path(path: &str) -> FieldPath {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']').unwrap_or((bracketed, "")),
            None => {
                let field = rest.strip_prefix('.').unwrap_or(rest);
                field.split_at(field.find(['.', '[']).unwrap_or(field.len()))
            }
        };
        let is_element = rest.starts_with('[') && (step == "*" || step.bytes().all(|byte| byte.is_ascii_digit()));
        steps.push(match is_element {
            true => FieldPathStep::Element(0),
            false => FieldPathStep::Field(step.trim_matches(['\'', '"']).to_owned()),
        });
        rest = after;
    }
    FieldPath(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_of_patches_are_parsed_as_crossplane_does() {
        for (path, expected) in [
            ("spec.forProvider.region", "spec.forProvider.region"),
            ("spec.rules[*].name", "spec.rules[0].name"),
            ("spec.rules[12]", "spec.rules[0]"),
            ("spec.tags[key]", "spec.tags.key"),
            (".spec['a']", "spec.a"),
        ] {
            assert_eq!(parse_patched_path(path).to_string(), expected, "{path}");
        }
        let annotation = parse_patched_path("metadata.annotations[crossplane.io/external-name]");
        assert_eq!(annotation.0.len(), 3);
        assert_eq!(parse_patched_path("spec[").0.len(), 2, "the rest of a broken path is a field that no schema has");
    }

    #[test]
    fn bases_and_patches_are_compared_with_the_new_schema() {
        let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.org", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "size": {"type": "integer"},
                    "rules": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
                    "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                }}},
            }}}],
        }});
        let upgrade =
            DefinitionUpgrade { definitions: NewDefinition::list_from(&manifest), ..DefinitionUpgrade::default() };
        let holder = json!({"patchSets": [{"name": "shared", "patches": [{"fromFieldPath": "spec.zone"}]}]});
        let resource = |version: &str, patches: Value| {
            let base = json!({
                "apiVersion": format!("example.org/{version}"), "kind": "Gadget", "spec": {"size": "x", "color": "red"},
            });
            json!({"base": base, "patches": patches, "readinessChecks": [{"fieldPath": "status.ready"}]})
        };
        let found =
            |resource: &Value| misfits(&upgrade, &holder, resource).unwrap_or_default().into_iter().collect::<Vec<_>>();
        assert_eq!(found(&resource("v1beta1", json!([]))), ["apiVersion example.org/v1beta1 is no longer served"]);
        let patches = json!([
            {"type": "PatchSet", "patchSetName": "shared"},
            {"fromFieldPath": "spec.x", "toFieldPath": "spec.rules[*].name"},
            {"fromFieldPath": "spec.x", "toFieldPath": "spec.tags[team]"},
            {"fromFieldPath": "metadata.labels[a]"},
            {"type": "ToCompositeFieldPath", "fromFieldPath": "spec.rules[0].id", "toFieldPath": "status.id"},
        ]);
        assert_eq!(
            found(&resource("v1", patches)),
            [
                "spec.color is removed",
                "spec.rules[0].id is removed",
                "spec.size must be an integer",
                "spec.zone is removed",
                "status.ready is removed",
            ]
        );
    }
}
