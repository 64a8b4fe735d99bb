//! Incidents of Crossplane, of two deployers of one object, and of a controller that no longer runs.

use serde_json::{Value, json};

use super::by_engine::deploy_chart;
use super::{Files, Incident, config, deploy, is, is_stalled, web};
use crate::crossplane::{self, INCOMPATIBLE, object, package};
use crate::flux;
use crate::world::{World, get, patch};

const PROVIDER: &str = "provider.pkg.crossplane.io/provider-kubernetes";

pub const INCIDENTS: [Incident; 7] = [
    Incident {
        name: "provider credentials rotated",
        about: "object.kubernetes.crossplane.io/rotated",
        culprits: &[("secret/rotated", "kubeconfig")],
        strike: |world, _| {
            let kubeconfig = kubeconfig(world, &json!({"token": "rotated-too-early"}));
            patch(
                &world.hub,
                "secret/rotated -n crossplane-system",
                &json!({"stringData": {"kubeconfig": kubeconfig}}),
            );
        },
        is_broken: |world| is(world, "object.kubernetes.crossplane.io/rotated", "Synced", "False"),
    },
    Incident {
        name: "managed resource changed by hand",
        about: "object.kubernetes.crossplane.io/edited",
        culprits: &[("object/edited", "manifest")],
        strike: |world, _| {
            let manifest = json!({"metadata": {"namespace": "missing"}});
            patch(
                &world.hub,
                "object.kubernetes.crossplane.io/edited",
                &json!({"spec": {"forProvider": {"manifest": manifest}}}),
            );
        },
        is_broken: |world| is(world, "object.kubernetes.crossplane.io/edited", "Synced", "False"),
    },
    Incident {
        name: "provider config changed by hand",
        about: "object.kubernetes.crossplane.io/configured",
        culprits: &[("providerconfig/configured", "name")],
        strike: |world, _| {
            patch(
                &world.hub,
                "providerconfig.kubernetes.crossplane.io/configured",
                &json!({"spec": {"credentials": {"secretRef": {"name": "missing"}}}}),
            );
        },
        is_broken: |world| is(world, "object.kubernetes.crossplane.io/configured", "Synced", "False"),
    },
    Incident {
        name: "composition changed",
        about: "box.platform.example.org/crate -n default",
        culprits: &[("composition/boxes", "")],
        strike: |world, _| {
            let composition = get(&world.hub, "composition/boxes").unwrap();
            let mut steps = composition["spec"]["pipeline"].clone();
            steps[0]["input"]["resources"][0]["base"]["spec"]["forProvider"]["manifest"]["data"]["owner"] =
                json!("$(spec.owner)");
            patch(&world.hub, "composition/boxes", &json!({"spec": {"pipeline": steps}}));
        },
        is_broken: |world| is(world, "box.platform.example.org/crate -n default", "Synced", "False"),
    },
    Incident {
        name: "provider upgraded",
        about: PROVIDER,
        culprits: &[("provider/provider-kubernetes", INCOMPATIBLE)],
        strike: |world, _| {
            let package = package(world, "Provider", crossplane::PROVIDER)["spec"]["package"].clone();
            let package = package.as_str().unwrap().replace("v1.3.1", INCOMPATIBLE);
            patch(&world.hub, PROVIDER, &json!({"spec": {"package": package}}));
        },
        is_broken: |world| is(world, PROVIDER, "Healthy", "False"),
    },
    Incident {
        name: "another deployer of one object",
        about: "deployment/web -n ours",
        culprits: &[("deployment/web", "image"), ("kustomization/theirs", "sha1")],
        strike: |world, _| {
            world
                .forge
                .commit("theirs", &[("web.yaml", web("ours", &json!({})).to_string().replace("web:1", "web:missing"))]);
        },
        is_broken: |world| is_stalled(world, "deployment/web -n ours"),
    },
    // The last one: afterwards the controller no longer does its work.
    Incident {
        name: "controller scaled to nothing",
        about: "helmrelease/late -n late",
        // The server forgets who scaled an object that was applied, and when.
        culprits: &[],
        strike: |world, _| {
            world.scale_down("deployment/helm-controller -n flux-system", "helm-controller");
            std::thread::sleep(super::APART);
            patch(&world.hub, "helmrelease/late -n late", &json!({"spec": {"values": {"greeting": "later"}}}));
        },
        is_broken: |world| {
            let release = get(&world.hub, "helmrelease/late -n late").unwrap();
            release["status"]["observedGeneration"] != release["metadata"]["generation"]
        },
    },
];

/// Returns the kubeconfig of the app cluster with other credentials of its user.
fn kubeconfig(world: &World, user: &Value) -> String {
    let text = std::fs::read_to_string(world.app.kubeconfig()).unwrap();
    let mut document: Value = serde_saphyr::from_str(&text).unwrap();
    document["users"][0]["user"] = user.clone();
    document.to_string()
}

pub fn set_up(world: &mut World, files: &mut Files) {
    crossplane::configure(world);
    let text = std::fs::read_to_string(world.app.kubeconfig()).unwrap();
    for name in ["rotated", "configured"] {
        world.hub.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "crossplane-system", "name": name},
            "stringData": {"kubeconfig": text},
        }));
        let secret = json!({"namespace": "crossplane-system", "name": name, "key": "kubeconfig"});
        world.hub.apply(&json!({
            "apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "ProviderConfig", "metadata": {"name": name},
            "spec": {"credentials": {"source": "Secret", "secretRef": secret}},
        }));
        world.hub.apply(&object(name, json!({"providerConfigRef": {"name": name}})));
    }
    world.hub.apply(&object("edited", json!({})));
    files.set("ours/web.yaml", web("ours", &json!({})).to_string());
    deploy(world, "ours", json!({"interval": "1h"}));
    world.forge.commit("theirs", &[("config.yaml", config("ours", "theirs"))]);
    world.hub.apply(&flux::repository("theirs", &world.forge.url("theirs")));
    world.hub.apply(&flux::kustomization("theirs", "theirs", "./", json!({"prune": false})));
    deploy_chart(world, files, "late");
}
