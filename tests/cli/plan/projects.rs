//! A change that the AppProject of an Application does not permit is refused, although the server would accept it.

use serde_json::{Value, json};

use super::rights::{granted, map};
use super::{Repository, URL, application, create, document, plan};
use crate::support::{self, Cluster, Options};

fn project(name: &str, rules: Value) -> Value {
    let mut spec = json!({"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]});
    for (key, value) in rules.as_object().unwrap() {
        spec[key] = value.clone();
    }
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"namespace": "argocd", "name": name}, "spec": spec,
    })
}

/// Starts an Application of a project for each name, whose one ConfigMap changes on the branch `feature`.
fn with_applications(cluster: &Cluster, projects: &[(&str, &str)], more: &[(&str, &str)]) -> Repository {
    let before = files_of(projects, "1");
    let mut before = borrowed(&before);
    before.push(("projects/kept.yaml", KEPT));
    let repository = Repository::new(&before);
    let after = files_of(projects, "2");
    let mut after = borrowed(&after);
    after.extend(more);
    repository.branch("feature", &after, &[]);
    let destination = json!({"server": "https://kubernetes.default.svc", "namespace": "default"});
    // The URL of a source may contain a password, also if whether it is permitted is not known.
    let with_password = URL.replace("https://", "https://bot:canary-of-url@");
    let of_project = |(name, project): &(&str, &str)| {
        let url = if name.ends_with("-password") { with_password.as_str() } else { URL };
        let source = json!({"repoURL": url, "path": name});
        application(name, name, json!({"project": project, "destination": destination, "source": source}))
    };
    create(cluster, projects.iter().map(of_project).collect());
    for (name, _) in projects {
        super::apply_manifests(cluster, &repository.path().join(name));
    }
    repository
}

/// Makes the directory of the projects exist before the merge.
const KEPT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, namespace: argocd}\n";

fn files_of(projects: &[(&str, &str)], value: &str) -> Vec<(String, String)> {
    projects.iter().map(|(name, _)| (format!("{name}/map.yaml"), map(name, value))).collect()
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

const FEATURE: [&str; 6] = ["--base", "main", "--head", "feature", "-o", "json"];

/// Returns the server's verdict on the ConfigMap of an Application, and its reason.
fn fate(merge: &Value, name: &str) -> (String, String) {
    let item = super::item(merge, "ConfigMap", name);
    (item["check"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_change_that_its_project_does_not_permit_is_rejected() {
    let Some(cluster) = support::start(Options::named("plan-projects")) else { return };
    let secrets = json!([{"group": "", "kind": "Secret"}]);
    create(
        &cluster,
        vec![
            project("open", json!({})),
            project("no-secrets", json!({"namespaceResourceBlacklist": secrets})),
            project("no-source", json!({"sourceRepos": ["https://git.example.org/*"]})),
            project("no-place", json!({"destinations": [{"server": "*", "namespace": "!default"}]})),
            project("class", json!({"namespaceResourceBlacklist": [{"group": "", "kind": "[C]onfigMap"}]})),
            project("opened", json!({"namespaceResourceWhitelist": []})),
            project("class-source", json!({"sourceRepos": ["https://[g]it.example.org/*"]})),
        ],
    );
    let applications = [
        ("open", "open"),
        ("secrets", "no-secrets"),
        ("source", "no-source"),
        ("place", "no-place"),
        ("missing", "nowhere"),
        ("class", "class"),
        ("opened", "opened"),
        ("source-password", "no-source"),
        ("class-password", "class-source"),
    ];
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: default}\nstringData: {a: b}\n";
    let opened = project("opened", json!({})).to_string();
    let repository = with_applications(
        &cluster,
        &applications,
        &[("secrets/secret.yaml", secret), ("projects/opened.yaml", &opened)],
    );
    create(
        &cluster,
        vec![application(
            "projects",
            "projects",
            json!({"project": "open", "destination": {
                "server": "https://kubernetes.default.svc", "namespace": "argocd",
            }}),
        )],
    );
    let planned = plan(&cluster, &repository, &FEATURE);
    assert!(!String::from_utf8_lossy(&planned.stdout).contains("canary-of-url"));
    let (merge, code) = document(&planned);
    assert_eq!(code, 1, "{merge:#}");
    assert!(merge.to_string().contains("class-source permits repository"), "{merge:#}");
    let refused =
        |reason: &str| ("rejected".to_owned(), format!("{reason}: Argo CD applies nothing of this Application"));
    assert_eq!(fate(&merge, "open").0, "accepted");
    // The ConfigMap itself is permitted, but is in one sync with the Secret.
    assert_eq!(fate(&merge, "secrets"), refused("AppProject no-secrets does not permit secret/token -n default"));
    assert_eq!(fate(&merge, "source"), refused(&format!("AppProject no-source does not permit repository {URL}")));
    assert_eq!(fate(&merge, "source-password").0, "rejected");
    assert_eq!(fate(&merge, "place"), refused("AppProject no-place does not permit namespace default of its cluster"));
    assert_eq!(fate(&merge, "missing"), refused("AppProject nowhere does not exist in namespace argocd"));
    assert_eq!(fate(&merge, "opened").0, "accepted", "the merge changes the project");
    assert_eq!(fate(&merge, "class").0, "accepted");
    let unread = merge["unreadable"].to_string();
    assert!(unread.contains("whether AppProject class permits configmap/class"), "{unread}");
}

#[test]
fn rights_of_the_account_that_a_project_names_are_reviewed() {
    let Some(cluster) = support::start(Options::named("plan-project-accounts")) else { return };
    let named = |namespace: &str| json!([{"server": "https://kubernetes.default.svc", "namespace": namespace, "defaultServiceAccount": "deployer"}]);
    let subject = json!({"kind": "ServiceAccount", "namespace": "default", "name": "deployer"});
    let rules =
        json!([{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["other"], "verbs": ["patch"]}]);
    let settings = |enforced: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "argocd", "name": "argocd-cm"},
            "data": {"application.sync.impersonation.enabled": "true", "application.sync.impersonation.enforced": enforced},
        })
    };
    let objects = vec![
        project("named", json!({"destinationServiceAccounts": named("default")})),
        project("elsewhere", json!({"destinationServiceAccounts": named("web")})),
        settings("false"),
    ];
    create(&cluster, [objects, granted("deployer", subject, rules)].concat());
    let applications = [("web", "named"), ("other", "named"), ("free", "elsewhere")];
    let repository = with_applications(&cluster, &applications, &[]);
    let (merge, code) = document(&plan(&cluster, &repository, &FEATURE));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])), "{merge:#}");
    let denied = "ServiceAccount default/deployer may not patch configmaps in namespace default";
    assert_eq!(fate(&merge, "web"), ("rejected".to_owned(), denied.to_owned()));
    assert_eq!(fate(&merge, "other").0, "accepted");
    assert_eq!(fate(&merge, "free").0, "accepted");
    create(&cluster, vec![settings("true")]);
    let (merge, _) = document(&plan(&cluster, &repository, &FEATURE));
    let (check, reason) = fate(&merge, "free");
    assert_eq!(check, "rejected");
    assert!(reason.starts_with("AppProject elsewhere names no ServiceAccount for the destination"), "{reason}");
}
