//! Owner references: in a live cluster they need the owners' live uids.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::manifests::{Identity, text};

/// The UIDs of written objects.
#[derive(Debug, Default)]
pub struct Owners(BTreeMap<Identity, String>);

impl Owners {
    pub fn extend(&mut self, written: impl IntoIterator<Item = (Identity, String)>) {
        self.0.extend(written);
    }

    /// Points an object at its live owners. One outside of the snapshot keeps its uid.
    pub fn adopt(&self, object: &mut Value) {
        let namespace = text(&object["metadata"]["namespace"]);
        let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() else {
            return;
        };
        for owner in owners {
            let live = candidates(owner, &namespace).into_iter().find_map(|owner| self.0.get(&owner));
            if let Some(uid) = live {
                owner["uid"] = json!(uid);
            }
        }
    }
}

/// Whether an owner of the object is among those still to be written.
pub fn waits(object: &Value, unwritten: &[Identity]) -> bool {
    let namespace = text(&object["metadata"]["namespace"]);
    let owners = object["metadata"]["ownerReferences"].as_array();
    owners.into_iter().flatten().flat_map(|owner| candidates(owner, &namespace)).any(|owner| unwritten.contains(&owner))
}

/// An owner is in the same namespace or in none; the reference does not contain it.
fn candidates(owner: &Value, namespace: &str) -> [Identity; 2] {
    let cluster_scoped = Identity { name: text(&owner["name"]), ..Identity::of_kind(owner) };
    [Identity { namespace: namespace.to_owned(), ..cluster_scoped.clone() }, cluster_scoped]
}
