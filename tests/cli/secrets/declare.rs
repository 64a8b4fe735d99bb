//! `kubectl ucp secrets declare`: its output is read back as a declaration of the same copy, and contains no value.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::seeds::{HOME, LOGIN, connection, secret};
use super::stage::{namespaces, ways, write};
use crate::support::command::{Ran, run, ucp};

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "orders", "namespace": "shop"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "orders"}}]}]}}},
    })
}

fn documents(text: &str) -> Vec<Value> {
    text.split("---\n").filter(|one| !one.trim().is_empty()).map(|one| serde_saphyr::from_str(one).unwrap()).collect()
}

#[test]
fn a_printed_declaration_is_read_back_as_the_same_copy() {
    let directory = tempfile::tempdir().unwrap();
    let servers = BTreeMap::from([("prod", ("https://prod.example.org".to_owned(), String::new()))]);
    let mut core = ways(&servers, "unused");
    core.retain(|object| object["kind"] != "ClusterSecretStore" && object["kind"] != "ProviderConfig");
    core.push(connection(HOME, "orders", LOGIN));
    core.push(connection(HOME, "unasked", LOGIN));
    core.push(secret(HOME, "aws-creds", LOGIN));
    core.push(json!({
        "apiVersion": "aws.crossplane.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "default"},
        "spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": HOME, "name": "aws-creds", "key": "password"}}},
    }));
    let secrets = |core: &[Value], prod: &[Value], arguments: &[&str]| -> Ran {
        let core = write(directory.path(), "core.json", core);
        let prod = write(
            directory.path(),
            "prod.json",
            &[prod, &[secret("shop", "other", LOGIN)], &namespaces(&["shop"])].concat(),
        );
        let mut command = ucp(["secrets"]);
        command.args(arguments).args(["--from", &core, "--app-from", &format!("prod={prod}")]);
        run(command)
    };
    let declare =
        |more: &[&str]| secrets(&core, &[deployment()], &[&["declare", "--app-cluster", "prod"], more].concat());
    for (form, kinds, by) in [
        ("pushsecret", &["ClusterSecretStore", "PushSecret"][..], "PushSecret"),
        ("syncer", &["Syncer"], "Syncer"),
        ("object", &["ProviderConfig", "Object"], "Object"),
    ] {
        let printed = declare(&["orders", "--as", form]).expect(0).stdout;
        let documents = documents(&printed);
        assert_eq!(documents.iter().map(|one| one["kind"].as_str().unwrap()).collect::<Vec<_>>(), kinds, "{printed}");
        assert_eq!(declare(&["orders", "--as", form]).stdout, printed, "the same every time");
        let declared = [&core[..], &documents].concat();
        let item = |prod: &[Value]| secrets(&declared, prod, &["orders", "-o", "json"]).json()["items"][0].clone();
        let missing = item(&[deployment()]);
        assert_eq!((&missing["state"], &missing["declaredBy"][0]["by"]), (&json!("missing"), &json!(by)), "{missing}");
        assert_eq!((&missing["cluster"], &missing["namespace"]), (&json!("prod"), &json!("shop")));
        let current = item(&[deployment(), secret("shop", "orders", LOGIN)]);
        assert_eq!(current["state"], "current", "{current}");
    }
    let elsewhere = declare(&["orders", "--as", "syncer", "--to-namespace", "other"]).expect(0).stdout;
    assert!(elsewhere.contains("targetNamespace: other"), "{elsewhere}");
    let refused = declare(&["crossplane-system/aws-creds", "--as", "object", "--to-namespace", "shop"]).expect(1);
    assert!(refused.stderr.contains("never distributed"), "{refused:?}");
    let refused = declare(&["crossplane-system/prod", "--as", "object", "--to-namespace", "shop"]).expect(1);
    assert!(refused.stdout.is_empty() && refused.stderr.contains("never copied"), "{refused:?}");
    let unasked = declare(&["crossplane-system/unasked", "--as", "object"]).expect(2);
    assert!(unasked.stderr.contains("--to-namespace"), "{unasked:?}");
    declare(&["orders", "--as", "nonsense"]).expect(2);
    declare(&["orders"]).expect(2);
}
