//! App clusters whose credentials no request can carry, and whose servers answer with more than anyone can hold: each costs its
//! own row.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::adopted::adopt;
use crate::fleet::{Corner, checked, document, fleet, kubeconfig_of, text};
use crate::hostile_servers::{Answer, bomb, plain, serve};
use crate::support::command;
use crate::support::kubeconfig::Credential;

/// A token, for a server whose certificate is not verified.
fn by_token(token: &str) -> Value {
    json!({"bearerToken": token, "tlsClientConfig": {"insecure": true}})
}

#[test]
fn an_invalid_token_only_affects_its_own_row() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "torn");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    let (items, _, printed) = adopt(&corner, &["prod", "--engine", "argocd", "--grant", "everything"]);
    assert_eq!(items[0]["state"], "adopted", "{printed}");
    let server = fleet.app.server().replace("127.0.0.1", "localhost");
    for (index, end) in ["\n", "\r\n", "\u{1b}[31m", "\u{0}x", "\u{e9}"].into_iter().enumerate() {
        let token = format!("{}{end}{end}", command::CANARY);
        corner.register(&format!("torn-{index}"), &format!("{server}/{index}"), &by_token(&token));
        let kubeconfig = fleet.app.kubeconfig_with(&server, &Credential::Token(token.clone()));
        corner.put(corner.connection_secret(&format!("pending-{index}"), &kubeconfig));
    }
    let directory = tempfile::tempdir().unwrap();
    let (private, archive) = (directory.path().join("tmp"), directory.path().join("core.tar.gz"));
    std::fs::create_dir(&private).unwrap();
    let archive = archive.display().to_string();
    for arguments in [
        &["clusters", "--probe", "-o", "json"][..],
        &["secrets", "--use-registration", "-o", "json"],
        &["snapshot", &archive, "--app-clusters", "-o", "json"],
    ] {
        // It prints no secret.
        let output = checked(corner.ucp(arguments).env("TMPDIR", &private).output().unwrap());
        assert!(
            output.status.signal().is_none() && output.status.code().is_some_and(|code| code < 100),
            "{}",
            text(&output)
        );
        let left: Vec<_> = std::fs::read_dir(&private).unwrap().flatten().map(|entry| entry.path()).collect();
        let is_lock = |path: &std::path::PathBuf| path.is_file();
        assert!(left.iter().all(is_lock), "{left:?}");
        if arguments[0] == "secrets" {
            continue;
        }
        let report = document(&output);
        let rows = |list: &str| report[list].as_array().cloned().unwrap_or_default();
        match arguments[0] {
            "clusters" => {
                let items = rows("items");
                let row = |name: &str| items.iter().find(|item| item["name"] == name).cloned().unwrap_or_default();
                assert_eq!(row("prod")["probe"]["error"], Value::Null, "{report:#}");
                assert_eq!(row("prod")["state"], "adopted", "{report:#}");
                for index in 0..5 {
                    for kind in ["torn", "pending"] {
                        assert!(!row(&format!("{kind}-{index}")).is_null(), "{kind} {index}: {report:#}");
                    }
                }
            }
            "snapshot" => {
                let of = |name: &str| rows("appClusters").into_iter().find(|one| one["name"] == name);
                assert_eq!(of("prod").map(|one| one["reason"].clone()), Some(Value::Null), "{report:#}");
                assert!(std::fs::metadata(&archive).is_ok_and(|file| file.len() > 0));
            }
            _ => {}
        }
    }
}

#[test]
fn a_probe_reads_at_most_the_size_of_a_version() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "bombed");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let answer = move |_: &str| -> Answer {
        match count.fetch_add(1, Ordering::SeqCst) {
            0 => plain(&json!({"gitVersion": "v1.36.0", "major": "1", "minor": "36"})),
            _ => bomb(200, 100),
        }
    };
    let server = serve(answer);
    let kubeconfig = kubeconfig_of(&server, fleet.app.ca_pem(), json!({"token": command::CANARY}));
    corner.put(corner.connection_secret("bomb", &kubeconfig));
    corner.register("bomb", &server, &by_token(command::CANARY));
    let begun = Instant::now();
    let clusters = corner.clusters(&["--probe", "--allow-http", "--allow-insecure"]);
    assert!(asked.load(Ordering::SeqCst) > 1, "{clusters:#}");
    assert!(clusters.to_string().contains("larger than 1 MiB"), "{clusters:#} after {:?}", begun.elapsed());
}
