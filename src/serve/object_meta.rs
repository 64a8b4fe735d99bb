//! The fields that objects of every kind have, as servers describe them.

use serde_json::{Map, Value, json};

const NAME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// Adds the fields that every object has to the schema of a kind, in place of what its definition says about them.
pub(super) fn add_common_fields(schema: &mut Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
    let version = format!(
        "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas \
         to the latest internal value, and may reject unrecognized values. More info: {conventions}#resources"
    );
    let kind = format!(
        "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint \
         the client submits requests to. Cannot be updated. In CamelCase. More info: {conventions}#types-kinds"
    );
    let metadata = format!("Standard object's metadata. More info: {conventions}#metadata");
    properties.insert("apiVersion".to_owned(), json!({"type": "string", "description": version}));
    properties.insert("kind".to_owned(), json!({"type": "string", "description": kind}));
    let meta = json!({"description": metadata, "allOf": [reference("ObjectMeta")]});
    properties.insert("metadata".to_owned(), meta);
}

/// Returns the schemas that those of kinds refer to, by name.
pub(super) fn common_schemas() -> Map<String, Value> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let whole = |description: &str| json!({"type": "integer", "format": "int64", "description": description});
    let switch = |description: &str| json!({"type": "boolean", "description": description});
    let list = |description: &str, items: Value| json!({"type": "array", "items": items, "description": description});
    let texts = |description: &str| json!({"type": "object", "additionalProperties": {"type": "string"}, "description": description});
    let entry = |value: &str| json!({"allOf": [reference(value)]});
    let schemas = [
        (
            "ObjectMeta",
            json!({"type": "object", "description": "ObjectMeta is metadata that all persisted resources must have.", "properties": {
                "annotations": texts("Arbitrary data that tools set and read. Not for queries."),
                "creationTimestamp": text("When the server created the object, in UTC."),
                "deletionGracePeriodSeconds": whole("Seconds that the object has to end after its deletion was requested."),
                "deletionTimestamp": text("When the object is deleted. Set by the server after a deletion was requested."),
                "finalizers": list("What must be done before the object is removed.", json!({"type": "string"})),
                "generateName": text("A prefix from which the server makes a name, if there is none."),
                "generation": whole("The number of the desired state. Set by the server."),
                "labels": texts("Keys and values by which objects are selected."),
                "managedFields": list("Which manager set which fields.", entry("ManagedFieldsEntry")),
                "name": text("The name, unique for the kind in a namespace. Cannot be changed."),
                "namespace": text("The namespace. Cannot be changed."),
                "ownerReferences": list("Objects on which this one depends.", entry("OwnerReference")),
                "resourceVersion": text("The version of the stored object, to detect changes."),
                "selfLink": text("Not set any more."),
                "uid": text("Unique in time and space. Set by the server."),
            }}),
        ),
        (
            "ManagedFieldsEntry",
            json!({"type": "object", "description": "What one manager set.", "properties": {
                "apiVersion": text("The version of the fields."),
                "fieldsType": text("The format of the fields."),
                "fieldsV1": {"description": "The fields.", "allOf": [reference("FieldsV1")]},
                "manager": text("The manager."),
                "operation": text("Apply or Update."),
                "subresource": text("The subresource through which the fields were set."),
                "time": text("When the manager changed this entry."),
            }}),
        ),
        ("FieldsV1", json!({"type": "object", "description": "A set of fields, as a tree."})),
        (
            "OwnerReference",
            json!({"type": "object", "description": "An object that owns this one.", "required": ["apiVersion", "kind", "name", "uid"], "properties": {
                "apiVersion": text("The API version of the owner."),
                "blockOwnerDeletion": switch("True if the owner is not removed in the foreground before this reference is."),
                "controller": switch("True if the owner manages this object."),
                "kind": text("The kind of the owner."),
                "name": text("The name of the owner."),
                "uid": text("The UID of the owner."),
            }}),
        ),
    ];
    schemas.into_iter().map(|(name, schema)| (format!("{NAME}{name}"), schema)).collect()
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{NAME}{name}")})
}
