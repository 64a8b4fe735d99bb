//! Who wrote a field of an object: a person, whose doing does not come back, or a controller, which does it again.

use crate::model::resource::Resource;
use crate::prediction::fields::owners;

/// How programs begin with which people write: kubectl and its plugins, this one among them, terminals and consoles, Terraform
/// and its like, and browsers.
const OF_PEOPLE: [&str; 12] = [
    "kubectl",
    "k9s",
    "lens",
    "freelens",
    "openlens",
    "headlamp",
    "dashboard",
    "mozilla",
    "curl",
    "terraform",
    "hashicorp",
    "pulumi",
];

/// Who wrote any of some fields of an object, by their JSON pointers. `None` when nothing says so.
pub(super) fn writers<'a>(resource: &'a Resource, fields: &[String]) -> Option<Vec<&'a str>> {
    let writers = owners(resource.whole.as_deref()?).filter(|owner| fields.iter().any(|field| owner.has(field)));
    let writers: Vec<&str> = writers.map(|owner| owner.manager).filter(|manager| !manager.is_empty()).collect();
    (!writers.is_empty()).then_some(writers)
}

/// Whether people wrote any of some fields. `None` where nothing says who did.
pub(super) fn of_people(resource: &Resource, fields: &[String]) -> Option<bool> {
    let is_person = |manager: &&str| {
        let manager = manager.to_ascii_lowercase();
        manager == "helm" || OF_PEOPLE.iter().any(|begin| manager.starts_with(begin))
    };
    Some(writers(resource, fields)?.iter().any(is_person))
}
