//! cert-manager's controllers for certificates.

use serde_json::{Value, json};

use crate::adapters::{HOME, world};
use crate::binaries::Build;
use crate::scenario::{StatusReport, expect, record, row, ucp};
use crate::world::{World, condition, get};

/// The module and the programs of the engine. Its own main is a module that cannot be required, and has SDKs of clouds,
/// so it has one of ours.
pub const BUILD: Build = Build {
    module: "cert_manager",
    version_of: Some("github.com/cert-manager/cert-manager"),
    programs: &[("cert-manager", ".")],
    manifests: &[("crds", "github.com/cert-manager/cert-manager", "deploy/crds")],
};

const RESOURCES: &str = "certificates.cert-manager.io,issuers.cert-manager.io,deployments.apps";

fn issuer(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": {"name": name, "namespace": HOME},
        "spec": spec,
    })
}

fn certificate(name: &str, issuer: &str, more: &[(&str, &str)]) -> Value {
    let mut object = json!({
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": name, "namespace": HOME},
        "spec": {
            "secretName": format!("{name}-tls"), "dnsNames": [format!("{name}.example.org")],
            "issuerRef": {"name": issuer},
        },
    });
    for (field, value) in more {
        object["spec"][field] = json!(value);
    }
    object
}

/// The condition Ready of an object, once it has this status.
fn ready(world: &World, object: &str, status: &str) -> Option<String> {
    condition(&get(&world.hub, object)?, "Ready").filter(|reported| reported.starts_with(status))
}

#[test]
fn certificates_are_issued_pending_and_expired() {
    let mut world = world();
    world.hub.apply(&issuer("self", json!({"selfSigned": {}})));
    world.hub.apply(&certificate("web", "self", &[]));
    world.hub.apply(&certificate("brief", "self", &[("duration", "60s"), ("renewBefore", "5s")]));
    let web = "certificate/web -n shop";
    let engine = world.until("it is issued", |world| ready(world, web, "True"));
    world.until("the brief one is issued", |world| ready(world, "certificate/brief -n shop", "True"));
    let reported = StatusReport::of(&world.hub);
    reported.nothing_about(web);
    reported.nothing_about("issuer/self -n shop");
    let tree = ucp(&world.hub, ["tree", "certificate/web", "-n", HOME]).expect(0).stdout;
    assert!(tree.contains("web-tls") && tree.contains("self"), "{tree}");
    row("cert-manager: a certificate is issued", &engine, "OK, no findings");
    record(&world.hub, "cert-manager-issued", RESOURCES);

    // The key that is to sign it does not exist.
    world.hub.apply(&issuer("authority", json!({"ca": {"secretName": "none"}})));
    let engine = world.until("the issuer fails", |world| ready(world, "issuer/authority -n shop", "False"));
    // cert-manager looks for the key again, so that it is a failure after a while.
    let finding_text =
        expect(StatusReport::later(&world.hub).finding("issuer/authority -n shop"), "Failed", "UCP726", &["none"]);
    row("cert-manager: an issuer has no key", &engine, &finding_text);
    world.hub.apply(&certificate("orphan", "nobody", &[]));
    let engine = world.until("it waits", |world| ready(world, "certificate/orphan -n shop", "False"));
    let reported = StatusReport::later(&world.hub);
    let finding_text =
        expect(reported.finding("certificate/orphan -n shop"), "Failed", "UCP104", &["nobody", "does not exist"]);
    row("cert-manager: a certificate of an issuer that is not there", &engine, &finding_text);

    // Without a renewal, it stays ready.
    world.kill("cert-manager");
    let reported = world.until("it ends", |world| {
        let reported = StatusReport::of(&world.hub);
        reported
            .about("certificate/brief -n shop")
            .iter()
            .any(|finding| finding["code"] == "UCP728")
            .then_some(reported)
    });
    let engine = ready(&world, "certificate/brief -n shop", "True").expect("it is ready still");
    let finding_text = expect(reported.finding("certificate/brief -n shop"), "Failed", "UCP728", &["expired"]);
    row("cert-manager: it is killed, and a certificate ends", &engine, &finding_text);
    world.restart("cert-manager");
    world.until("it is renewed", |world| {
        StatusReport::of(&world.hub).about("certificate/brief -n shop").is_empty().then_some(())
    });
}
