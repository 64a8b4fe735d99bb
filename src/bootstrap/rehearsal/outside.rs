//! What becomes of things outside: whether an object that is made anew finds the one that is there.

use serde_json::Value;

use super::origin::Origin;
use super::{Concern, Outcome};
use crate::engine::crossplane::EXTERNAL_NAME;
use crate::engine::crossplane::policies::{Action, Declared};
use crate::engine::outside::{Again, Outside};
use crate::model::resource::Resource;
use crate::teardown::removal::{self, End, Removal};

/// What is to be said of an object that stands for something outside; nothing where that is found again.
pub(super) fn concern(resource: &Resource, origin: &Origin<'_>) -> Option<Concern> {
    let object = resource.whole.as_deref()?;
    let Removal { name, end } = removal::of(&resource.kind, object);
    match origin {
        Origin::Nowhere => Some(lost(resource, &end).external(name)),
        Origin::Git(manifest) => again(resource, object, Some(manifest), name),
        Origin::WithOther => again(resource, object, None, name),
    }
}

fn lost(resource: &Resource, end: &End) -> Concern {
    if resource.metadata.deletion_timestamp.is_some() {
        return Concern::of(resource, Outcome::Orphaned, "it is being deleted: nobody would finish that outside")
            .remedy("finish the deletion");
    }
    if matches!(end, End::Left(_)) {
        return Concern::of(resource, Outcome::Lost, "nothing in Git declares it; it only watches what is outside")
            .remedy("declare it in Git, or delete it if nobody needs it");
    }
    Concern::of(
        resource,
        Outcome::Orphaned,
        "nothing in Git declares it: what it stands for goes on, and nobody manages it",
    )
    .remedy("declare it in Git, with its name outside")
}

fn again(resource: &Resource, object: &Value, manifest: Option<&Value>, name: Option<String>) -> Option<Concern> {
    match crate::engine::outside(&resource.kind) {
        Some(outside) => of_engine(resource, outside, manifest, name),
        None => managed(resource, object, manifest, name),
    }
}

/// Of Crossplane: a provider finds what exists by its external name.
fn managed(resource: &Resource, object: &Value, manifest: Option<&Value>, name: Option<String>) -> Option<Concern> {
    // What keeps an object of another cluster finds it by the manifest.
    if object.pointer("/spec/forProvider/manifest").is_some() {
        return None;
    }
    let name = name?;
    let is_own = name == resource.metadata.name;
    let (finds, reason, remedy) = match manifest {
        Some(manifest) => {
            let said = Declared::of(&resource.kind, manifest).name();
            let finds = said.as_ref().map_or(is_own, |said| *said == name);
            let reason = match said {
                Some(said) => format!("Git says that its external name is {said}, and it is {name}"),
                None => format!("Git does not say its external name, {name}"),
            };
            (finds, reason, format!("write the annotation {EXTERNAL_NAME}: {name} into its manifest"))
        }
        None => {
            let is_generated = object.pointer("/metadata/generateName").is_some();
            let reason = match is_generated {
                true => "its name is made up when its composite is made anew, and its external name with it".to_owned(),
                false => format!("nothing in Git says its external name, {name}"),
            };
            let remedy =
                format!("have the Composition set the annotation {EXTERNAL_NAME}, or keep a backup of the objects");
            (is_own && !is_generated, reason, remedy)
        }
    };
    if finds {
        return None;
    }
    let declared = Declared::of(&resource.kind, object);
    let concern = match declared.policies().allow(Action::Create) {
        true => Concern::of(resource, Outcome::Duplicated, reason),
        false => Concern::of(resource, Outcome::Lost, format!("{reason}, and without that nothing is found")),
    };
    Some(concern.remedy(remedy).external(Some(name)))
}

/// Of an engine that says how it finds what exists.
fn of_engine(
    resource: &Resource,
    outside: &Outside,
    manifest: Option<&Value>,
    name: Option<String>,
) -> Option<Concern> {
    let has = |annotation: &str| {
        let declared = manifest.and_then(|manifest| manifest.get("metadata")?.get("annotations")?.get(annotation));
        declared.is_some()
    };
    let concern = match outside.again {
        Again::Found => return None,
        Again::OnlyWith(annotation) if has(annotation) => return None,
        Again::OnlyWith(annotation) => {
            let reason = format!("it is only taken over with the annotation {annotation}");
            Concern::of(resource, Outcome::Duplicated, reason).remedy(format!("write {annotation} into its manifest"))
        }
        Again::Never(reason) => Concern::of(resource, Outcome::Duplicated, reason),
    };
    Some(concern.external(name))
}
