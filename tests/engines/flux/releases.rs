//! HelmReleases, whose charts come from a GitRepository.

use serde_json::{Value, json};

use super::{RESOURCES, ready, repository, world};
use crate::scenario::{StatusReport, expect, record, row, ucp, words};
use crate::world::{World, delete, get, kubectl, patch};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 0.1.0\n";
const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {greeting: {{ required \"a greeting is needed\" .Values.greeting }}}
";

fn release(name: &str, chart: &str, more: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
        "metadata": {"namespace": "flux-system", "name": name},
        "spec": {
            "interval": "10s", "timeout": "20s",
            "chart": {"spec": {
                "chart": chart, "interval": "10s",
                "sourceRef": {"kind": "GitRepository", "name": "charts"},
            }},
            "values": {"greeting": "hello"},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

fn charts(world: &World) {
    if get(&world.hub, "gitrepository/charts -n flux-system").is_none() {
        world.forge.commit("charts", &[("web/Chart.yaml", CHART), ("web/templates/config.yaml", TEMPLATE)]);
        world.hub.apply(&repository("charts", &world.forge.url("charts")));
    }
}

#[test]
fn a_release_and_its_chart() {
    let mut world = world();
    charts(&world);
    let object = "helmrelease/good -n flux-system";
    world.hub.apply(&release("good", "./web", &json!({})));
    let engine = world.until("it is installed", |world| ready(world, object, "True"));
    // Flux reconciles again from time to time, which is reported.
    let reported = world.until("nothing is under way", |world| {
        let reported = StatusReport::of(&world.hub);
        (reported.engine("Flux") == "OK").then_some(reported)
    });
    reported.nothing_about(object);
    reported.nothing_about("helmchart/flux-system-good -n flux-system");
    row("flux: a release and its chart", &engine, "OK, nothing unreadable");
    record(&world.hub, "flux-release", RESOURCES);
    kubectl(&world.hub, &format!("delete {object}"));
}

#[test]
fn a_chart_that_is_not_there() {
    let mut world = world();
    charts(&world);
    let (object, chart) = ("helmrelease/no-chart -n flux-system", "helmchart/flux-system-no-chart -n flux-system");
    world.hub.apply(&release("no-chart", "./nowhere", &json!({})));
    let engine = world.until("the chart fails", |world| {
        ready(world, object, "False")?;
        ready(world, chart, "False")
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(chart);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("nowhere"), "{finding:#}");
    row("flux: a chart is not there", &engine, &words(finding));
    record(&world.hub, "flux-no-chart", RESOURCES);
    kubectl(&world.hub, &format!("delete {object}"));
}

#[test]
fn a_release_without_its_source() {
    let mut world = world();
    let mut object = release("no-source", "./web", &json!({}));
    object["spec"]["chart"]["spec"]["sourceRef"]["name"] = json!("ghost");
    world.hub.apply(&object);
    let (object, chart) = ("helmrelease/no-source -n flux-system", "helmchart/flux-system-no-source -n flux-system");
    let engine = world.until("the chart misses its source", |world| {
        ready(world, object, "False")?;
        ready(world, chart, "False").filter(|reported| reported.contains("ghost"))
    });
    // The source may come within a few intervals: until then the chart is Progressing, and never OK.
    let reported = world.until("it has failed for several intervals", |world| {
        let reported = StatusReport::of(&world.hub);
        assert_ne!(reported.engine("Flux"), "OK");
        (!reported.about(chart).is_empty()).then_some(reported)
    });
    let finding = reported.finding(chart);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("ghost"), "{finding:#}");
    row("flux: a release without its source", &engine, &words(finding));
    record(&world.hub, "flux-no-source", RESOURCES);
    kubectl(&world.hub, &format!("delete {object}"));
}

#[test]
fn values_that_the_chart_refuses() {
    let mut world = world();
    charts(&world);
    let object = "helmrelease/bad-values -n flux-system";
    let retries = json!({"values": {}, "install": {"remediation": {"retries": 2}}});
    world.hub.apply(&release("bad-values", "./web", &retries));
    let engine = world.until("the installation fails again and again", |world| {
        let failures = get(&world.hub, object)?["status"]["failures"].as_i64()?;
        ready(world, object, "False").filter(|_| failures >= 2)
    });
    let reported = StatusReport::of(&world.hub);
    let ucp = expect(reported.finding(object), "Failed", "UCP302", &["a greeting is needed"]);
    row("flux: a chart refuses its values", &engine, &ucp);
    record(&world.hub, "flux-bad-values", RESOURCES);
    kubectl(&world.hub, &format!("delete {object}"));
}

#[test]
fn a_release_that_was_changed_by_hand() {
    let mut world = world();
    charts(&world);
    let object = "helmrelease/drifted -n flux-system";
    world.hub.apply(&release("drifted", "./web", &json!({"driftDetection": {"mode": "warn"}})));
    world.until("it is installed", |world| ready(world, object, "True"));
    patch(&world.hub, "configmap/drifted -n flux-system", &json!({"data": {"greeting": "by hand"}}));
    let engine = world.until("the event of the drift", |world| {
        let output = world.hub.kubectl(["get", "events", "-n", "flux-system", "-o", "json"]).output().ok()?;
        let list: Value = serde_json::from_slice(&output.stdout).ok()?;
        let events = list["items"].as_array()?;
        let event = events.iter().find(|event| event["reason"] == "DriftDetected")?;
        event["message"].as_str().map(str::to_owned)
    });
    // The difference is in Helm's storage alone; the release itself still reports that it is ready.
    let report = ucp(&world.hub, ["drift", "-A", "-o", "json"]).expect(1).json();
    let items = report["items"].as_array().unwrap();
    let drifted = items.iter().find(|item| item["object"]["name"] == "drifted").unwrap_or_else(|| panic!("{report:#}"));
    row("flux: a release was changed by hand", &engine, &format!("drift: {}, exit 1", drifted["code"]));
    record(&world.hub, "flux-release-drifted", RESOURCES);
    kubectl(&world.hub, &format!("delete {object}"));
    delete(&world.hub, "gitrepository/charts -n flux-system");
}
