//! The outcome for external resources: a recreated object may or may not find the existing one.

use serde_json::Value;

use super::origin::RecoveryOrigin;
use super::recovery::{RecoveryConcern, RecoveryOutcome};
use super::writers::is_written_by_users;
use crate::teardown::removal::{self, ExternalRemoval, RemovalEffect};
use ucp_core::engine::crossplane::EXTERNAL_NAME;
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagedResourceSettings};
use ucp_core::engine::outside::{ExternalPolicy, RecreationPolicy};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::glob::matches;
use ucp_core::model::resource::Resource;
use ucp_repo::manifests::substitution::{has_variables, variables_to_glob};

/// The reason why an object with a generated name has another external resource.
const MADE_UP: &str = "its name, and with it its external name, is generated again when its composite is created again";
/// The remedy if no declaration in Git can help.
const BACKUP: &str = "keep a backup of the objects";

/// Returns the concern about an object with an external resource; `None` if that is found again.
///
/// # Errors
/// Fails with the reason why this is unknown.
pub(super) fn concern(resource: &Resource, origin: &RecoveryOrigin<'_>) -> Result<Option<RecoveryConcern>, Failure> {
    let object = resource.whole.as_deref().ok_or("it was not read completely")?;
    let ExternalRemoval { name, end } = removal::external_removal(&resource.kind, object);
    match origin {
        RecoveryOrigin::Nowhere => Ok(Some(concern_without_origin(resource, &end).external(name))),
        RecoveryOrigin::Git(manifest) => concern_if_recreated(resource, object, Some(manifest), name),
        RecoveryOrigin::Ambiguous(why) => Err((*why).into()),
        RecoveryOrigin::WithOther => concern_if_recreated(resource, object, None, name),
    }
}

fn concern_without_origin(resource: &Resource, end: &RemovalEffect) -> RecoveryConcern {
    if resource.metadata.deletion_timestamp.is_some() {
        return RecoveryConcern::from_resource(
            resource,
            RecoveryOutcome::Orphaned,
            "it is being deleted, and nothing would finish the deletion of the external resource",
        )
        .remedy("finish the deletion");
    }
    if matches!(end, RemovalEffect::Left(_)) {
        return RecoveryConcern::from_resource(
            resource,
            RecoveryOutcome::Lost,
            "nothing in Git declares it; it only observes the external resource",
        )
        .remedy("declare it in Git, or delete it if it is not needed");
    }
    RecoveryConcern::from_resource(
        resource,
        RecoveryOutcome::Orphaned,
        "nothing in Git declares it: its external resource continues to exist, and nothing manages it",
    )
    .remedy("declare it in Git, with its external name")
}

fn concern_if_recreated(
    resource: &Resource,
    object: &Value,
    manifest: Option<&Value>,
    name: Option<String>,
) -> Result<Option<RecoveryConcern>, Failure> {
    match ucp_core::engine::outside(&resource.kind) {
        Some(outside) => engine_concern(resource, outside, object, manifest, name),
        None => crossplane_concern(resource, object, manifest, name),
    }
}

/// Returns the concern for Crossplane: a provider finds existing resources by their external name.
fn crossplane_concern(
    resource: &Resource,
    object: &Value,
    manifest: Option<&Value>,
    name: Option<String>,
) -> Result<Option<RecoveryConcern>, Failure> {
    // An object of another cluster is found by its manifest.
    if object.pointer("/spec/forProvider/manifest").is_some() {
        return Ok(None);
    }
    let Some(name) = name else { return Ok(None) };
    let is_own = name == resource.metadata.name;
    let (finds, reason, remedy) = match manifest {
        Some(manifest) => {
            let said = ManagedResourceSettings::from_object(&resource.kind, manifest).name();
            let reason = other_name_reason("external name", said.as_deref(), &resource.metadata.name, &name)?;
            let remedy = format!("write the annotation {EXTERNAL_NAME}: {name} into its manifest");
            (reason.is_none(), reason.unwrap_or_default(), remedy)
        }
        None => {
            let is_generated = is_generated(object);
            let reason = match is_generated {
                true => MADE_UP.to_owned(),
                false => format!("nothing in Git declares its external name, {name}"),
            };
            let remedy = format!("have the Composition set the annotation {EXTERNAL_NAME}, or {BACKUP}");
            (is_own && !is_generated, reason, remedy)
        }
    };
    if finds {
        return Ok(None);
    }
    let declared = ManagedResourceSettings::from_object(&resource.kind, object);
    let concern = match declared.policies().allows(ExternalAction::Create) {
        true => RecoveryConcern::from_resource(resource, RecoveryOutcome::Duplicated, reason),
        false => RecoveryConcern::from_resource(
            resource,
            RecoveryOutcome::Lost,
            format!("{reason}, and without it the external resource is not found"),
        ),
    };
    Ok(Some(concern.remedy(remedy).external(Some(name))))
}

/// Returns the reason why an object created from Git would have another external resource than that with this name: Git
/// contains another name, or none, so that the object's own name is used.
///
/// # Errors
/// Fails when the name in Git contains variables.
fn other_name_reason(what: &str, said: Option<&str>, own: &str, name: &str) -> Result<Option<String>, Failure> {
    match said {
        Some(said) if has_variables(said) && matches(&variables_to_glob(said), name) => {
            let elsewhere = "the values of its variables are in a cluster, not in Git";
            fail!("Git declares its {what} as {said}: {elsewhere}")
        }
        Some(said) => Ok((said != name).then(|| format!("Git declares its {what} as {said}, but it is {name}"))),
        None => Ok((own != name).then(|| format!("Git does not declare its {what}, {name}"))),
    }
}

/// Returns the concern for an engine that declares how it finds existing resources. An object without a manifest is
/// created by another object, so that only fields not written by a user are restored.
fn engine_concern(
    resource: &Resource,
    outside: &ExternalPolicy,
    object: &Value,
    manifest: Option<&Value>,
    name: Option<String>,
) -> Result<Option<RecoveryConcern>, Failure> {
    // A read-only object creates nothing outside. A pause ends.
    if let Some(mark) = outside.read_only_mark(manifest.unwrap_or(object))
        && is_restored(resource, manifest, mark.at)?
    {
        return Ok(None);
    }
    let own = resource.metadata.name.as_str();
    let is_made_up = manifest.is_none() && is_generated(object);
    let duplicated = |reason: &str| RecoveryConcern::from_resource(resource, RecoveryOutcome::Duplicated, reason);
    let concern = match outside.again {
        RecreationPolicy::Found if is_made_up && name.as_deref().is_some_and(|name| ends_with(name, own)) => {
            duplicated(MADE_UP).remedy(format!("declare the external name in its template, or {BACKUP}"))
        }
        RecreationPolicy::Found => return Ok(None),
        RecreationPolicy::By(at) => {
            let id = |object: &Value| object.pointer(at).and_then(Value::as_str).map(str::to_owned);
            let Some(live) = id(object) else { return Ok(None) };
            let field = field(at);
            match manifest {
                Some(manifest) => {
                    let other = other_name_reason(&field, id(manifest).as_deref(), own, &live)?;
                    let Some(reason) = other else { return Ok(None) };
                    duplicated(&reason).remedy(format!("write {field}: {live} into its manifest"))
                }
                // The engine writes a generated identifier there, as may the creator of the object.
                None if live != own => {
                    return fail!(
                        "its {field} is {live}, and it is unknown whether it would be created with the same value again"
                    );
                }
                None if is_made_up => {
                    duplicated(MADE_UP).remedy(format!("declare {field} in its template, or {BACKUP}"))
                }
                None => return Ok(None),
            }
        }
        RecreationPolicy::OnlyWith(annotation) => {
            let at = format!("/metadata/annotations/{}", annotation.replace('~', "~0").replace('/', "~1"));
            let is_said = manifest.unwrap_or(object).pointer(&at).is_some();
            if is_said && is_restored(resource, manifest, &at)? {
                return Ok(None);
            }
            let place = if manifest.is_some() { "its manifest" } else { "its template" };
            duplicated(&format!("the existing resource is only taken over with the annotation {annotation}"))
                .remedy(format!("write {annotation} into {place}"))
        }
        RecreationPolicy::Never(reason) => duplicated(reason),
    };
    Ok(Some(concern.external(name)))
}

/// Returns true if a field of an object is restored when the object is created again.
///
/// # Errors
/// Fails when the writer of the field is unknown.
fn is_restored(resource: &Resource, manifest: Option<&Value>, at: &str) -> Result<bool, Failure> {
    if manifest.is_some() {
        return Ok(true);
    }
    let by_people = is_written_by_users(resource, &[at.to_owned()]);
    by_people.map(|is_theirs| !is_theirs).ok_or_else(|| format!("no managedFields show who wrote {}", field(at)).into())
}

/// Returns a JSON pointer as a path of fields.
fn field(at: &str) -> String {
    at.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn is_generated(object: &Value) -> bool {
    object.pointer("/metadata/generateName").is_some()
}

/// Returns true if a name, or the last segment of a cloud path, is the name of an object.
fn ends_with(name: &str, own: &str) -> bool {
    name.rsplit('/').next() == Some(own)
}
