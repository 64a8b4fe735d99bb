//! Signed and generated data, which contain no versions and must never be written.

use crate::slot::file::VersionFile;
use crate::slot::site::ScalarContext;
use crate::yaml::YamlError;
use crate::yaml::tree::YamlNode;

/// Key under which SOPS stores its keys, its message authentication code, and its own version.
const SOPS: &str = "sops";

/// Returns true if a document is encrypted with SOPS: its authentication code covers all of its values.
fn is_encrypted(root: &YamlNode) -> bool {
    let has_code = root.get(SOPS).is_some_and(|sops| sops.get("mac").is_some());
    has_code || root.get("sops_mac").is_some()
}

/// Returns true if the first key of a path is metadata of SOPS.
pub(super) fn is_metadata(first: Option<&str>) -> bool {
    first.is_some_and(|key| key == SOPS || key.starts_with("sops_"))
}

/// Returns true if no value of the document is a version: metadata of SOPS, SealedSecrets, definitions of resources,
/// dashboards, lock files, and the status of objects.
pub(super) fn holds_no_versions(site: &ScalarContext<'_, '_>) -> bool {
    let first = site.frames.first().and_then(super::site::Frame::key);
    let is_sealed = site.kind() == Some("SealedSecret") && site.group() == Some("bitnami.com");
    let has = |key: &str| site.root.get(key).is_some();
    let is_dashboard = has("panels") && (has("schemaVersion") || has("templating")) || has("__requires");
    // The annotations of a definition are of the program that generated it.
    let is_definition = site.kind() == Some("CustomResourceDefinition");
    let name = site.file_name().to_ascii_lowercase();
    let is_lock =
        |part: &str| matches!(part, "lock" | "lockfile") || part.ends_with("-lock") || part.ends_with("_lock");
    // Helm writes a lock file with these keys under any name.
    let is_locked = name.split('.').any(is_lock) || has("dependencies") && has("generated") && has("digest");
    let is_interface = ["openapi", "swagger", "asyncapi"].into_iter().any(has);
    // Written by controllers, if the file is a copy of an object of a cluster.
    let is_status = first == Some("status") && site.kind().is_some() && has("metadata");
    is_status || is_metadata(first) || is_sealed || is_definition || is_dashboard || is_locked || is_interface
}

/// Returns the reason why a file must not be copied to another environment: it is encrypted for one. A file whose content
/// cannot be parsed is judged by its text.
pub fn encrypted_reason(name: &str, text: &str) -> Option<String> {
    let is_sealed = |root: &YamlNode| {
        let group = root.text_at("apiVersion").and_then(|version| version.split_once('/')).map(|(group, _)| group);
        root.text_at("kind") == Some("SealedSecret") && group == Some("bitnami.com")
    };
    let by_text = ["ENC[AES256_GCM,", "$ANSIBLE_VAULT;"].iter().any(|sign| text.contains(sign));
    let file = VersionFile::read(name, text).ok().flatten();
    let documents = file.iter().flat_map(|file| &file.layers).flat_map(|layer| &layer.documents);
    let sealed = documents.clone().any(is_sealed);
    let encrypted = by_text || documents.into_iter().any(is_encrypted);
    match (encrypted, sealed) {
        (true, _) => Some(format!("{name} is encrypted, and its keys are of one environment")),
        (false, true) => Some(format!("{name} has a SealedSecret, which only the cluster of one environment can open")),
        (false, false) => None,
    }
}

impl VersionFile {
    /// Rejects a file if it, or a document embedded in it, is encrypted with SOPS. After any edit not made by SOPS
    /// itself, decryption fails.
    ///
    /// # Errors
    /// Fails with the line of the document and a solution.
    pub(super) fn check_unsealed(&self) -> Result<(), YamlError> {
        for (index, layer) in self.layers.iter().enumerate() {
            if let Some(root) = layer.documents.iter().find(|root| is_encrypted(root)) {
                let line = self.line(index, root.span.start, root.line);
                let reason =
                    "the file is encrypted with SOPS, which could not decrypt it after the edit: use 'sops set'";
                return Err(YamlError::new(line, reason));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::slot::{SlotEdit, VersionFile, slots_in};

    const SAMPLES: [(&str, &str); 5] = [
        (
            "s.yaml",
            "kind: Secret\nimage: a/b:v1\nsops:\n  azure_kv:\n  - version: 0123456789abcdef\n  mac: ENC[x]\n  version: 3.8.1\n",
        ),
        (
            "s.json",
            "{\"image\": \"a/b:v1\", \"sops\": {\"kms\": [{\"version\": \"v1.2.3\"}], \"mac\": \"ENC\", \"version\": \"3.7\"}}",
        ),
        (".env", "A_IMAGE=a/b:v1\nsops_mac=ENC\nsops_version=3.8.1\nsops_azure_kv__list_0__map_version=1.2.3\n"),
        ("many.yaml", "a: b\n---\nimage: a/b:v1\nsops: {mac: x, version: 3.8.1}\n"),
        (
            "cm.yaml",
            "kind: ConfigMap\ndata:\n  x.yaml: |\n    image: a/b:v1\n    sops:\n      mac: x\n      version: 3.8.1\n",
        ),
    ];

    #[test]
    fn metadata_of_sops_is_not_a_version_and_its_files_are_never_written() {
        for (name, text) in SAMPLES {
            let file = VersionFile::read(name, text).unwrap().unwrap();
            let slots = file.slots();
            let found: Vec<&str> = slots.iter().map(|slot| slot.version.as_str()).collect();
            assert_eq!(found, ["v1"], "{text}");
            let error = file.apply_edits(&[SlotEdit::set_version(&slots[0], "v2")]).unwrap_err();
            assert!(error.reason.contains("encrypted with SOPS"), "{text}");
        }
    }

    #[test]
    fn signed_and_generated_data_contains_no_version() {
        for (name, text) in [
            (
                "s.yaml",
                "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec:\n  encryptedData:\n    version: 1.2.3\n    apiTag: v1.0.0\n",
            ),
            ("lock.yaml", "dependencies:\n- {name: a, repository: https://c.example.org, version: 1.2.3}\n"),
            (
                "deps.yaml",
                "dependencies:\n- {name: a, repository: https://c.example.org, version: 1.2.3}\ndigest: sha256:0a1b\ngenerated: \"2026-01-01\"\n",
            ),
            ("api.yaml", "openapi: 3.0.3\ninfo: {title: a, version: 1.2.3}\npaths: {}\n"),
            ("gateway.yaml", "api: {info: {title: a, version: 1.2.3}, routes: []}\n"),
            (
                "kafka.yaml",
                "kind: Kafka\nspec: {kafka: {metadataVersion: 3.7-IV4, config: {inter.broker.protocol.version: \"3.7\", log.message.format.version: \"3.7\"}}}\n",
            ),
            ("mongo.yaml", "spec: {featureCompatibilityVersion: \"6.0\"}\ncrdVersion: 1.2.0\n"),
            ("table.yaml", "featureCompatibilityVersion: 6.0.0\nwire.protocol.version: 1.2.0\n"),
            (
                "panel.json",
                "{\"name\": \"p\", \"kind\": 1, \"model\": {\"type\": \"graph\", \"version\": 12}, \"version\": 4}",
            ),
            ("Chart.lock.yaml", "dependencies:\n- name: a\n  version: 1.2.3\ndigest: sha256:0a1b\n"),
            ("package-lock.json", "{\"name\": \"a\", \"version\": \"1.2.3\", \"lockfileVersion\": 3}"),
            ("net.json", "{\"cniVersion\": \"0.4.0\", \"name\": \"cni\", \"plugins\": []}"),
            ("dashboard.json", "{\"panels\": [], \"schemaVersion\": 39, \"title\": \"a\", \"version\": 1}"),
            (
                "cm.yaml",
                "kind: ConfigMap\ndata:\n  a.json: |\n    {\"panels\": [], \"title\": \"a\", \"version\": 12}\n",
            ),
            ("board.json", "{\"__inputs\": [], \"__requires\": [{\"id\": \"graph\", \"version\": \"3.1.1\"}]}"),
            ("d.yaml", "datasources:\n- {name: logs, type: loki, access: proxy, version: 1}\n"),
            ("policy.json", "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\"}]}"),
            ("compose.yaml", "version: \"3.8\"\nservices: {}\n"),
            ("tool.yaml", "version: 2\nupdates: []\n"),
            ("values.yaml", "tls:\n  caVersion: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJrakNDQVRpZ0F3SUJBZ0lS\n"),
            ("values.yaml", "content:\n  digest: sha256:0a1b2c3d\n"),
            (
                "k.yaml",
                "resources:\n- https://raw.githubusercontent.com/o/r/main/a.yaml\n- https://github.com/o/r/tree/master/x\n",
            ),
            (
                "pod.yaml",
                "kind: Pod\nmetadata: {name: a}\nstatus: {containerStatuses: [{name: a, image: \"ghcr.io/o/a:v1.2.3\"}]}\n",
            ),
            ("v.yaml", "url: https://raw.githubusercontent.com/o/r/refs/heads/release-1.2/v1.3/a.yaml\n"),
        ] {
            assert_eq!(slots_in(name, text).unwrap(), [], "{text}");
        }
    }
}
