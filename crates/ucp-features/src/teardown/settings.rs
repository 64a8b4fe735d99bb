//! Settings of Crossplane that other objects refer to by name: without them, these objects are no longer reconciled. The rules
//! are those of Crossplane's controllers.

use serde_json::Value;

use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// A kind of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingKind {
    /// One version of a Composition, which composites may be pinned to.
    Revision,
    /// Data that Compositions read by name or by labels.
    Environment,
    /// Settings of the Deployment of a package: a DeploymentRuntimeConfig or ControllerConfig.
    Runtime,
    /// Registry credentials, signatures and mirrors of packages.
    Image,
    /// A store for connection details.
    Store,
}

/// Returns the kind of settings; `None` for other kinds.
pub(super) fn setting_kind(kind: &ResourceKind) -> Option<SettingKind> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("apiextensions.crossplane.io", "CompositionRevision") => Some(SettingKind::Revision),
        ("apiextensions.crossplane.io", "EnvironmentConfig") => Some(SettingKind::Environment),
        ("pkg.crossplane.io", "DeploymentRuntimeConfig" | "ControllerConfig") => Some(SettingKind::Runtime),
        ("pkg.crossplane.io", "ImageConfig") => Some(SettingKind::Image),
        // Providers have stores of their own.
        (_, "StoreConfig") => Some(SettingKind::Store),
        _ => None,
    }
}

/// Returns true if an object refers to a setting.
pub(super) fn uses_setting(setting: &Resource, of: SettingKind, user: &Resource) -> bool {
    let Some(whole) = user.whole.as_deref() else { return false };
    let name = setting.metadata.name.as_str();
    let names = |pointers: &[&str]| {
        pointers.iter().any(|pointer| whole.pointer(pointer).and_then(Value::as_str).is_some_and(|text| text == name))
    };
    let is_package = || matches!(role(&user.kind), Some(CrossplaneRole::Package | CrossplaneRole::Revision));
    match of {
        SettingKind::Revision => is_pinned(whole) && names(&REVISIONS),
        SettingKind::Environment => {
            // Crossplane 1 records them in the composite.
            let recorded = whole.pointer("/spec/environmentConfigRefs").is_some_and(|list| has_text(list, name));
            recorded || is_composition(user) && reads_environments(whole) && has_text(whole, name)
        }
        SettingKind::Runtime => {
            let pointer = match setting.kind.kind.as_str() {
                "ControllerConfig" => "/spec/controllerConfigRef/name",
                _ => "/spec/runtimeConfigRef/name",
            };
            let is_image = setting_kind(&user.kind) == Some(SettingKind::Image);
            is_package() && names(&[pointer]) || is_image && names(&["/spec/runtime/configRef/name"])
        }
        SettingKind::Image => {
            let applied = whole.pointer("/status/appliedImageConfigRefs").and_then(Value::as_array);
            let is_it = |one: &Value| one.get("name").and_then(Value::as_str) == Some(name);
            is_package() && applied.is_some_and(|list| list.iter().any(is_it))
        }
        SettingKind::Store => {
            let place = whole.pointer("/spec/publishConnectionDetailsTo");
            place.is_some_and(|place| {
                place.pointer("/configRef/name").and_then(Value::as_str).unwrap_or("default") == name
            })
        }
    }
}

/// Where composites and claims name their revision.
const REVISIONS: [&str; 2] = ["/spec/crossplane/compositionRevisionRef/name", "/spec/compositionRevisionRef/name"];

/// Returns true if a composite stays with its revision. All others follow the Composition, which makes its current revision
/// again.
fn is_pinned(composite: &Value) -> bool {
    ["/spec/crossplane/compositionUpdatePolicy", "/spec/compositionUpdatePolicy"]
        .iter()
        .any(|pointer| composite.pointer(pointer).and_then(Value::as_str) == Some("Manual"))
}

/// Returns the reason why the effect of deleting a setting is unknown, if it is: a Composition may read it without its name.
pub(super) fn unknown_effect(state: &ClusterState, setting: &Resource) -> Option<String> {
    if setting_kind(&setting.kind) != Some(SettingKind::Environment) {
        return None;
    }
    let mut compositions = state.resources.iter().filter(|one| is_composition(one));
    let reader = compositions.find(|one| match one.whole.as_deref() {
        Some(whole) => reads_environments(whole) && !has_text(whole, &setting.metadata.name),
        None => true,
    })?;
    Some(format!("{} reads EnvironmentConfigs, and may select it by its labels", reader.name()))
}

fn is_composition(resource: &Resource) -> bool {
    role(&resource.kind) == Some(CrossplaneRole::Composition)
        || setting_kind(&resource.kind) == Some(SettingKind::Revision)
}

/// Returns true if a Composition mentions EnvironmentConfigs, also in a template.
fn reads_environments(composition: &Value) -> bool {
    composition.get("spec").is_some_and(|spec| spec.to_string().to_ascii_lowercase().contains("environmentconfig"))
}

/// Returns true if a name is a value, or a word of a template.
fn has_text(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => {
            let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.');
            text.split(|character| !is_part(character)).any(|word| word == name)
        }
        Value::Array(items) => items.iter().any(|item| has_text(item, name)),
        Value::Object(fields) => fields.values().any(|field| has_text(field, name)),
        _ => false,
    }
}
