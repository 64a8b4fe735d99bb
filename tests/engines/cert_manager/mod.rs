//! cert-manager's controllers for certificates.

use serde_json::{Value, json};

use crate::adapters::{HOME, world};
use crate::binaries::Build;
use crate::scenario::{Said, expect, record, row, ucp};
use crate::world::{World, condition, get};

/// What it is made of. Its own main is a module that nobody can require, and brings the SDKs of the clouds, so it has one
/// of ours.
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

/// What an object's condition Ready says, once it has this status.
fn ready(world: &World, object: &str, status: &str) -> Option<String> {
    condition(&get(&world.hub, object)?, "Ready").filter(|said| said.starts_with(status))
}

#[test]
fn certificates_are_issued_wait_and_end() {
    let mut world = world();
    world.hub.apply(&issuer("self", json!({"selfSigned": {}})));
    world.hub.apply(&certificate("web", "self", &[]));
    world.hub.apply(&certificate("brief", "self", &[("duration", "60s"), ("renewBefore", "5s")]));
    let web = "certificate/web -n shop";
    let engine = world.until("it is issued", |world| ready(world, web, "True"));
    world.until("the brief one is issued", |world| ready(world, "certificate/brief -n shop", "True"));
    let said = Said::of(&world.hub);
    said.nothing_about(web);
    said.nothing_about("issuer/self -n shop");
    let tree = ucp(&world.hub, ["tree", "certificate/web", "-n", HOME]).expect(0).stdout;
    assert!(tree.contains("web-tls") && tree.contains("self"), "{tree}");
    row("cert-manager: a certificate is issued", &engine, "OK, no findings");
    record(&world.hub, "cert-manager-issued", RESOURCES);

    // Nobody has the key that it is to be signed with.
    world.hub.apply(&issuer("authority", json!({"ca": {"secretName": "none"}})));
    let engine = world.until("the issuer fails", |world| ready(world, "issuer/authority -n shop", "False"));
    // cert-manager looks for the key again, so that it is a failure after a while.
    let told = expect(Said::later(&world.hub).finding("issuer/authority -n shop"), "Failed", "UCP726", &["none"]);
    row("cert-manager: an issuer has no key", &engine, &told);
    world.hub.apply(&certificate("orphan", "nobody", &[]));
    let engine = world.until("it waits", |world| ready(world, "certificate/orphan -n shop", "False"));
    let said = Said::later(&world.hub);
    let told = expect(said.finding("certificate/orphan -n shop"), "Failed", "UCP104", &["nobody", "does not exist"]);
    row("cert-manager: a certificate of an issuer that is not there", &engine, &told);

    // While nobody renews, it goes on to be ready.
    world.kill("cert-manager");
    let said = world.until("it ends", |world| {
        let said = Said::of(&world.hub);
        said.about("certificate/brief -n shop").iter().any(|finding| finding["code"] == "UCP728").then_some(said)
    });
    let engine = ready(&world, "certificate/brief -n shop", "True").expect("it is ready still");
    let told = expect(said.finding("certificate/brief -n shop"), "Failed", "UCP728", &["expired"]);
    row("cert-manager: it is killed, and a certificate ends", &engine, &told);
    world.restart("cert-manager");
    world.until("it is renewed", |world| {
        Said::of(&world.hub).about("certificate/brief -n shop").is_empty().then_some(())
    });
}
