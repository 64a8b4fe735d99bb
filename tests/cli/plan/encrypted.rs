//! Objects that Flux decrypts: a plan lists those that change, with the keys that the encrypted files show.

use serde_json::{Value, json};

use super::{Repository, URL, create, document, plan};
use crate::support::{self, Options};

const LOGIN: &str = "apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
data: {user: 'ENC[AES256_GCM,data:canary1]', password: 'ENC[AES256_GCM,data:canary2]'}
sops: {mac: 'ENC[AES256_GCM,data:mac]'}
";
const GENERATED: &str = "resources: [login.yaml, pod.yaml]
secretGenerator: [{name: keys, namespace: default, envs: [keys.env]}]
";
const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: web, image: web, envFrom: [{secretRef: {name: keys}}]}]}
";

#[test]
fn only_what_changes_in_encrypted_files_is_listed() {
    let Some(cluster) = support::start(Options::named("plan-encrypted")) else { return };
    create(
        &cluster,
        vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "flux-system"}}),
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": URL},
            }),
            json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"namespace": "flux-system", "name": "shop"},
                "spec": {
                    "path": "./shop", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "quotes"},
                    "decryption": {"provider": "sops"},
                },
            }),
        ],
    );
    let keys = |value: &str| format!("KEY=ENC[AES256_GCM,data:{value}]\nsops_mac=ENC[AES256_GCM,data:mac]\n");
    let repository = Repository::new(&[
        ("shop/kustomization.yaml", GENERATED),
        ("shop/login.yaml", LOGIN),
        ("shop/pod.yaml", POD),
        ("shop/keys.env", &keys("canary3")),
        ("README.md", "text\n"),
    ]);
    let planned = |branch: &str, change: &[(&str, &str)]| {
        repository.branch(branch, change, &[]);
        document(&plan(&cluster, &repository, &["--base=main", "--head", branch, "-o=json"]))
    };
    let reasons = |plan: &Value| -> Vec<String> {
        let entries = plan["unreadable"].as_array().unwrap().iter();
        entries
            .map(|entry| format!("{}: {}", entry["what"].as_str().unwrap(), entry["reason"].as_str().unwrap()))
            .collect()
    };
    let (same, code) = planned("readme", &[("README.md", "other\n")]);
    assert_eq!((reasons(&same), code), (Vec::new(), 0), "{same:#}");

    let changed =
        LOGIN.replace("canary2", "canary4").replace("{user:", "{token: 'ENC[AES256_GCM,data:canary5]', user:");
    let (login, code) = planned("login", &[("shop/login.yaml", &changed)]);
    let found = reasons(&login);
    assert!(found.len() == 1 && code == 4, "{login:#}");
    for part in ["login", "added: data.token", "encrypted again, perhaps with another value: data.password"] {
        assert!(found[0].contains(part), "{part}: {found:?}");
    }
    // kustomize computes the name of a generated Secret from the decrypted file.
    let (generated, _) = planned("keys", &[("shop/keys.env", &keys("canary6"))]);
    let found = reasons(&generated).join("\n");
    assert!(found.contains("its name has a hash of the decrypted content") && found.contains("pod"), "{generated:#}");
    assert_eq!(generated["items"], json!([]), "{generated:#}");
    for plan in [same, login, generated] {
        assert!(!plan.to_string().contains("canary"), "{plan:#}");
    }
}
