//! The steps for an empty cluster, in order.

use serde_json::{Value, json};

use super::platform::{Platform, with_argo_cd, with_flux, with_variables, yaml};
use crate::support::command::{Ran, run, ucp};
use crate::support::{self, Cluster, Options};

pub(super) fn dry_run(cluster: &Cluster, platform: &Platform, arguments: &[&str]) -> Ran {
    let mut command = ucp(["bootstrap", "--dry-run"]);
    command.args(arguments).current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    run(command)
}

/// `wave action kind/name` of each step.
fn steps(plan: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |step: &Value| {
        let object = &step["object"];
        format!("{} {} {}/{}", text(&step["wave"]), text(&step["action"]), text(&object["kind"]), text(&object["name"]))
    };
    plan["steps"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn the_plan_for_an_empty_cluster_lists_everything_in_order() {
    let Some(cluster) = support::start(Options::named("first-day")) else { return };
    let argo = with_argo_cd();
    let plan = dry_run(&cluster, &argo, &["-o", "json"]).expect(0).json();
    assert_eq!(
        steps(&plan),
        [
            "foundations create Namespace/crossplane-system",
            "foundations create Namespace/argocd",
            "foundations create CustomResourceDefinition/applications.argoproj.io",
            "foundations create CustomResourceDefinition/appprojects.argoproj.io",
            "engines create Secret/argocd-secret",
            "engines create ClusterRole/argocd-application-controller",
            "engines create Deployment/argocd-repo-server",
            "engines create StatefulSet/argocd-application-controller",
            "secrets ask Secret/gcp-creds",
            // One of its apps deploys the project, but it needs it before that.
            "roots create AppProject/infrastructure",
            "roots create Application/root",
            "deployments wait Application/argocd",
            "deployments wait Application/clusters",
            "deployments wait Application/configs",
            "deployments wait Application/crossplane",
            "deployments wait Application/prod-shop",
            "deployments wait Application/providers",
            "packages wait Provider/provider-gcp",
            "providerConfigs wait ProviderConfig/default",
            "resources wait Cluster/gcp-k8s-prod",
            "appClusters adopt Cluster/gcp-k8s-prod",
        ]
    );
    for step in plan["steps"].as_array().unwrap().iter().filter(|step| step["action"] != "adopt") {
        assert!(step["grounds"]["lists"].is_array(), "{step:#}");
    }
    let secret = plan["steps"].as_array().unwrap().iter().find(|step| step["action"] == "ask").unwrap();
    assert_eq!(secret["keys"], serde_json::json!(["credentials"]));
    assert_eq!(secret["reason"], "providerconfig.gcp.upbound.io/default logs in with it");
    let table = dry_run(&cluster, &argo, &[]).expect(0);
    assert!(table.stdout.contains("3. Secrets that are not in Git"), "{}", table.stdout);
    assert!(
        table.stdout.contains("  create  application.argoproj.io/root -n argocd, from root.yaml"),
        "{}",
        table.stdout
    );
    assert!(table.stderr.contains("Dry run: nothing was written."));
    let manifests = dry_run(&cluster, &argo, &["-o", "yaml"]).expect(0);
    manifests.hides_secrets();
    let manifests = manifests.stdout;
    assert!(manifests.contains("name: argocd-repo-server") && !manifests.contains("kind: Secret"), "{manifests}");

    let flux = with_flux();
    let plan = dry_run(&cluster, &flux, &["-o", "json"]).expect(0).json();
    assert_eq!(
        steps(&plan),
        [
            "foundations create Namespace/crossplane-system",
            "foundations create Namespace/flux-system",
            "foundations create CustomResourceDefinition/gitrepositories.source.toolkit.fluxcd.io",
            "foundations create CustomResourceDefinition/kustomizations.kustomize.toolkit.fluxcd.io",
            "engines create Deployment/helm-controller",
            "engines create Deployment/kustomize-controller",
            "engines create Deployment/source-controller",
            "secrets ask Secret/gcp-creds",
            "secrets ask Secret/flux-system",
            "roots create GitRepository/flux-system",
            "roots create Kustomization/flux-system",
            "deployments wait HelmRelease/crossplane",
            "deployments wait Kustomization/configs",
            "deployments wait Kustomization/machines",
            "deployments wait Kustomization/prod-shop",
            "deployments wait Kustomization/providers",
            "packages wait Provider/provider-gcp",
            "providerConfigs wait ProviderConfig/default",
            "resources wait Cluster/gcp-k8s-prod",
            "appClusters adopt Cluster/gcp-k8s-prod",
        ]
    );
    assert_eq!(cluster.kubectl(["get", "namespace", "argocd"]).output().unwrap().status.code(), Some(1));
}

/// Omitted objects are reported before the confirmation, and make the result incomplete.
#[test]
fn reports_names_with_cluster_variables_before_the_first_write() {
    let Some(cluster) = &support::start(Options::named("first-day-names")) else { return };
    let platform = with_flux();
    let open = with_variables();
    let config = json!({
        "apiVersion": "aws.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": {"name": "aws-${stage}"},
        "spec": {"credentials": {"source": "Secret",
            "secretRef": {"namespace": "crossplane-system", "name": "creds-${stage}", "key": "credentials"}}},
    });
    platform.write("clusters/core/open.yaml", &yaml(&[open]));
    platform.write("open/config.yaml", &yaml(&[config]));
    let names = "their names contain variables of the cluster: \
        providerconfig.aws.upbound.io/aws-\\$\\{stage\\}, secret/creds-\\$\\{stage\\} -n crossplane-system";
    let planned = dry_run(cluster, &platform, &["-o", "json"]).expect(4);
    assert!(planned.stderr.contains(names), "{}", planned.stderr);
    assert_eq!(planned.json()["unnamed"][1]["name"], "creds-${stage}");
    // There is no confirmation, so that nothing is written.
    let mut command = ucp(["bootstrap", "--secret-env", "crossplane-system/gcp-creds=HOME"]);
    command.args(["--secret-env", "flux-system/flux-system:identity=HOME"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let refused = run(command).expect(2);
    assert!(refused.stderr.contains("--yes") && refused.stderr.contains(names), "{}", refused.stderr);
}

#[test]
fn settings_of_the_repository_resolve_ambiguous_installations() {
    let Some(cluster) = support::start(Options::named("first-day-said")) else { return };
    let platform = with_argo_cd();
    // A second Argo CD, for an app cluster.
    platform.write("elsewhere/kustomization.yaml", "resources: [install.yaml]\n");
    platform.write(
        "elsewhere/install.yaml",
        &std::fs::read_to_string(platform.path().join("argocd/install.yaml")).unwrap(),
    );
    let refused = dry_run(&cluster, &platform, &[]).expect(2);
    assert!(refused.stderr.contains("Argo CD is installed from 2 places: argocd, elsewhere"), "{}", refused.stderr);

    platform.write(
        ".ucp.yaml",
        "bootstrap:
  engine: argocd
  roots: [root.yaml]
  ignore: [crossplane-system/gcp-creds]
  secrets:
    - {name: argocd/repository, keys: [password], values: {url: https://git.example.org}, why: Argo CD reads the repository with it}
",
    );
    let plan = dry_run(&cluster, &platform, &["-o", "json"]).expect(0).json();
    let asked: Vec<String> = steps(&plan).into_iter().filter(|step| step.contains(" ask ")).collect();
    assert_eq!(asked, ["secrets ask Secret/repository"]);
    platform.write(".ucp.yaml", "bootstrap: {engines: argocd}\n");
    let refused = dry_run(&cluster, &platform, &[]).expect(2);
    assert!(refused.stderr.contains(".ucp.yaml") && refused.stderr.contains("engines"), "{}", refused.stderr);
    platform.write(".ucp.yaml", "bootstrap: {ignore: [gcp-creds]}\n");
    let refused = dry_run(&cluster, &platform, &[]).expect(2);
    assert!(refused.stderr.contains("\"gcp-creds\" is not NAMESPACE/NAME of a Secret"), "{}", refused.stderr);
}

#[test]
fn an_unreadable_file_stops_bootstrap_before_the_first_write() {
    let Some(cluster) = &support::start(Options::named("first-day-unread")) else { return };
    let platform = with_argo_cd();
    platform.write("apps/broken.yaml", "kind: [\n");
    let mut command = ucp(["bootstrap", "--yes", "--timeout", "0"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let stopped = run(command).expect(4);
    assert!(stopped.stderr.contains("Nothing was written"), "{}", stopped.stderr);
    assert!(stopped.stdout.contains("broken.yaml"), "{}", stopped.stdout);
    dry_run(cluster, &platform, &["-o", "json"]).expect(4);
}

#[test]
fn bootstrap_fails_for_a_repository_without_an_engine_or_a_root() {
    let Some(cluster) = support::core_cluster() else { return };
    let nothing = Platform::new(&[("shop.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".to_owned())]);
    let failed = dry_run(cluster, &nothing, &[]).expect(3);
    assert!(
        failed.stderr.contains("installs Argo CD or Flux, or configures one to deploy something"),
        "{}",
        failed.stderr
    );
    let stranger = dry_run(cluster, &with_argo_cd(), &["--repo-url", "https://elsewhere.example.org/x"]).expect(3);
    assert!(stranger.stderr.contains("nothing deploys from this checkout"), "{}", stranger.stderr);
}

/// Objects that nothing provides are not waited for, and encrypted ones that nothing decrypts are not applied halfway.
#[test]
fn requirements_that_nothing_provides_are_reported_before_the_first_write() {
    let Some(cluster) = support::start(Options::named("first-day-blocked")) else { return };
    let platform = with_argo_cd();
    platform.leave_out("apps/apps.yaml", "charts.example.org");
    let planned = dry_run(&cluster, &platform, &[]).expect(1);
    let why =
        "nothing in the repository installs Crossplane, which is needed for provider.pkg.crossplane.io/provider-gcp";
    assert!(planned.stderr.contains(why), "{}", planned.stderr);
    let mut command = ucp(["bootstrap", "--yes", "--timeout", "0", "--secret-env", "crossplane-system/gcp-creds=HOME"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let refused = run(command).expect(1);
    assert!(refused.stderr.contains(why) && refused.stderr.contains("nothing was written"), "{}", refused.stderr);
    assert_eq!(cluster.kubectl(["get", "namespace", "argocd"]).output().unwrap().status.code(), Some(1));

    // CRDs alone are no engine.
    let platform = with_argo_cd();
    platform.leave_out("argocd/install.yaml", "StatefulSet");
    let failed = dry_run(&cluster, &platform, &[]).expect(3);
    assert!(failed.stderr.contains("installs the controllers of Argo CD"), "{}", failed.stderr);

    // A Secret that SOPS encrypted is asked for.
    let platform = with_argo_cd();
    platform.write("argocd/kustomization.yaml", "namespace: argocd\nresources: [install.yaml, repository.yaml]\n");
    let sealed = json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": "repository", "labels": {"argocd.argoproj.io/secret-type": "repository"}},
        "stringData": {"password": "ENC[AES256_GCM,data:x]", "url": "https://git.example.org"}, "sops": {"mac": "ENC[x]", "version": "3.8.1"}});
    platform.write("argocd/repository.yaml", &yaml(&[sealed]));
    let plan = dry_run(&cluster, &platform, &["-o", "json"]).expect(0).json();
    let asked = plan["steps"].as_array().unwrap().iter().find(|step| step["object"]["name"] == "repository").unwrap();
    assert_eq!((&asked["action"], &asked["keys"]), (&json!("ask"), &json!(["password"])), "{asked:#}");
    assert_eq!(asked["reason"], "argocd has it encrypted with SOPS, which bootstrap does not decrypt");
}
