//! Requirements of a plan that nothing provides, and objects that may provide them.

use serde_json::{Value, json};

use super::plan::dry_run;
use super::platform::{Platform, application, with_argo_cd, with_flux, workload, yaml};
use super::run::{bootstrap, get};
use crate::support::command::{CANARY, run};
use crate::support::{self, Cluster, Options};

/// The plan stops for this reason.
#[track_caller]
fn blocked(cluster: &Cluster, platform: &Platform, why: &str) {
    let ran = dry_run(cluster, platform, &[]).expect(1);
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

/// Sources that were not read may provide a required kind: that is shown, and stops nothing.
#[test]
fn a_possible_provider_is_shown_and_an_impossible_one_stops_the_plan() {
    let Some(cluster) = support::start(Options::named("first-day-uncertain")) else { return };
    let platform = with_argo_cd();
    platform.leave_out("apps/apps.yaml", "charts.example.org");
    let set = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
        "metadata": {"name": "addons", "namespace": "argocd"}, "spec": {"generators": [{"clusters": {}}]}});
    platform.write("apps/addons.yaml", &yaml(std::slice::from_ref(&set)));
    // It needs a controller of its own.
    let own = "nothing in the repository installs applicationset-controller of Argo CD, \
        which is needed for applicationset.argoproj.io/addons -n argocd";
    blocked(&cluster, &platform, own);
    let controller = workload("Deployment", "argocd-applicationset-controller", "argocd");
    let install = std::fs::read_to_string(platform.path().join("argocd/install.yaml")).unwrap();
    platform.write("argocd/install.yaml", &(install + &yaml(&[controller])));
    let planned = dry_run(&cluster, &platform, &[]).expect(0);
    let may = "nothing in this repository provides the kind Provider of pkg.crossplane.io, which is needed for \
        provider.pkg.crossplane.io/provider-gcp; applicationset.argoproj.io/addons may";
    assert!(planned.stderr.contains(may), "{}", planned.stderr);
    let plan = dry_run(&cluster, &platform, &["-o", "json"]).expect(0).json();
    assert_eq!(plan["uncertain"][0], may, "{plan:#}");
    let step = |name: &str| {
        plan["steps"].as_array().unwrap().iter().find(|step| step["object"]["name"] == name).cloned().unwrap()
    };
    assert!(step("provider-gcp")["reason"].as_str().unwrap().ends_with("applicationset.argoproj.io/addons may"));

    // A provider of one cloud brings nothing of another.
    let platform = with_argo_cd();
    let database = json!({"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance",
        "metadata": {"name": "orders"}, "spec": {"forProvider": {"region": "eu-west-1"}}});
    platform.write("clusters/orders.yaml", &yaml(&[database]));
    let function = json!({"apiVersion": "pkg.crossplane.io/v1", "kind": "Function",
        "metadata": {"name": "function-auto-ready"}, "spec": {"package": "xpkg.example.org/function-auto-ready:v1"}});
    platform.write("providers/function.yaml", &yaml(&[function]));
    let why = "nothing in the repository provides the kind Instance of rds.aws.upbound.io, which is needed for \
        instance.rds.aws.upbound.io/orders";
    blocked(&cluster, &platform, why);

    // An object does not provide its own requirements either.
    let platform = with_argo_cd();
    let monitor = json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor",
        "metadata": {"name": "argocd", "namespace": "argocd"}, "spec": {}});
    platform.write("argocd/monitor.yaml", &yaml(&[monitor]));
    platform.write("argocd/kustomization.yaml", "namespace: argocd\nresources: [install.yaml, monitor.yaml]\n");
    blocked(&cluster, &platform, "provides the kind ServiceMonitor of monitoring.coreos.com");
}

#[test]
fn an_engine_is_every_controller_that_its_objects_need() {
    let Some(cluster) = support::start(Options::named("first-day-controllers")) else { return };
    let failed = |platform: &Platform, name: &str| {
        let text = dry_run(&cluster, platform, &[]).expect(3).stderr;
        assert!(text.contains(&format!("installs the controllers of {name}, and")), "{text}");
    };
    let argo = with_argo_cd();
    argo.leave_out("argocd/install.yaml", "argocd-repo-server");
    failed(&argo, "Argo CD (repo-server)");
    let components = "clusters/core/flux-system/gotk-components.yaml";
    let flux = with_flux();
    flux.leave_out(components, "source-controller");
    failed(&flux, "Flux (source-controller)");
    let flux = with_flux();
    flux.leave_out(components, "helm-controller");
    let why = "nothing in the repository installs helm-controller of Flux, which is needed for \
        helmrelease.helm.toolkit.fluxcd.io/crossplane -n flux-system";
    blocked(&cluster, &flux, why);
    // A root of Argo CD deploys objects of Flux, and nothing installs that.
    let argo = with_argo_cd();
    let kustomization = json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux-system"}, "spec": {"path": "./x", "interval": "1m",
            "sourceRef": {"kind": "GitRepository", "name": "x"}}});
    argo.write("configs/flux.yaml", &yaml(std::slice::from_ref(&kustomization)));
    blocked(&cluster, &argo, "nothing in the repository installs kustomize-controller of Flux");
    let mut chart = application("flux", "", json!({"server": "https://kubernetes.default.svc"}));
    chart["spec"]["source"] = json!({"repoURL": "https://charts.example.org", "chart": "flux2"});
    argo.write("apps/flux.yaml", &yaml(&[chart]));
    dry_run(&cluster, &argo, &[]).expect(0);
}

/// Encrypted files reach the server neither as files nor as variables.
#[test]
fn no_ciphertext_is_applied() {
    let Some(cluster) = support::start(Options::named("first-day-sealed")) else { return };
    let platform = with_argo_cd();
    platform.write(
        "argocd/kustomization.yaml",
        "namespace: argocd
resources: [install.yaml]
generatorOptions: {disableNameSuffixHash: true}
secretGenerator:
- {name: files, files: [secret.enc.yaml, plain.txt]}
- {name: variables, envs: [secret.enc.env]}
",
    );
    platform.write(
        "argocd/secret.enc.yaml",
        "password: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nsops: {version: 3.9.0}\n",
    );
    platform.write("argocd/plain.txt", "plain");
    let variables = "TOKEN=ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nUSER=deploy\nsops_version=3.9.0\nsops_mac=ENC[AES256_GCM,data:m]\n";
    platform.write("argocd/secret.enc.env", variables);
    let plan = dry_run(&cluster, &platform, &["-o", "json"]).expect(0).json();
    let step = |name: &str| {
        plan["steps"].as_array().unwrap().iter().find(|step| step["object"]["name"] == name).cloned().unwrap()
    };
    for (name, key) in [("files", "secret.enc.yaml"), ("variables", "TOKEN")] {
        assert_eq!((&step(name)["action"], &step(name)["keys"]), (&json!("ask"), &json!([key])), "{plan:#}");
    }
    let mut arguments = vec!["--yes".to_owned()];
    for secret in ["crossplane-system/gcp-creds", "argocd/files", "argocd/variables"] {
        arguments.extend(["--secret-env".to_owned(), format!("{secret}=C")]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = bootstrap(&cluster, &platform, &arguments);
    command.env("C", CANARY);
    run(command).expect(4);
    let keys = |name: &str| {
        let secret: Value = get(&cluster, &format!("secret {name} -n argocd"));
        secret["data"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        (keys("files"), keys("variables")),
        (vec!["plain.txt".into(), "secret.enc.yaml".into()], vec!["TOKEN".into(), "USER".into()])
    );
    assert_eq!(get(&cluster, "secret files -n argocd")["data"]["plain.txt"], "cGxhaW4=");
    // In a ConfigMap, nothing would decrypt it either.
    platform.write(
        "argocd/kustomization.yaml",
        "namespace: argocd\nresources: [install.yaml]\nconfigMapGenerator:\n- {name: settings, files: [secret.enc.yaml]}\n",
    );
    blocked(&cluster, &platform, "is encrypted with SOPS and would be applied before anything can decrypt it");
}
