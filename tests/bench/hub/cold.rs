//! First contact with a server that has just started: it prepares each kind at its first request. h2load sends the
//! same requests to the same server just as early, so its time is the server's own time.

use std::process::Command;

use crate::distance::{h2load, has_h2load};
use crate::measure::run;
use crate::support::Cluster;
use crate::table::{self, Row};
use crate::ucp;

/// Measures and prints; restarts the API server before each row.
pub(crate) fn measure(cluster: &mut Cluster) {
    let mark = cluster.audit_mark();
    run(ucp(cluster.kubeconfig()).arg("resources"), 0);
    let requests = cluster.requests_since(mark);
    // Pages behind the first ones prepare nothing.
    let first: Vec<_> = requests.iter().map(|one| one.uri.as_str()).filter(|uri| !uri.contains("continue=")).collect();
    let paths = cluster.directory().join("paths");
    std::fs::write(&paths, first.join("\n")).expect("written");
    let with_h2load = |cluster: &Cluster| h2load(&cluster.server(), cluster.admin_token(), &paths, first.len());
    let with_ucp = |cluster: &Cluster| {
        let mut command = ucp(cluster.kubeconfig());
        command.arg("resources");
        command
    };
    type Make<'a> = &'a dyn Fn(&Cluster) -> Command;
    let mut commands: Vec<(&str, Make<'_>)> = vec![("kubectl ucp resources", &with_ucp)];
    if has_h2load() {
        commands.insert(0, ("h2load -c 1 -m 100", &with_h2load));
    }
    let mut rows = Vec::new();
    for (name, command) in commands {
        cluster.restart().expect("the API server starts again");
        for state in ["first", "second"] {
            let mark = cluster.audit_mark();
            let cost = run(&mut command(cluster), 0);
            // A refused request prepares nothing.
            let refused =
                cluster.requests_since(mark).iter().filter(|one| one.code.is_none_or(|code| code >= 400)).count();
            assert_eq!(refused, 0, "{name}, {state} time: requests were refused");
            rows.push(Row::new(format!("{name}, {state} time"), cost, first.len()));
        }
    }
    println!("\nA server that has just started\n");
    table::print(&rows);
}
