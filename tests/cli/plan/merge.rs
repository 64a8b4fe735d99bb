//! `teardown --merge PATH`: what engines delete once a path is removed from Git.

use serde_json::{Value, json};

use super::outside::{buckets, platform_crds};
use super::{Repository, application, create, stderr};
use crate::support::command::{Ran, run, ucp_on};
use crate::support::{self, Cluster, Options};

fn teardown(cluster: &Cluster, repository: &Repository, path: &str) -> Ran {
    let mut command = ucp_on(cluster, ["teardown", "-o", "json", "--merge"]);
    command.arg(repository.path().join(path));
    run(command)
}

fn fates(plan: &Value) -> Vec<(&str, &str)> {
    let items = plan["items"].as_array().unwrap().iter();
    items.map(|item| (item["object"]["name"].as_str().unwrap(), item["fate"].as_str().unwrap())).collect()
}

#[test]
fn it_shows_what_disappears_with_a_directory() {
    let Some(cluster) = support::start(Options::named("teardown-merge")) else { return };
    let old = buckets(&[
        ("deleted", "{forProvider: {size: 1}}"),
        ("orphaned", "{deletionPolicy: Orphan, forProvider: {size: 1}}"),
    ]);
    let kept = buckets(&[("kept", "{forProvider: {size: 1}}")]);
    let repository = Repository::new(&[("infra/old/buckets.yaml", &old), ("infra/kept.yaml", &kept)]);
    let source = json!({"source": {"repoURL": super::URL, "path": "infra", "directory": {"recurse": true}}});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}});
    create(&cluster, [platform_crds(), vec![namespace, application("infra", "infra", source)]].concat());
    let applied = cluster
        .kubectl(["apply", "--server-side", "--field-manager=argocd-controller", "-R", "-f"])
        .arg(repository.path().join("infra"))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}", stderr(&applied));

    let ran = teardown(&cluster, &repository, "infra/old");
    let plan = ran.json();
    assert_eq!(plan["merge"], "infra/old", "{ran:?}");
    let mut fates = fates(&plan);
    fates.sort();
    assert_eq!(fates.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["deleted", "orphaned"], "{plan:#}");
    assert_eq!(fates[1].1, "orphaned", "{plan:#}");
    let commands = plan["steps"].to_string();
    assert!(commands.contains("git rm -r -- ':(top,literal)infra/old'"), "{plan:#}");
    assert!(!commands.contains("kubectl delete"), "the engine deletes it: {plan:#}");
    assert!(repository.path().join("infra/old/buckets.yaml").exists(), "the checkout stays as it is");

    // An Application whose whole path is gone fails to render and deletes nothing: unknown.
    let unknown = teardown(&cluster, &repository, "infra");
    assert!(unknown.code == Some(4) && unknown.stdout.contains("infra"), "{unknown:?}");
    assert!(!unknown.stdout.contains("git rm"), "consequences that are not known are not proposed: {unknown:?}");
    let whole = teardown(&cluster, &repository, "").expect(2);
    assert!(whole.stderr.contains("top directory of the checkout"), "{whole:?}");
}
