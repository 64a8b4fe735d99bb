//! `bootstrap` on a hub that it must not write to, or where nothing is left to write, while its reads fail.

use super::hubs::elsewhere;
use super::platform::{Platform, with_argo_cd};
use super::run::{bootstrap, whole};
use crate::failing_reads::{Matrix, Place, Promise, holds};
use crate::support::command::run;
use crate::support::proxy::Proxy;
use crate::support::{self, Cluster, Options};

const PLACES: usize = 4;

fn place<'a>(cluster: &'a Cluster, platform: Platform, arguments: &'static [&'static str]) -> Place<'a> {
    let core = Proxy::start(cluster).unwrap();
    let kubeconfig = core.kubeconfig().to_owned();
    Place::new("", vec![("core", core)], move |timeout| {
        let mut command = bootstrap(cluster, &platform, arguments);
        command.args(["--request-timeout", timeout]).env("KUBECONFIG", &kubeconfig);
        command
    })
}

#[test]
fn a_failing_read_never_leads_to_a_write() {
    let Some(cluster) = support::start(Options::named("unread-bootstrap")) else { return };
    run(whole(&cluster, &with_argo_cd())).expect(4);
    let foreign = (0..PLACES).map(|_| place(&cluster, elsewhere(with_argo_cd()), &["--yes", "--force-conflicts"]));
    let (refused, mut broken) =
        Matrix::new("bootstrap, the hub of another repository", Promise::NothingIsWritten).run(foreign.collect());
    assert!(refused.code == Some(1) && refused.stderr.contains("is the hub of another repository"), "{refused:?}");
    let own = (0..PLACES).map(|_| place(&cluster, with_argo_cd(), &["--yes", "--force-conflicts"]));
    // After nothing was written, it waits, and shows the results of `doctor` and `status`.
    let matrix = Matrix::new("bootstrap, everything written", Promise::NothingIsWritten);
    let (done, more) = matrix.run(own.collect());
    assert!(done.stderr.contains("Nothing to write."), "{done:?}");
    broken.extend(more);
    holds(&broken);
}
