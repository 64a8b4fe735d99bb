//! The fields of `metadata` in use.

use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::object::ObjectName;
use crate::model::secrecy::Scrubbed;
use crate::model::uid::Uid;
use crate::model::word::{SharedText, SharedTextMap};

/// Namespaces that Kubernetes itself creates and uses.
pub const SYSTEM_NAMESPACES: [&str; 3] = ["kube-system", "kube-public", "kube-node-lease"];

/// `metav1.ObjectMeta` without managed fields, and without annotations that hold a whole object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// Name.
    pub name: String,
    /// Namespace, for namespaced kinds.
    pub namespace: Option<String>,
    /// Identifier that is unique across space and time.
    pub uid: Uid,
    /// Time of creation.
    #[serde(deserialize_with = "lenient_time")]
    pub creation_timestamp: Option<Timestamp>,
    /// Time of the deletion request; finalizers still block it.
    #[serde(deserialize_with = "lenient_time")]
    pub deletion_timestamp: Option<Timestamp>,
    /// Increases with each change of the spec.
    pub generation: Option<i64>,
    /// Finalizers that block deletion, without secrets.
    #[serde(deserialize_with = "scrubbed_texts")]
    pub finalizers: Vec<SharedText>,
    /// Labels.
    #[serde(deserialize_with = "null_as_default")]
    pub labels: SharedTextMap,
    /// Annotations without secrets, except those that hold copies of the object.
    #[serde(deserialize_with = "small_annotations")]
    pub annotations: SharedTextMap,
    /// Owners.
    pub owner_references: Vec<OwnerReference>,
    /// Times of the last writes: the newest in `managedFields`, which `kubectl get -o yaml` omits.
    #[serde(rename = "managedFields", deserialize_with = "last_writes")]
    pub written: LastWriteTimes,
}

/// Times of the last writes of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LastWriteTimes {
    /// To anything but the status.
    pub declaration: Option<Timestamp>,
    /// To the status, if it is a subresource.
    pub status: Option<Timestamp>,
}

/// `metav1.OwnerReference`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    /// Group and version of the owner.
    pub api_version: SharedText,
    /// Kind of the owner.
    pub kind: SharedText,
    /// Name of the owner.
    pub name: SharedText,
    /// UID of the owner.
    pub uid: Uid,
    /// True if the owner is the managing controller.
    pub controller: bool,
}

impl OwnerReference {
    /// Returns the owner. References have no namespace: the owner is in that of the owned object, or in none.
    pub fn object(&self, namespace: Option<&str>) -> ObjectName {
        ObjectName {
            api_version: self.api_version.to_string(),
            kind: self.kind.to_string(),
            namespace: namespace.map(str::to_owned),
            name: self.name.to_string(),
        }
    }
}

fn scrubbed_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SharedText>, D::Error> {
    Scrubbed::deserialize(deserializer).map(|Scrubbed(texts)| texts)
}

impl Metadata {
    /// Returns the value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key)
    }

    /// Returns the value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key)
    }

    /// Describes the finalizers that block a deletion.
    pub fn describe_finalizers(&self) -> String {
        match self.finalizers.as_slice() {
            [] => "no finalizer holds it".to_owned(),
            [one] => format!("finalizer {one} holds it"),
            several => format!("finalizers {} hold it", several.join(", ")),
        }
    }

    /// Returns the owner that is the managing controller.
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller)
    }
}

/// Reads a time. An invalid time counts as absent, so that it does not affect a verdict.
pub fn lenient_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.and_then(|text| text.parse().ok()))
}

/// Reads the newest times of writes from `managedFields`.
fn last_writes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LastWriteTimes, D::Error> {
    #[derive(Deserialize)]
    struct LastChangeEntry {
        #[serde(default)]
        subresource: String,
        #[serde(default, deserialize_with = "lenient_time")]
        time: Option<Timestamp>,
    }
    let writers: Option<Vec<LastChangeEntry>> = Option::deserialize(deserializer)?;
    let mut written = LastWriteTimes::default();
    for writer in writers.into_iter().flatten() {
        let last = if writer.subresource == "status" { &mut written.status } else { &mut written.declaration };
        *last = writer.time.max(*last);
    }
    Ok(written)
}

/// Reads `null` as the empty value, as Go does.
pub fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a map, and any other value as an empty one: for fields that have another form in other kinds. `None` for null.
pub fn map_or_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    struct MapVisitor<T>(PhantomData<T>);
    macro_rules! empty {
        ($($method:ident: $type:ty),*) => {
            $(fn $method<E: Error>(self, _: $type) -> Result<Option<T>, E> {
                Ok(Some(T::default()))
            })*
        };
    }
    impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for MapVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("any value")
        }

        empty! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }

        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Some(T::default()))
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Option<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields)).map(Some)
        }
    }
    deserializer.deserialize_any(MapVisitor(PhantomData))
}

/// Annotations that hold a copy of the whole object. They are not needed, and may hold secrets.
const WHOLE_OBJECTS: [&str; 2] =
    ["kubectl.kubernetes.io/last-applied-configuration", "upjet.crossplane.io/provider-meta"];

fn small_annotations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SharedTextMap, D::Error> {
    struct AnnotationsVisitor;
    impl<'de> Visitor<'de> for AnnotationsVisitor {
        type Value = SharedTextMap;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("annotations")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(SharedTextMap::default())
        }

        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok(SharedTextMap::default())
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut annotations: Vec<(SharedText, SharedText)> = Vec::new();
            while let Some(key) = map.next_key::<SharedText>()? {
                if WHOLE_OBJECTS.contains(&key.as_str()) {
                    map.next_value::<IgnoredAny>()?;
                } else {
                    let Scrubbed(value): Scrubbed<String> = map.next_value()?;
                    annotations.push((key, value.into()));
                }
            }
            Ok(annotations.into_iter().collect())
        }
    }
    deserializer.deserialize_any(AnnotationsVisitor)
}
