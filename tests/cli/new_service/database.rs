//! A database of its own: the claim, the objects that distribute its Secret, and whether the names match.

use super::{DEPLOYMENT, quotes};
use crate::gitops::{Gitops, Run};
use crate::support::command::CANARY;

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
fn both_repositories_get_their_part_with_matching_names() {
    let (app, core) = repositories();
    let done = run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0);
    done.prints("orders-db-conn").prints("PostgreSQLInstance orders-db");
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
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0).prints("Nothing to do");
}

#[test]
fn a_run_that_was_stopped_between_the_repositories_is_completed() {
    let (app, core) = repositories();
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0);
    app.git(["reset", "--quiet", "--hard", "HEAD~"]);
    let tip = core.git(["rev-parse", "HEAD"]);
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat()).exits(0).prints("Committed");
    assert_eq!(core.git(["rev-parse", "HEAD"]), tip);
    assert!(app.read("orders/base/deployment.yaml").contains("orders-db-conn"));
}

#[test]
fn uncommitted_changes_in_one_repository_leave_both_unchanged() {
    let (app, core) = repositories();
    let list = app.read("argocd/prod/kustomization.yaml");
    app.write("argocd/prod/kustomization.yaml", &format!("# mine\n{list}"));
    let (tip, before) = (core.git(["rev-parse", "HEAD"]), super::files(&app));
    run(&app, &core, &[&DATABASE[..], &["--commit", "--yes"]].concat())
        .exits(1)
        .prints("argocd/prod/kustomization.yaml");
    assert_eq!((core.git(["rev-parse", "HEAD"]), core.git(["status", "--porcelain"])), (tip, String::new()));
    assert_eq!(super::files(&app), before);
}

/// A path, a bare repository that it was cloned from, another work tree of it: the files would be written twice.
#[test]
fn the_repository_itself_is_refused_as_core_repository() {
    let app = quotes();
    let bare = app.publish();
    let tree = app.outside().join("tree");
    app.git(["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    for core in [app.top(), &bare, &tree] {
        let arguments = ["orders", "--like", "quotes", "--core", core.to_str().unwrap(), "--dry-run"];
        app.new_service(&arguments).exits(2).prints("--core is the same repository");
    }
}

/// SOPS signs the whole file: after one more entry, it could no longer be decrypted.
#[test]
fn files_encrypted_with_sops_are_not_changed_and_are_listed() {
    let (app, core) = repositories();
    let sops = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 'ENC[AES256_GCM,data:x,type:str]'}\nsops: {mac: 'ENC[AES256_GCM,data:y]'}\n";
    core.write("syncer.yaml", &format!("{SYNCER}{sops}"));
    let values =
        format!("services:\n  quotes:\n    password: ENC[AES256_GCM,data:{CANARY}]\n  echo: {{}}\nsops: {{mac: x}}\n");
    app.write("values.yaml", &values);
    let run = run(&app, &core, &[&DATABASE[..], &["--yes"]].concat()).exits(0);
    run.prints("by hand: entries in syncer.yaml: it is encrypted with SOPS").prints("by hand: entries in values.yaml");
    assert_eq!((core.read("syncer.yaml"), app.read("values.yaml")), (format!("{SYNCER}{sops}"), values));
    assert!(!format!("{}{}", run.stdout, run.stderr).contains(CANARY));
}

/// The file of a claim with another name is listed next to the original.
#[test]
fn the_file_of_the_new_claim_is_listed_next_to_the_original() {
    let (app, core) = repositories();
    let claim = CLAIMS.split("---\n").next().unwrap();
    core.git(["rm", "--quiet", "databases/claims.yaml"]);
    core.write("databases/postgres.yaml", claim);
    core.write("databases/kustomization.yaml", "resources:\n- postgres.yaml # of quotes\n");
    run(&app, &core, &[&DATABASE[..], &["--yes"]].concat()).exits(0);
    assert_eq!(
        core.read("databases/kustomization.yaml"),
        "resources:\n- postgres.yaml # of quotes\n- orders-db.yaml\n"
    );
    assert!(core.read("databases/orders-db.yaml").contains("name: orders-db-conn"));
    run(&app, &core, &[&DATABASE[..], &["--yes"]].concat()).exits(0).prints("Nothing to do");
    let unknown = ["--database", "orders-db", "--database-like", "quotes-bd", "--yes"];
    run(&app, &core, &unknown).exits(3).prints("did you mean 'quotes-db'?");
}

/// The provider config or the store of an object that copies a Secret identifies its cluster.
#[test]
fn only_requested_environments_get_namespaces_and_objects_that_copy_secrets() {
    let (app, core) = repositories();
    let object = |cluster: &str| {
        format!(
            "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {{name: quotes-db-conn-{cluster}}}\nspec:\n  \
             providerConfigRef: {{name: gcp-k8s-{cluster}}}\n  references:\n  - patchesFrom: {{kind: Secret, name: quotes-db-conn}}\n"
        )
    };
    let push = |cluster: &str| {
        format!(
            "apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {{name: push-{cluster}}}\nspec:\n  \
             secretStoreRefs: [{{name: gcp-k8s-{cluster}}}]\n  selector: {{secret: {{name: quotes-db-conn}}}}\n"
        )
    };
    let namespace = |cluster: &str| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {cluster}-quotes}}\n");
    let all = |make: &dyn Fn(&str) -> String| format!("{}---\n{}", make("prod"), make("stage"));
    core.write("objects.yaml", &all(&object));
    core.write("pushes.yaml", &all(&push));
    app.write("namespaces.yaml", &all(&namespace));
    run(&app, &core, &[&DATABASE[..], &["--environments", "stage", "--yes"]].concat()).exits(0);
    let (objects, pushes) = (core.read("objects.yaml"), core.read("pushes.yaml"));
    assert!(objects.contains("orders-db-conn-stage") && !objects.contains("orders-db-conn-prod"), "{objects}");
    assert!(pushes.matches("gcp-k8s-stage").count() == 2 && pushes.matches("gcp-k8s-prod").count() == 1, "{pushes}");
    let namespaces = app.read("namespaces.yaml");
    assert!(namespaces.contains("stage-orders") && !namespaces.contains("prod-orders"), "{namespaces}");
}

#[test]
fn a_database_that_both_services_use_is_reported() {
    let (app, core) = repositories();
    run(&app, &core, &["--yes"]).exits(0).prints("orders and quotes both use Secret quotes-db-conn");
    assert!(app.read("orders/base/deployment.yaml").contains("quotes-db-conn"));
    assert_eq!(core.read("databases/claims.yaml"), CLAIMS);
}

#[test]
fn only_the_requested_clusters_get_the_secret() {
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
fn a_mismatch_of_secret_names_is_an_error_that_names_both_ends() {
    let (app, core) = repositories();
    core.write("databases/claims.yaml", &CLAIMS.replace("name: quotes-db-conn\n", "name: quotes-db-conn-2\n"));
    let before = super::files(&app);
    let refused = run(&app, &core, &[&DATABASE[..], &["--yes"]].concat()).exits(1);
    refused.prints("Syncer secret-syncer").prints("no object of orders refers to Secret orders-db-conn-2");
    assert_eq!(super::files(&app), before);
    assert!(!core.read("databases/claims.yaml").contains("orders"));
}
