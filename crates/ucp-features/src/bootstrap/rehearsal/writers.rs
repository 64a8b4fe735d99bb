//! The writers of fields: users, whose changes are not restored, or controllers, which write them again.

use ucp_client::prediction::fields::field_managers;
use ucp_core::model::resource::Resource;

/// Prefixes of field managers of interactive tools: kubectl and its plugins, including this one, terminal UIs and
/// consoles, Terraform and similar tools, and browsers.
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

/// Returns the writers of any of the fields, given as JSON pointers. `None` if they are unknown.
pub(super) fn writers<'a>(resource: &'a Resource, fields: &[String]) -> Option<Vec<&'a str>> {
    let writers =
        field_managers(resource.whole.as_deref()?).filter(|owner| fields.iter().any(|field| owner.owns_pointer(field)));
    let writers: Vec<&str> = writers.map(|owner| owner.manager).filter(|manager| !manager.is_empty()).collect();
    (!writers.is_empty()).then_some(writers)
}

/// Returns true if users wrote any of the fields. `None` if the writers are unknown.
pub(super) fn is_written_by_users(resource: &Resource, fields: &[String]) -> Option<bool> {
    let is_person = |manager: &&str| {
        let manager = manager.to_ascii_lowercase();
        manager == "helm" || OF_PEOPLE.iter().any(|begin| manager.starts_with(begin))
    };
    Some(writers(resource, fields)?.iter().any(is_person))
}
