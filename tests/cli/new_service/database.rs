//! A database of its own: the claim, what distributes its Secret, and whether the names join.

use super::{DEPLOYMENT, quotes};
use crate::gitops::{Gitops, Run};

const CLAIMS: &str = "# Databases.
apiVersion: acme.example.org/v1
kind: PostgreSQLInstance
metadata:
  name: quotes-db # of quotes
  namespace: default
spec:
  parameters: {storageGB: 20}
  writeConnectionSecretToRef:
    name: quotes-db-conn
---
apiVersion: acme.example.org/v1
kind: PostgreSQLInstance
metadata: {name: web-db, namespace: default}
spec:
  writeConnectionSecretToRef: {name: web-db-conn}
";

const SYNCER: &str = "apiVersion: dagandersen.com/v1
kind: Syncer
metadata: {name: secret-syncer}
spec:
  data:
    - sourceName: quotes-db-conn
      sourceNamespace: default
      targetCluster: gcp-k8s-prod
    - sourceName: quotes-db-conn
      sourceNamespace: default
      targetCluster: gcp-k8s-stage
    - sourceName: web-db-conn
      sourceNamespace: default
      targetCluster: gcp-k8s-prod
";

/// The repositories of the app clusters and of the core cluster.
fn repositories() -> (Gitops, Gitops) {
    let app = quotes();
    let secret = "        - secretRef: {name: quotes-db-conn}\n";
    app.write("quotes/base/deployment.yaml", &format!("{DEPLOYMENT}{secret}"));
    app.git(["commit", "--quiet", "--all", "-m", "Use the database"]);
    (app, Gitops::with(&[("databases/claims.yaml", CLAIMS), ("syncer.yaml", SYNCER)]))
}

fn run(app: &Gitops, core: &Gitops, arguments: &[&str]) -> Run {
    let fixed = ["orders", "--like", "quotes", "--core", core.top().to_str().unwrap()];
    app.new_service(&[&fixed[..], arguments].concat())
}

const DATABASE: [&str; 4] = ["--database", "orders-db", "--database-like", "quotes-db"];

#[test]
fn both_repositories_get_their_part_and_the_names_join() {
    let (app, core) = repositories();
    let done = run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0);
    done.says("orders-db-conn").says("PostgreSQLInstance orders-db");
    let claim = CLAIMS.split("---\n").next().unwrap();
    let copy = claim.replace("quotes-db", "orders-db").replace("of quotes", "of orders");
    assert_eq!(core.read("databases/claims.yaml"), CLAIMS.replacen("---\n", &format!("---\n{copy}---\n"), 1));
    let entry = |name: &str, cluster: &str| {
        format!("    - sourceName: {name}\n      sourceNamespace: default\n      targetCluster: gcp-k8s-{cluster}\n")
    };
    let syncer = core.read("syncer.yaml");
    for cluster in ["prod", "stage"] {
        assert!(syncer.contains(&entry("orders-db-conn", cluster)), "{syncer}");
        assert!(syncer.contains(&entry("quotes-db-conn", cluster)), "{syncer}");
    }
    assert!(app.read("orders/base/deployment.yaml").ends_with("- secretRef: {name: orders-db-conn}\n"));
    for repository in [&app, &core] {
        assert_eq!(repository.git(["status", "--porcelain"]), "");
        assert_eq!(repository.git(["log", "-1", "--format=%s"]), "Add orders like quotes");
    }
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0).says("Nothing to do");
}

#[test]
fn a_run_that_ended_between_the_repositories_is_completed() {
    let (app, core) = repositories();
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0);
    app.git(["reset", "--quiet", "--hard", "HEAD~"]);
    let tip = core.git(["rev-parse", "HEAD"]);
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0).says("Committed");
    assert_eq!(core.git(["rev-parse", "HEAD"]), tip);
    assert!(app.read("orders/base/deployment.yaml").contains("orders-db-conn"));
}

#[test]
fn without_a_database_of_its_own_it_is_said_that_both_use_one() {
    let (app, core) = repositories();
    run(&app, &core, &["--yes"]).exits(0).says("orders and quotes both use Secret quotes-db-conn");
    assert!(app.read("orders/base/deployment.yaml").contains("quotes-db-conn"));
    assert_eq!(core.read("databases/claims.yaml"), CLAIMS);
}

#[test]
fn only_the_clusters_that_were_asked_for_get_the_secret() {
    let (app, core) = repositories();
    run(&app, &core, &[&DATABASE[..], &["--environments", "stage", "--yes"]].concat()).exits(0);
    let syncer = core.read("syncer.yaml");
    let entry =
        "    - sourceName: orders-db-conn\n      sourceNamespace: default\n      targetCluster: gcp-k8s-stage\n";
    assert_eq!(syncer.matches("orders-db-conn").count(), 1);
    assert!(syncer.contains(entry), "{syncer}");
}

/// The paper's own fault: the claim writes `…-conn-2`, and workload and Syncer want `…-conn`.
#[test]
fn a_secret_that_nobody_writes_is_an_error_with_both_ends() {
    let (app, core) = repositories();
    core.write("databases/claims.yaml", &CLAIMS.replace("name: quotes-db-conn\n", "name: quotes-db-conn-2\n"));
    let before = super::files(&app);
    let refused = run(&app, &core, &[&DATABASE[..], &["--yes"]].concat()).exits(1);
    refused.says("Syncer secret-syncer").says("nothing of orders refers to Secret orders-db-conn-2");
    assert_eq!(super::files(&app), before);
    assert!(!core.read("databases/claims.yaml").contains("orders"));
}
