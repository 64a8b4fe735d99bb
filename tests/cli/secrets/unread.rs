//! Copies that only the list of names shows, and that cannot be read.

use super::faults::{Way, sync};
use super::seeds::{At, HOME, LOGIN, connection, deployment, env};
use super::stage::Clusters;
use crate::support::command::{run, ucp};
use crate::support::proxy::{Fault, Rule};

/// An app cluster that keeps an old password is no clean answer.
#[test]
fn a_copy_that_nothing_declares_is_unknown_while_it_cannot_be_read() {
    let Some(clusters) = Clusters::start_with_shop() else { return };
    clusters.put(At::Core, vec![connection(HOME, "left", LOGIN)]);
    clusters.put(At::Prod, vec![deployment("left", env("left", "password"))]);
    let way = Way::through(&clusters);
    run(sync(&way.kubeconfig, &["--yes", "left"])).expect(0);
    let deleted = clusters.prod.kubectl(["delete", "deployment", "-n", "shop", "left"]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
    let verify = || {
        let mut command = ucp(["secrets", "verify", "--context", "core", "--context-map", "prod=prod", "-o", "json"]);
        command.env("KUBECONFIG", &way.kubeconfig);
        run(command)
    };
    assert!(verify().expect(1).stdout.contains("orphaned"));
    for fault in [Fault::forbidden(), Fault::internal_error(), Fault::CutBody] {
        way.prod.add(Rule::on("/namespaces/shop/secrets/left", fault));
        let ran = verify().expect(4);
        assert!(ran.json()["unreadable"].to_string().contains("left"), "{ran:?}");
        run(sync(&way.kubeconfig, &["--yes", "--prune"])).expect(4);
        way.prod.clear();
    }
}
