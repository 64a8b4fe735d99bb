//! Definitions of kinds as manifests declare them: CRDs, ManagedResourceDefinitions, and XRDs.

use serde_json::{Map, Value, json};

use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::definition::CustomResourceDefinition;
use ucp_core::model::kind::{ResourceKind, ResourceScope};

use crate::schema::SchemaNode;

/// Returns true for the kinds of manifests that define other kinds.
pub fn is_definition(kind: &ResourceKind) -> bool {
    match kind.group.as_str() {
        "apiextensions.k8s.io" => kind.kind == "CustomResourceDefinition",
        "apiextensions.crossplane.io" => {
            matches!(kind.kind.as_str(), "CompositeResourceDefinition" | "ManagedResourceDefinition")
        }
        _ => false,
    }
}

/// Fields that Crossplane adds to the schema of an XRD, below `spec` and `status`. Source: `internal/xcrd/schemas.go`.
const ADDED_FIELDS: [(&str, &[&str]); 2] = [
    (
        "spec",
        &[
            "claimRef",
            "compositeDeletePolicy",
            "compositionRef",
            "compositionRevisionRef",
            "compositionRevisionSelector",
            "compositionSelector",
            "compositionUpdatePolicy",
            "crossplane",
            "environmentConfigRefs",
            "publishConnectionDetailsTo",
            "resourceRef",
            "resourceRefs",
            "writeConnectionSecretToRef",
        ],
    ),
    ("status", &["claimConditionTypes", "conditions", "connectionDetails", "crossplane"]),
];

/// A new definition of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDefinition {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The plural name.
    pub plural: String,
    /// The scope of its objects; `None` if the definition leaves it open.
    pub scope: Option<ResourceScope>,
    /// True if a webhook converts objects between versions.
    pub is_converted: bool,
    /// True if Crossplane only installs its CRD once an activation policy names it.
    pub starts_inactive: bool,
    /// The versions.
    pub versions: Vec<NewVersion>,
}

/// A version of a new definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    /// Name, such as `v1beta1`.
    pub name: String,
    /// True if the API server serves it.
    pub served: bool,
    /// True if objects are stored in it.
    pub storage: bool,
    /// The warning that the API server sends with each request in it, if it is deprecated.
    pub deprecation: Option<String>,
    schema: Value,
}

impl NewVersion {
    /// Returns the schema.
    pub fn schema(&self) -> SchemaNode<'_> {
        SchemaNode::new(&self.schema)
    }
}

impl NewDefinition {
    /// Returns the definitions that a manifest declares: two for an XRD with a claim, none for other kinds.
    pub fn list_from(manifest: &Value) -> Vec<Self> {
        let spec = &manifest["spec"];
        match (manifest["apiVersion"].as_str().unwrap_or_default(), manifest["kind"].as_str().unwrap_or_default()) {
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => {
                vec![Self::from_spec(spec, &spec["names"], named_scope(spec), Clone::clone)]
            }
            (version, "ManagedResourceDefinition") if version.starts_with("apiextensions.crossplane.io/") => {
                let definition = Self::from_spec(spec, &spec["names"], named_scope(spec), Clone::clone);
                vec![Self { starts_inactive: spec["state"] != "Active", ..definition }]
            }
            (version, "CompositeResourceDefinition") if version.starts_with("apiextensions.crossplane.io/") => {
                // The first version of the API has no scope: composites are in no namespace.
                let scope = if version.ends_with("/v1") { Some(ResourceScope::Cluster) } else { named_scope(spec) };
                let composite = Self::from_spec(spec, &spec["names"], scope, with_added_fields);
                let claim = spec
                    .get("claimNames")
                    .map(|names| Self::from_spec(spec, names, Some(ResourceScope::Namespaced), with_added_fields));
                std::iter::once(composite).chain(claim).collect()
            }
            _ => Vec::new(),
        }
    }

    fn from_spec(
        spec: &Value,
        names: &Value,
        scope: Option<ResourceScope>,
        complete: impl Fn(&Value) -> Value,
    ) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = spec["versions"].as_array().into_iter().flatten().map(|version| NewVersion {
            name: text(&version["name"]),
            served: version["served"] == true,
            // An XRD names the version that its objects are stored in by `referenceable`.
            storage: version["storage"] == true || version["referenceable"] == true,
            deprecation: (version["deprecated"] == true).then(|| text(&version["deprecationWarning"])),
            schema: match spec["preserveUnknownFields"] == true {
                true => json!({"x-kubernetes-preserve-unknown-fields": true}),
                false => complete(&version["schema"]["openAPIV3Schema"]),
            },
        });
        Self {
            group: text(&spec["group"]),
            kind: text(&names["kind"]),
            plural: text(&names["plural"]),
            scope,
            is_converted: spec["conversion"]["strategy"] == "Webhook",
            starts_inactive: false,
            versions: versions.collect(),
        }
    }

    /// Returns true if it defines a kind of the server.
    pub fn defines(&self, kind: &ResourceKind) -> bool {
        self.group == kind.group && self.plural == kind.plural
    }

    /// Returns the name of its CRD: `buckets.s3.aws.upbound.io`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Returns a served version by name.
    pub fn served_version(&self, name: &str) -> Option<&NewVersion> {
        self.versions.iter().find(|version| version.name == name && version.served)
    }

    /// Returns what requests in a version encounter: `which is no longer served`, or `which is deprecated`; `None` if they
    /// encounter nothing.
    pub fn version_problem(&self, name: &str) -> Option<String> {
        let Some(version) = self.served_version(name) else { return Some("which is no longer served".to_owned()) };
        version.deprecation.as_deref().map(|warning| match warning {
            "" => "which is deprecated".to_owned(),
            warning => format!("which is deprecated: {warning}"),
        })
    }

    /// Returns what requests in a version encounter with this definition, and not with the installed one.
    pub fn new_version_problem(&self, installed: Option<&Self>, name: &str) -> Option<String> {
        let today = installed.and_then(|installed| installed.version_problem(name));
        self.version_problem(name).filter(|problem| today.as_ref() != Some(problem))
    }

    /// Returns the version in which objects are stored.
    pub fn storage_version(&self) -> Option<&NewVersion> {
        self.versions.iter().find(|version| version.storage)
    }

    /// Returns the versions whose schemas apply to an object that is read in a version today: the first one when it is
    /// read and written, and the second one, if it differs, when it is stored.
    ///
    /// # Errors
    /// Fails when a webhook converts the object, so that its content is unknown.
    pub fn versions_for(&self, read_in: &str) -> Result<(&NewVersion, Option<&NewVersion>), Failure> {
        let Some(storage) = self.storage_version() else { return fail!("it has no version to store objects in") };
        match self.served_version(read_in) {
            Some(served) if served.name == storage.name || self.is_converted => Ok((served, None)),
            Some(served) => Ok((served, Some(storage))),
            None if self.is_converted => fail!("a webhook converts its objects from {read_in} to {}", storage.name),
            None => Ok((storage, None)),
        }
    }

    /// Returns the reasons for which the API server refuses this definition in place of the installed one. Source:
    /// `ValidateCustomResourceDefinitionUpdate` of apiextensions-apiserver.
    /// `scope` is the installed one, if it is known.
    pub fn refusals(&self, installed: &CustomResourceDefinition, scope: Option<ResourceScope>) -> Vec<String> {
        let mut refusals = Vec::new();
        if let (Some(new), Some(old)) = (self.scope, scope)
            && new != old
        {
            refusals.push(format!("spec.scope is immutable: {} to {}", scope_word(old), scope_word(new)));
        }
        if self.kind != installed.kind {
            refusals.push(format!("spec.names.kind is immutable: {} to {}", installed.kind, self.kind));
        }
        let is_missing = |stored: &&String| !self.versions.iter().any(|version| version.name == **stored);
        for stored in installed.stored.iter().filter(is_missing) {
            refusals.push(format!("status.storedVersions names {stored}, which spec.versions no longer has"));
        }
        match self.versions.iter().filter(|version| version.storage).count() {
            1 => {}
            count => refusals.push(format!("{count} of spec.versions have storage: true, and it must be one")),
        }
        refusals
    }
}

fn named_scope(spec: &Value) -> Option<ResourceScope> {
    spec["scope"].as_str().map(|scope| match scope {
        "Namespaced" => ResourceScope::Namespaced,
        _ => ResourceScope::Cluster,
    })
}

fn scope_word(scope: ResourceScope) -> &'static str {
    match scope {
        ResourceScope::Namespaced => "Namespaced",
        ResourceScope::Cluster => "Cluster",
    }
}

/// Returns the schema of an XRD's version with the fields that Crossplane adds, whose content is not compared.
fn with_added_fields(schema: &Value) -> Value {
    let open = json!({"x-kubernetes-preserve-unknown-fields": true});
    let mut schema = schema.clone();
    match add_fields(&mut schema, &open) {
        Some(()) => schema,
        None => open,
    }
}

/// Adds the fields, or returns `None` if the schema is no schema of an object.
fn add_fields(schema: &mut Value, added: &Value) -> Option<()> {
    for (part, names) in ADDED_FIELDS {
        let part = declared_fields(schema)?.entry(part).or_insert_with(|| json!({"type": "object"}));
        let declared = declared_fields(part)?;
        names.iter().for_each(|name| drop(declared.insert((*name).to_owned(), added.clone())));
    }
    Some(())
}

fn declared_fields(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    schema.as_object_mut()?.entry("properties").or_insert_with(|| json!({})).as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(versions: &Value, conversion: &str) -> NewDefinition {
        let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.org", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": versions, "conversion": {"strategy": conversion},
        }});
        NewDefinition::list_from(&manifest).remove(0)
    }

    #[test]
    fn the_schema_that_applies_depends_on_versions_and_conversion() {
        let versions = json!([
            {"name": "v1", "served": true, "storage": true},
            {"name": "v1beta1", "served": true},
            {"name": "v1alpha1", "served": false},
        ]);
        let names = |definition: &NewDefinition, read_in: &str| {
            let (read, stored) = definition.versions_for(read_in).ok()?;
            Some((read.name.clone(), stored.map(|version| version.name.clone())))
        };
        let plain = definition(&versions, "None");
        assert_eq!(names(&plain, "v1"), Some(("v1".to_owned(), None)));
        assert_eq!(names(&plain, "v1beta1"), Some(("v1beta1".to_owned(), Some("v1".to_owned()))));
        assert_eq!(names(&plain, "v1alpha1"), Some(("v1".to_owned(), None)));
        let converted = definition(&versions, "Webhook");
        assert_eq!(names(&converted, "v1beta1"), Some(("v1beta1".to_owned(), None)));
        assert_eq!(names(&converted, "v1alpha1"), None, "the result of the webhook is unknown");
        assert_eq!(names(&definition(&json!([]), "None"), "v1"), None);
    }

    #[test]
    fn changes_that_the_server_refuses_are_found() {
        let installed = |kind: &str, stored: &[&str]| CustomResourceDefinition {
            kind: kind.to_owned(),
            stored: stored.iter().map(|name| (*name).to_owned()).collect(),
            ..CustomResourceDefinition::default()
        };
        let new = definition(&json!([{"name": "v1", "served": true, "storage": true}]), "None");
        assert_eq!(new.refusals(&installed("Gadget", &["v1"]), Some(ResourceScope::Namespaced)), Vec::<String>::new());
        assert_eq!(
            new.refusals(&installed("Widget", &["v1beta1", "v1"]), Some(ResourceScope::Cluster)),
            [
                "spec.scope is immutable: Cluster to Namespaced",
                "spec.names.kind is immutable: Widget to Gadget",
                "status.storedVersions names v1beta1, which spec.versions no longer has",
            ]
        );
    }

    #[test]
    fn an_xrd_defines_a_composite_and_its_claim_with_the_fields_of_crossplane() {
        let manifest = json!({"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition", "spec": {
            "group": "example.org", "names": {"kind": "XShop", "plural": "xshops"}, "claimNames": {"kind": "Shop", "plural": "shops"},
            "versions": [{"name": "v1", "served": true, "referenceable": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "string"}}}},
            }}}],
        }});
        let definitions = NewDefinition::list_from(&manifest);
        let names = definitions.iter().map(|definition| (definition.name(), definition.scope));
        let expected =
            [("xshops.example.org", ResourceScope::Cluster), ("shops.example.org", ResourceScope::Namespaced)];
        assert!(names.eq(expected.map(|(name, scope)| (name.to_owned(), Some(scope)))));
        let mut composite =
            json!({"spec": {"size": "s", "color": "red", "compositionRef": {"name": "a"}, "resourceRefs": []}});
        let removed = definitions[0].versions[0].schema().prune(&mut composite);
        assert_eq!(removed, ["spec.color".to_owned()].into());
    }
}
