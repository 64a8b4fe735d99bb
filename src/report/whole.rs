//! Complete objects, as `kubectl get` prints them: a `List` of the API server, or one object.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::report::resources::ResourceList;
use ucp_core::model::secrecy::{SecretHider, register_secrets_of};

/// The complete objects of a [`ResourceList`].
#[derive(Debug)]
pub struct CompleteObjectList {
    /// The list, for output formats other than objects.
    pub list: ResourceList,
    document: Value,
}

impl CompleteObjectList {
    /// Takes the complete objects of a list; if one was requested by name, the document is that object. Secret values
    /// and those of variables are hidden, and `managedFields` are left out as in kubectl.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers for hiding secrets.
    pub fn from_list(list: ResourceList, is_one: bool) -> Result<Self, anyhow::Error> {
        let mut hider = SecretHider::new()?;
        // Other objects may quote their values.
        list.items.iter().filter_map(|item| item.whole.as_deref()).for_each(register_secrets_of);
        let mut objects = Vec::with_capacity(list.items.len());
        for whole in list.items.iter().filter_map(|item| item.whole.as_ref()) {
            let mut object = Value::clone(&Arc::clone(whole));
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("managedFields");
            }
            hider.hide_whole(&mut object);
            objects.push(object);
        }
        let document = match objects.as_mut_slice() {
            [object] if is_one => object.take(),
            _ => json!({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}}),
        };
        Ok(Self { list, document })
    }
}

impl Serialize for CompleteObjectList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}
