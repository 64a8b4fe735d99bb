//! Many Secrets in many app clusters, one of which hangs: it costs its own rows.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use super::seeds::{HOME, LOGIN, connection, secret};
use super::stage::{namespaces, registrations};
use super::states::reported;
use crate::support::cluster::TOKEN;
use crate::support::command::{run, ucp};
use crate::support::kubeconfig::{self, Credential};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Options, load};

const CLUSTERS: usize = 20;
const SECRETS: usize = 100;

#[test]
fn a_cluster_that_hangs_only_affects_its_own_rows() {
    let Some(core) = support::start(Options::named("core")) else { return };
    let Some(app) = support::start(Options::named("app")) else { return };
    // One server by twenty addresses.
    let proxies: Vec<Proxy> = (0..CLUSTERS).map(|_| Proxy::start(&app).unwrap()).collect();
    let names: Vec<String> = (0..CLUSTERS).map(|number| format!("app-{number:02}")).collect();
    let servers: BTreeMap<&str, (String, String)> = names
        .iter()
        .zip(&proxies)
        .map(|(name, proxy)| (name.as_str(), (proxy.server(), app.ca_pem().to_owned())))
        .collect();
    let entry = |name: &String, number: usize| {
        json!({
            "kinds": "secret", "sourceName": format!("db-{number}"), "sourceNamespace": HOME,
            "targetCluster": name, "targetNamespace": "shop",
        })
    };
    let entries: Vec<Value> =
        names.iter().flat_map(|name| (0..SECRETS).map(move |number| entry(name, number))).collect();
    let mut objects = registrations(&servers, TOKEN);
    objects.push(json!({
        "apiVersion": "dagandersen.com/v1", "kind": "Syncer", "metadata": {"name": "all", "namespace": "default"},
        "spec": {"data": entries},
    }));
    let all =
        |make: &dyn Fn(&str) -> Value| (0..SECRETS).map(|number| make(&format!("db-{number}"))).collect::<Vec<_>>();
    objects.extend(all(&|name| connection(HOME, name, LOGIN)));
    support::run(async || load::load_objects(&core.client(), objects).await).unwrap();
    let mut copies = namespaces(&["shop"]);
    copies[0]["metadata"].as_object_mut().unwrap().remove("uid");
    copies.extend(all(&|name| secret("shop", name, LOGIN)));
    support::run(async || load::load_objects(&app.client(), copies).await).unwrap();

    let context = |(name, proxy): (&String, &Proxy)| {
        kubeconfig::kubeconfig(name, &proxy.server(), app.ca_pem(), &Credential::Token(TOKEN.to_owned()))
    };
    let mut contexts = vec![core.admin_kubeconfig().unwrap()];
    contexts.extend(names.iter().zip(&proxies).map(context));
    let path = core.save(&kubeconfig::merged(&contexts));
    let ask = || {
        let mut command = ucp(["secrets", "-o", "json", "--context", "core"]);
        command.env("KUBECONFIG", &path);
        let begun = Instant::now();
        let ran = run(command);
        support::print_notice(&format!("{SECRETS} Secrets in {CLUSTERS} app clusters: {:?}", begun.elapsed()));
        ran
    };
    let rows = reported(&ask().expect(0).json());
    assert_eq!(rows.len(), CLUSTERS * SECRETS);
    assert!(rows.values().all(|(state, _)| state == "current"));
    proxies[7].add(Rule::on("/", Fault::Hang));
    let ran = ask().expect(4);
    let rows = reported(&ran.json());
    let unknown = rows.iter().filter(|(key, (state, _))| key.starts_with("app-07 ") && state == "unknown").count();
    let current = rows.values().filter(|(state, _)| state == "current").count();
    assert_eq!((unknown, current), (SECRETS, (CLUSTERS - 1) * SECRETS), "{}", ran.stderr);
    assert!(ran.stderr.contains("no answer within 10s") || ran.stdout.contains("no answer within 10s"), "{ran:?}");
}
