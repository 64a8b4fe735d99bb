//! Incidents that a commit causes, and those of Helm.

use serde_json::{Value, json};

use super::{Files, Incident, REPOSITORY, config, deploy, is, web};
use crate::flux;
use crate::world::{World, namespace, patch};

pub const INCIDENTS: [Incident; 8] = [
    Incident {
        name: "image from Git",
        about: "kustomization/image -n flux-system",
        culprits: &[("kustomization/image", "@commit"), ("deployment/web", "image")],
        strike: |world, files| files.edit(world, "image/web.yaml", "web:1", "web:missing"),
        is_broken: |world| is(world, "kustomization/image -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "dependency",
        about: "kustomization/front -n flux-system",
        culprits: &[("kustomization/back", "@commit")],
        strike: |world, files| files.edit(world, "back/config.yaml", "v1", "v1beta9"),
        is_broken: |world| is(world, "kustomization/front -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "path from Git",
        about: "kustomization/child -n flux-system",
        culprits: &[("kustomization/child", "path"), ("kustomization/root", "@commit")],
        strike: |world, files| files.edit(world, "root/child.yaml", "./child", "./nowhere"),
        is_broken: |world| is(world, "kustomization/child -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "immutable field",
        about: "kustomization/immutable -n flux-system",
        culprits: &[("kustomization/immutable", "@commit")],
        strike: |world, files| files.edit(world, "immutable/web.yaml", "\"run\":\"web\"", "\"run\":\"other\""),
        is_broken: |world| is(world, "kustomization/immutable -n flux-system", "Ready", "False"),
    },
    Incident {
        name: "chart from Git",
        about: "helmrelease/chart -n chart",
        culprits: &[
            ("helmrelease/chart", "0.2.0"),
            ("helmchart/chart-chart", "0.2.0"),
            ("gitrepository/incidents", "@commit"),
        ],
        strike: |world, files| {
            files.set("charts/chart/Chart.yaml", CHART.replace("0.1.0", "0.2.0"));
            files.edit(
                world,
                "charts/chart/templates/config.yaml",
                "a greeting is needed",
                "a name is needed\" .Values.name }}{{ required \"",
            );
        },
        is_broken: |world| is(world, "helmrelease/chart -n chart", "Ready", "False"),
    },
    Incident {
        name: "values from a ConfigMap",
        about: "helmrelease/values -n values",
        culprits: &[("configmap/values", "")],
        strike: |world, _| {
            patch(&world.hub, "configmap/values -n values", &json!({"data": {"values.yaml": "greeting: ''\n"}}))
        },
        is_broken: |world| is(world, "helmrelease/values -n values", "Ready", "False"),
    },
    Incident {
        name: "values changed by hand",
        about: "helmrelease/edited -n edited",
        culprits: &[("helmrelease/edited", "greeting")],
        strike: |world, _| {
            patch(&world.hub, "helmrelease/edited -n edited", &json!({"spec": {"values": {"greeting": ""}}}))
        },
        is_broken: |world| is(world, "helmrelease/edited -n edited", "Ready", "False"),
    },
    Incident {
        name: "healed by itself",
        about: "gitrepository/healed -n flux-system",
        // The external failure is unknown.
        culprits: &[],
        strike: |world, _| {
            let bare = world.hub.directory().join("repositories/healed.git");
            let away = world.hub.directory().join("repositories/away.git");
            std::fs::rename(&bare, &away).unwrap();
            world.until("it fails", |world| {
                is(world, "gitrepository/healed -n flux-system", "Ready", "False").then_some(())
            });
            std::fs::rename(&away, &bare).unwrap();
        },
        is_broken: |world| is(world, "gitrepository/healed -n flux-system", "Ready", "True"),
    },
];

const CHART: &str = "apiVersion: v2\nname: web\nversion: 0.1.0\n";
const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {greeting: {{ required \"a greeting is needed\" .Values.greeting }}}
";

fn release(name: &str, more: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"namespace": name, "name": name},
        "spec": {
            "interval": "10s", "timeout": "20s", "upgrade": {"remediation": {"retries": 1}},
            "chart": {"spec": {
                "chart": format!("./charts/{name}"), "interval": "10s",
                "sourceRef": {"kind": "GitRepository", "name": REPOSITORY, "namespace": "flux-system"},
            }},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

/// Creates a namespace, and a chart of the same name in the repository.
fn add_chart(world: &World, files: &mut Files, name: &str) {
    files.set(&format!("charts/{name}/Chart.yaml"), CHART);
    files.set(&format!("charts/{name}/templates/config.yaml"), TEMPLATE);
    world.hub.apply(&namespace(name));
}

/// Creates a namespace with a release of the chart of the same name.
pub fn deploy_chart(world: &World, files: &mut Files, name: &str) {
    add_chart(world, files, name);
    world.hub.apply(&release(name, &json!({"values": {"greeting": "hello"}})));
}

pub fn set_up(world: &mut World, files: &mut Files) {
    for name in ["image", "immutable"] {
        files.set(&format!("{name}/web.yaml"), web(name, &json!({})).to_string());
    }
    deploy(world, "image", json!({"wait": true}));
    deploy(world, "immutable", json!({}));
    for name in ["back", "front", "child"] {
        files.set(&format!("{name}/config.yaml"), config(name, "config"));
    }
    deploy(world, "back", json!({}));
    deploy(world, "front", json!({"dependsOn": [{"name": "back"}]}));
    world.hub.apply(&namespace("child"));
    files.set("root/child.yaml", flux::kustomization("child", REPOSITORY, "./child", json!({})).to_string());
    deploy(world, "root", json!({}));
    deploy_chart(world, files, "chart");
    deploy_chart(world, files, "edited");
    add_chart(world, files, "values");
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "values", "name": "values"},
        "data": {"values.yaml": "greeting: hello\n"},
    }));
    let from = json!({"valuesFrom": [{"kind": "ConfigMap", "name": "values"}]});
    world.hub.apply(&release("values", &from));
    world.forge.commit("healed", &[("config.yaml", config("default", "healed"))]);
    world.hub.apply(&flux::repository("healed", &world.forge.url("healed")));
}
