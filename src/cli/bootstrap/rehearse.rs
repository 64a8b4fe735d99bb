//! `kubectl ucp bootstrap --rehearse`

use super::Args;
use super::look::BootstrapCheckout;
use crate::cli::Context;
use crate::report::rehearsal::Rehearsal;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::error::{Outcome, Result};
use ucp_core::model::state::Unreadable;
use ucp_features::adopt::homes::EngineNamespaces;
use ucp_features::bootstrap::desire::DesiredState;
use ucp_features::bootstrap::gather::deployed_objects;
use ucp_features::bootstrap::hub::{self, HubOwnership};
use ucp_features::bootstrap::rehearsal::{self, rehearse};
use ucp_features::distribution::fingerprint::Fingerprinter;
use ucp_features::distribution::source::SourceSecrets;

/// Reports the objects that Git alone would not restore. Writes nothing.
pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let opened = BootstrapCheckout::at(args)?;
    let state = context.read_established(None, &rehearsal::want, DeniedDefinition::Unknown)?;
    let scopes = |group: &str, kind: &str| {
        let known = state.kinds.iter().find(|known| known.group == group && known.kind == kind);
        known.map(|known| known.scope)
    };
    let gathered = opened.gather(context, args, &scopes)?;
    let brought = deployed_objects(&gathered.side, &scopes);
    let desire = DesiredState::from_checkout(&gathered, &brought, &opened.settings)?;
    let comparer = Fingerprinter::new()?;
    let sources = SourceSecrets::from_state(&state, &EngineNamespaces::find(&state, None, None), &comparer);
    let found = rehearse(&state, &gathered, &brought, &desire, &sources);
    let is_lossy = found.concerns.iter().any(|concern| concern.outcome.is_loss());
    let declared = opened.declared(&gathered, &brought);
    let (_, ownership) = hub::compare_roots(&state, &declared);
    let ownership = HubOwnership { revisions: hub::declared_revision_changes(&state, &declared), ..ownership };
    let repositories = hub::other_repositories(&state, &declared);
    let is_lossy = is_lossy || !ownership.is_free();
    let mut unreadable = gathered.unreadable.clone();
    let is_told = state.unreadable.iter().any(|entry| entry.what == "secrets");
    if let Some(reason) = sources.gap().filter(|_| !is_told) {
        unreadable.push(Unreadable { what: "secrets".to_owned(), reason: reason.to_owned() });
    }
    let mut report = Rehearsal::from_recovery(&state, args.path.display().to_string(), found, unreadable);
    report.hub = Some(ownership).filter(|ownership| !ownership.is_free());
    report.repositories = repositories;
    context.print(&report)?;
    context.hint_at_rights(&report.unreadable);
    // Objects of repositories that were not read may be lost.
    Ok(match (is_lossy, report.unreadable.is_empty() && report.repositories.is_empty()) {
        (true, _) => Outcome::Findings,
        (false, false) => Outcome::Incomplete,
        (false, true) => Outcome::Clean,
    })
}
