//! Fields of a managed resource that make the provider or the cloud refuse a deletion, or keep the external resource, if they
//! are not set: defaults of the providers.

use serde_json::Value;

use super::safeguard::{PLACES, Safeguard, declared_path, names_final_snapshot};
use ucp_core::model::kind::ResourceKind;

/// Databases of AWS that are deleted only after a final snapshot, unless a field declines it: the beginning of their group, the
/// kind, and the field, whose default is false.
const FINAL_SNAPSHOTS: [(&str, &str, &str); 10] = [
    ("rds.aws.", "Instance", "skipFinalSnapshot"),
    ("rds.aws.", "Cluster", "skipFinalSnapshot"),
    ("docdb.aws.", "Cluster", "skipFinalSnapshot"),
    ("neptune.aws.", "Cluster", "skipFinalSnapshot"),
    ("redshift.aws.", "Cluster", "skipFinalSnapshot"),
    ("rds.aws.", "DBInstance", "skipFinalSnapshot"),
    ("rds.aws.", "DBCluster", "skipFinalSnapshot"),
    ("docdb.aws.", "DBCluster", "skipFinalSnapshot"),
    ("neptune.aws.", "DBCluster", "skipFinalSnapshot"),
    ("database.aws.", "RDSInstance", "skipFinalSnapshotBeforeDeletion"),
];

/// Returns the safeguards of an object by fields that are not set.
pub(super) fn default_safeguards(kind: &ResourceKind, object: &Value) -> impl Iterator<Item = Safeguard> {
    let refusals = undeclared_snapshot(kind, object).into_iter().chain(refusing_default(kind, object));
    refusals.chain(keeping_default(kind, object))
}

/// Returns the refusal of a database that declares nothing about its final snapshot.
fn undeclared_snapshot(kind: &ResourceKind, object: &Value) -> Option<Safeguard> {
    let is_kind = |(group, name, _): &&(&str, &str, &str)| kind.group.starts_with(group) && kind.kind == *name;
    let (_, _, field) = FINAL_SNAPSHOTS.iter().find(is_kind)?;
    let places = || PLACES.iter().filter_map(|place| object.pointer(place));
    let is_declared = places()
        .any(|fields| fields.as_object().is_some_and(|fields| fields.keys().any(|key| key.starts_with("skipFinal"))));
    (!is_declared && !places().any(names_final_snapshot)).then(|| Safeguard::Refuses {
        reason: format!(
            "spec.forProvider.{field} is not set and false by default: its deletion is refused, because no final snapshot is named"
        ),
        path: declared_path(&[(*field).to_owned()]),
        release: Value::Bool(true),
    })
}

/// Resources of Upbound's providers with a field whose default makes the provider refuse a deletion: the beginning of their
/// group, the kind, the field, and the value that permits the deletion. The defaults are those of the Terraform providers, from
/// `registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/`: `s3_bucket`, `s3_directory_bucket`, `ecr_repository`,
/// `ecrpublic_repository`, `route53_zone`, `backup_vault`, `athena_workgroup`, `iam_user`, `lightsail_bucket`; and from the same of `google`:
/// `sql_database_instance`, `container_cluster`, `bigquery_table`, `spanner_database`, `cloud_run_v2_service`,
/// `cloud_run_v2_job`, `privateca_certificate_authority`, `storage_bucket`, `dns_managed_zone`, `bigquery_dataset`,
/// `bigtable_instance`, `active_directory_domain`, `redis_cluster`, `memorystore_instance`, `workflows_workflow`,
/// `google_folder`, `google_project`, and since version 7 `alloydb_cluster`.
const REFUSING_DEFAULTS: [(&str, &str, &str, &str); 27] = [
    ("s3.aws.", "Bucket", "forceDestroy", "true"),
    ("s3.aws.", "DirectoryBucket", "forceDestroy", "true"),
    ("ecr.aws.", "Repository", "forceDelete", "true"),
    ("ecrpublic.aws.", "Repository", "forceDestroy", "true"),
    ("route53.aws.", "Zone", "forceDestroy", "true"),
    ("backup.aws.", "Vault", "forceDestroy", "true"),
    ("athena.aws.", "Workgroup", "forceDestroy", "true"),
    ("iam.aws.", "User", "forceDestroy", "true"),
    ("lightsail.aws.", "Bucket", "forceDelete", "true"),
    ("sql.gcp.", "DatabaseInstance", "deletionProtection", "false"),
    ("container.gcp.", "Cluster", "deletionProtection", "false"),
    ("bigquery.gcp.", "Table", "deletionProtection", "false"),
    ("spanner.gcp.", "Database", "deletionProtection", "false"),
    ("cloudrun.gcp.", "V2Service", "deletionProtection", "false"),
    ("cloudrun.gcp.", "V2Job", "deletionProtection", "false"),
    ("privateca.gcp.", "CertificateAuthority", "deletionProtection", "false"),
    ("storage.gcp.", "Bucket", "forceDestroy", "true"),
    ("dns.gcp.", "ManagedZone", "forceDestroy", "true"),
    ("bigquery.gcp.", "Dataset", "deleteContentsOnDestroy", "true"),
    ("bigtable.gcp.", "Instance", "deletionProtection", "false"),
    ("activedirectory.gcp.", "Domain", "deletionProtection", "false"),
    ("redis.gcp.", "Cluster", "deletionProtectionEnabled", "false"),
    ("memorystore.gcp.", "Instance", "deletionProtectionEnabled", "false"),
    ("workflows.gcp.", "Workflow", "deletionProtection", "false"),
    ("alloydb.gcp.", "Cluster", "deletionProtection", "false"),
    ("cloudplatform.gcp.", "Folder", "deletionProtection", "false"),
    ("cloudplatform.gcp.", "Project", "deletionPolicy", "DELETE"),
];

/// Resources of Upbound's providers that stay in the cloud: the beginning of their group, the kind, the field that decides if
/// there is one, and the reason, from the same documentation: `firestore_database`, `kms_key_ring`, `kms_crypto_key`,
/// `appengine_application`, `firebase_project`, `organizations_account`; and `default_vpc` and its like, which are adopted and never
/// deleted.
const KEEPING_DEFAULTS: [(&str, &str, Option<&str>, &str); 12] = [
    ("firestore.gcp.", "Database", Some("deletionPolicy"), "spec.forProvider.deletionPolicy is ABANDON by default"),
    ("kms.gcp.", "KeyRing", None, "Google Cloud deletes no key rings"),
    ("kms.gcp.", "CryptoKey", None, "Google Cloud deletes no keys: their versions are destroyed"),
    ("appengine.gcp.", "Application", None, "Google Cloud deletes no App Engine applications"),
    ("firebase.gcp.", "Project", None, "Firebase cannot be removed from a project"),
    (
        "organizations.aws.",
        "Account",
        Some("closeOnDeletion"),
        "spec.forProvider.closeOnDeletion is false by default: the account only leaves the organization",
    ),
    ("ec2.aws.", "DefaultNetworkACL", None, ADOPTED_DEFAULT),
    ("ec2.aws.", "DefaultRouteTable", None, ADOPTED_DEFAULT),
    ("ec2.aws.", "DefaultSecurityGroup", None, ADOPTED_DEFAULT),
    ("ec2.aws.", "DefaultSubnet", None, ADOPTED_DEFAULT),
    ("ec2.aws.", "DefaultVPC", None, ADOPTED_DEFAULT),
    ("ec2.aws.", "DefaultVPCDHCPOptions", None, ADOPTED_DEFAULT),
];
const ADOPTED_DEFAULT: &str = "the provider adopts this resource of the account, and only forgets it";

/// Returns true if a kind of Upbound's providers has this name, and its group begins like this.
fn is_upbound_kind(kind: &ResourceKind, group: &str, name: &str) -> bool {
    kind.group.starts_with(group) && kind.group.ends_with(".upbound.io") && kind.kind == name
}

/// Returns true if a field is declared or observed.
fn is_set(object: &Value, field: &str) -> bool {
    PLACES.iter().any(|place| object.pointer(&format!("{place}/{field}")).is_some_and(|one| !one.is_null()))
}

/// Returns the refusal by a default of a field that is neither declared nor observed.
fn refusing_default(kind: &ResourceKind, object: &Value) -> Option<Safeguard> {
    let (_, _, field, release) =
        REFUSING_DEFAULTS.iter().find(|(group, name, ..)| is_upbound_kind(kind, group, name))?;
    let (release, default) = match *release {
        "true" => (Value::Bool(true), "false"),
        "false" => (Value::Bool(false), "true"),
        text => (Value::from(text), "PREVENT"),
    };
    let effect =
        if default == "false" { "its deletion is refused unless it is empty" } else { "its deletion is refused" };
    (!is_set(object, field)).then(|| Safeguard::Refuses {
        reason: format!("spec.forProvider.{field} is not set and {default} by default: {effect}"),
        path: declared_path(&[(*field).to_owned()]),
        release,
    })
}

/// Returns the reason why the cloud keeps a resource unless a field says otherwise.
fn keeping_default(kind: &ResourceKind, object: &Value) -> Option<Safeguard> {
    let (_, _, field, reason) = KEEPING_DEFAULTS.iter().find(|(group, name, ..)| is_upbound_kind(kind, group, name))?;
    let is_decided = field.is_some_and(|field| is_set(object, field));
    (!is_decided).then(|| Safeguard::Keeps((*reason).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reported_for(kind: &ResourceKind, object: &Value) -> Vec<&'static str> {
        let word = |one: Safeguard| match one {
            Safeguard::Keeps(_) => "keeps",
            Safeguard::Doubtful(_) => "doubtful",
            Safeguard::Refuses { .. } => "refuses",
        };
        default_safeguards(kind, object).map(word).collect()
    }

    /// Before it is observed, a field that is not declared has its default.
    #[test]
    fn a_database_that_declines_no_final_snapshot_is_not_deleted() {
        let reported = |group: &str, kind: &str, fields: Value| {
            reported_for(&ResourceKind::guess(group, kind), &json!({"spec": {"forProvider": fields}})).len()
        };
        for (group, kind) in [
            ("rds.aws.upbound.io", "Instance"),
            ("rds.aws.m.upbound.io", "Cluster"),
            ("docdb.aws.upbound.io", "Cluster"),
            ("database.aws.crossplane.io", "RDSInstance"),
        ] {
            assert_eq!(reported(group, kind, json!({"region": "eu-west-1"})), 1, "{group} {kind}");
            for decided in ["skipFinalSnapshot", "skipFinalSnapshotBeforeDeletion"] {
                assert_eq!(reported(group, kind, json!({decided: true})), 0, "{group} {kind}");
            }
            assert_eq!(reported(group, kind, json!({"finalSnapshotIdentifier": "last"})), 0, "{group} {kind}");
        }
        assert_eq!(reported("rds.aws.upbound.io", "SubnetGroup", json!({})), 0);
    }

    #[test]
    fn defaults_of_providers_refuse_before_anything_is_observed() {
        for (group, kind, field, release) in REFUSING_DEFAULTS {
            for family in ["upbound.io", "m.upbound.io"] {
                let kind = ResourceKind::guess(&format!("{group}{family}"), kind);
                let reported = |object: &Value| reported_for(&kind, object).len();
                assert_eq!(reported(&json!({"spec": {"forProvider": {"region": "eu-west-1"}}})), 1, "{group} {field}");
                let release: Value = serde_json::from_str(release).unwrap_or_else(|_| json!(release));
                for place in ["forProvider", "initProvider"] {
                    assert_eq!(reported(&json!({"spec": {place: {field: release}}})), 0, "{group} {field}");
                }
                assert_eq!(reported(&json!({"status": {"atProvider": {field: release}}})), 0, "{group} {field}");
            }
        }
        assert_eq!(
            reported_for(&ResourceKind::guess("s3.aws.upbound.io", "BucketPolicy"), &json!({"spec": {}})).len(),
            0
        );
    }

    #[test]
    fn resources_that_the_cloud_keeps_are_not_deleted() {
        let reported = |group: &str, kind: &str, fields: Value| {
            reported_for(&ResourceKind::guess(group, kind), &json!({"spec": {"forProvider": fields}}))
        };
        assert_eq!(reported("kms.gcp.upbound.io", "KeyRing", json!({})), ["keeps"]);
        assert_eq!(reported("firebase.gcp.upbound.io", "Project", json!({})), ["keeps"]);
        assert_eq!(reported("organizations.aws.upbound.io", "Account", json!({"name": "x"})), ["keeps"]);
        assert_eq!(reported("organizations.aws.m.upbound.io", "Account", json!({"closeOnDeletion": true})), [""; 0]);
        assert_eq!(reported("ec2.aws.m.upbound.io", "DefaultVPC", json!({})), ["keeps"]);
        assert_eq!(reported("firestore.gcp.upbound.io", "Database", json!({})), ["keeps"]);
        assert_eq!(reported("firestore.gcp.upbound.io", "Database", json!({"deletionPolicy": "DELETE"})), [""; 0]);
    }
}
