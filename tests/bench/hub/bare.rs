//! The same requests as `resources` makes, by the same client, with the responses read and discarded: no program
//! that lists these kinds over this connection can be much faster.

use std::path::Path;
use std::time::Duration;

use ucp_client::source::live::api::{Api, JSON};
use ucp_client::source::live::limit::ResponseLimit;
use ucp_client::source::{ConnectionArgs, kubeconfig, live};

/// Requests every path of a file, one a line.
pub(crate) fn request_all(paths: &Path) {
    /// The flags that a client takes, all at their defaults.
    #[derive(clap::Parser)]
    struct Defaults {
        #[command(flatten)]
        connection: ConnectionArgs,
    }
    // A request path is a text of the program, or made of segments. These were recorded.
    let paths: &'static str = std::fs::read_to_string(paths).expect("the paths are there").leak();
    let flags = <Defaults as clap::Parser>::parse_from(["bare"]).connection;
    let connection = kubeconfig::load(&flags).expect("KUBECONFIG names the hub");
    live::runtime().expect("a runtime starts").block_on(async {
        let api = Api::connect(&connection, Duration::from_secs(60)).expect("connects");
        // As many at a time as the client lets through.
        let asked = paths
            .lines()
            .map(async |path| api.get(path, JSON, ResponseLimit::Page).await.map(drop).expect("the hub answers"));
        futures::future::join_all(asked).await;
    });
}
