//! `teardown --merge`: the objects that a merge deletes when it removes a path.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::Context;
use crate::cli::app_clusters::EngineNamespaceArgs;
use crate::cli::comparison::{ComparedCheckout, ComparisonArgs};
use crate::render::words;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::error::{Error, Result};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_features::plan::examine::ComparisonPurpose;
use ucp_features::plan::outcome::PlanAction;

/// The objects that engines delete once a path is removed from Git.
pub(super) struct MergeRemoval {
    /// The path in its repository.
    pub(super) path: String,
    /// The objects of the core cluster.
    pub(super) objects: Vec<ObjectName>,
    /// Why other objects remain.
    pub(super) kept: Vec<String>,
    /// Deployers that could not be rendered, and objects that are deleted in app clusters.
    pub(super) unread: Vec<Unreadable>,
}

impl MergeRemoval {
    /// Renders the checkout with and without the path and compares.
    ///
    /// # Errors
    /// Fails when the checkout or the cluster cannot be read, and for the top of the checkout.
    pub(super) fn find(
        context: &Context,
        comparison: &ComparisonArgs,
        namespaces: &EngineNamespaceArgs,
        path: &Path,
    ) -> Result<Self> {
        let opened = ComparedCheckout::open(context, comparison, namespaces.clone(), &[path.to_owned()])?;
        let relative = opened.checkout.relative(path)?;
        if relative.is_empty() {
            return Err(Error::usage(format!("{} is the top directory of the checkout", path.display()))
                .hint("use 'kubectl ucp teardown --all' for the whole core cluster"));
        }
        // A deployer of a kind that the server does not list deletes objects, too.
        let state = context.read_established(None, &crate::cli::plan::wanted, DeniedDefinition::Unknown)?;
        let (base, head) = (opened.checkout.working_tree(), opened.checkout.without(&relative)?);
        let outcome = opened.compare(&state, Some(&base), &head, (ComparisonPurpose::Merge, None))?;
        let mut unread = state.unreadable;
        unread.extend(outcome.unreadable);
        let (mut objects, mut elsewhere) = (Vec::new(), BTreeMap::<String, usize>::new());
        let mut kept: Vec<String> =
            outcome.remarks.into_iter().map(|one| format!("{}: {}", one.object, one.remark)).collect();
        for item in outcome.items {
            match (item.action, item.cluster) {
                (PlanAction::Remove, None) => objects.push(item.object),
                (PlanAction::Remove, Some(cluster)) => *elsewhere.entry(cluster).or_default() += 1,
                (PlanAction::Abandon, _) => {
                    kept.extend(item.message.map(|why| format!("{} stays: {why}", item.object)))
                }
                _ => {}
            }
        }
        unread.extend(elsewhere.into_iter().map(|(cluster, count)| Unreadable {
            what: format!("{} in app cluster {cluster}", words::count(count, "objects")),
            reason: "they would be deleted there, and the effects in that cluster were not examined".to_owned(),
        }));
        Ok(Self { path: relative, objects, kept, unread })
    }
}
