//! The comparison of a checkout with the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Args;
use super::completion::PlanCompletion;
use crate::cli::Context;
use crate::render::rehearsal::ownership_note;
use crate::render::words;
use crate::report::bootstrap::BootstrapPlan;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::kubeconfig::{self, Connection};
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_client::source::live::{self, api::Api};
use ucp_core::error::{Error, Result};
use ucp_core::model::grounds::{Grounded, Ungrounded};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::text::one_line;
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::inventory;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::bootstrap::compare::SecretPresence;
use ucp_features::bootstrap::controller::EngineController;
use ucp_features::bootstrap::desire::{DesiredObject, DesiredState};
use ucp_features::bootstrap::gather::{self, CheckoutContents, DeployedObjects};
use ucp_features::bootstrap::hub::{self, HubOwnership, HubReport, PlannedUpdate};
use ucp_features::bootstrap::plan::{self, BootstrapStep, ClusterPresence};
use ucp_features::bootstrap::provider::KindProviders;
use ucp_features::bootstrap::write::WritePrecondition;
use ucp_features::bootstrap::{BootstrapAction, StepActor, compare};
use ucp_repo::gitops::config::{BootstrapSettings, NAME, RepositoryConfig};
use ucp_repo::manifests::checkout::{CheckoutTree, GitCheckout};
use ucp_repo::manifests::selection::{DeploymentSelection, SelectionOptions, repository_paths};

/// The objects that the repository declares, compared with the cluster.
pub(super) struct BootstrapComparison {
    /// The directory on the command line.
    directory: String,
    origin: Origin,
    /// The objects that the repository declares.
    pub(super) desire: DesiredState,
    /// The step for each object.
    pub(super) steps: Vec<BootstrapStep>,
    /// The hub that the cluster is; `None` if that could not be read.
    pub(super) hub: Option<HubReport>,
    /// The reasons why the plan could not complete, or may not.
    pub(super) completion: PlanCompletion,
    unreadable: Vec<Unreadable>,
    /// The Secrets that exist, complete or not.
    present: BTreeSet<NamespacedName>,
    /// The objects to update, as they were compared.
    updated: BTreeMap<ObjectKey, Value>,
    opened: BootstrapCheckout,
    gathered: CheckoutContents,
}

/// The time until the server lists kinds that were just defined.
const LISTING: Duration = Duration::from_secs(60);
/// The delay between two examinations.
const PAUSE: Duration = Duration::from_secs(1);

/// A checkout, and the paths to read in it.
pub(super) struct BootstrapCheckout {
    pub(super) checkout: GitCheckout,
    pub(super) tree: CheckoutTree,
    pub(super) settings: BootstrapSettings,
    pub(super) selection: DeploymentSelection,
    pub(super) below: Vec<String>,
}

impl BootstrapCheckout {
    pub(super) fn at(args: &Args) -> Result<Self> {
        let checkout = GitCheckout::containing(&args.path)?;
        let settings = RepositoryConfig::read(&checkout.top)?.bootstrap;
        let below = repository_paths(&checkout, std::slice::from_ref(&args.path))?;
        let options = SelectionOptions { url: args.repo_url.clone(), ..SelectionOptions::default() };
        let selection = DeploymentSelection::new(&checkout, options);
        Ok(Self { tree: checkout.working_tree(), checkout, settings, selection, below })
    }

    /// Renders the checkout.
    pub(super) fn gather(
        &self,
        context: &Context,
        args: &Args,
        scopes: gather::ScopeLookup<'_>,
    ) -> Result<CheckoutContents> {
        let places = gather::places(&self.tree, &self.below, &self.settings)?;
        let progress = context.ui.progress("rendering");
        let renderer = args.rendering.renderer();
        let show = |done, all| progress.show(done, all);
        let gathered = live::runtime()?.block_on(gather::gather(
            &self.tree,
            &places,
            &self.settings,
            &self.selection,
            renderer,
            scopes,
            &show,
        ));
        drop(progress);
        self.check(&gathered)?;
        Ok(gathered)
    }

    /// Returns the declared objects, for a comparison with a cluster.
    pub(super) fn declared<'a>(
        &'a self,
        gathered: &'a CheckoutContents,
        brought: &'a [DeployedObjects<'_>],
    ) -> hub::CheckoutDeclarations<'a> {
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        let brought = brought.iter().flat_map(|one| &one.objects);
        hub::CheckoutDeclarations::new(units.chain(brought), &self.selection, self.checkout.default_branch())
    }

    /// Returns the objects of the checkout that provide kinds.
    fn providers(&self, gathered: &CheckoutContents, brought: &[DeployedObjects<'_>]) -> KindProviders {
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        let brought = brought.iter().flat_map(|one| one.objects.iter().chain(&one.unnamed));
        KindProviders::from_objects(units.chain(brought), &self.selection)
    }

    /// Fails when the repository deploys nothing, or its own URL is not known.
    fn check(&self, gathered: &CheckoutContents) -> Result<()> {
        let top = self.checkout.top.display();
        if gathered.units.is_empty() {
            let why = gathered.unreadable.iter().map(|entry| format!("\n{}: {}", entry.what, entry.reason));
            return Err(Error::failed(format!(
                "nothing in {top} installs Argo CD or Flux, or configures one to deploy something{}",
                why.collect::<String>()
            ))
            .hint(format!("name the directory, or 'bootstrap: {{engine: PATH, roots: [PATH]}}' in {NAME}")));
        }
        if gathered.side.rendered.is_empty() && !gathered.urls.is_empty() {
            let urls: BTreeSet<String> = gathered.urls.iter().map(|url| one_line(url)).collect();
            let urls = words::join_limited(&urls.into_iter().collect::<Vec<_>>(), 5);
            return Err(Error::failed(format!(
                "nothing deploys from this checkout: none of its remotes is one of {urls}"
            ))
            .hint("pass the URL of this repository with --repo-url"));
        }
        Ok(())
    }
}

impl BootstrapComparison {
    /// Reads a checkout and the cluster.
    ///
    /// # Errors
    /// Fails when the checkout declares nothing to start from, or the cluster does not respond.
    pub(super) fn at(context: &Context, args: &Args) -> Result<Self> {
        let opened = BootstrapCheckout::at(args)?;
        let flags = &context.globals.connection;
        let connection = kubeconfig::load(flags)?;
        // A connection belongs to the runtime in which it was made.
        let runtime = live::runtime()?;
        let cluster = runtime.block_on(open_cluster(&connection, flags.request_timeout))?;
        let scopes = |group: &str, kind: &str| cluster.preferred(group, kind).map(|known| known.scope);
        let gathered = opened.gather(context, args, &scopes)?;
        let brought = gather::deployed_objects(&gathered.side, &scopes);
        let desire = DesiredState::from_checkout(&gathered, &brought, &opened.settings)?;
        let state = read_hub(context)?;
        let declared = opened.declared(&gathered, &brought);
        let hub = hub::examine(&state, &declared);
        let serves = |group: &str, kind: &str| cluster.preferred(group, kind).is_some();
        // What could not be read may be a workload that is one of the controllers.
        let runs = |controller: EngineController| {
            let mut workloads = state.resources.iter().filter(|one| one.kind.group == "apps");
            !state.unreadable.is_empty() || workloads.any(|one| controller.is_called(&one.metadata.name))
        };
        let completion = PlanCompletion::of_plan(&desire, &opened.providers(&gathered, &brought), &serves, runs)?;
        let (registered, unread) = registered_clusters(context, args, &desire);
        let progress = context.ui.progress("comparing");
        let found = runtime.block_on(async {
            let names: Vec<_> = desire.demands.iter().map(|demand| demand.secret.clone()).collect();
            let show = |done, all| progress.show(done, all);
            ClusterPresence {
                applied: compare::compare_applied(&cluster, &desire.applied, args.conflicts(), &show).await,
                followed: compare::followed_presence(&cluster, &desire.followed).await,
                secrets: compare::secret_presence(&cluster, &names).await,
                namespaces: compare::namespace_presence(&cluster, &desire.namespaces()).await,
                registered,
            }
        });
        drop(progress);
        let mut steps = plan::steps(&desire, &found);
        let updated = desire.applied.iter().zip(&found.applied).filter_map(|(wanted, reading)| match reading {
            Ok(grounded) => grounded.value().update().map(|update| (&wanted.object, update)),
            Err(_) => None,
        });
        let updates: Vec<PlannedUpdate<'_>> =
            updated.map(|(object, update)| PlannedUpdate { object, live: &update.live, made: &update.made }).collect();
        let revisions = hub::planned_revision_changes(&state, &declared, &updates);
        plan::add_revision_changes(&mut steps, &revisions);
        completion.add_to(&mut steps);
        let updated = updates.iter().map(|update| (ObjectKey::from(update.object), update.live.clone())).collect();
        let secrets = desire.demands.iter().zip(&found.secrets);
        let is_there = |presence: &SecretPresence| matches!(presence, SecretPresence::There(_));
        let there = secrets.filter(|(_, reading)| reading.as_ref().is_ok_and(|grounded| is_there(grounded.value())));
        let present = there.map(|(demand, _)| demand.secret.clone()).collect();
        let unread_hub = hub.as_ref().err().map(|ungrounded| ungrounded.gaps.clone()).unwrap_or_default();
        let hub = hub.ok().map(|grounded| {
            let name = if connection.context.is_empty() { &connection.server } else { &connection.context };
            let grounds = grounded.grounds().clone();
            HubReport { name: name.clone(), grounds, ownership: HubOwnership { revisions, ..grounded.into_value() } }
        });
        drop(brought);
        let unreadable = gathered.unreadable.iter().cloned().chain(unread).chain(unread_hub).collect();
        let origin = Origin::Cluster { context: connection.context.clone(), server: connection.server.clone() };
        Ok(Self {
            directory: args.path.display().to_string(),
            origin,
            desire,
            steps,
            hub,
            completion,
            unreadable,
            present,
            updated,
            opened,
            gathered,
        })
    }

    /// Examines the ownership again, right before root objects are written: another repository may have made the cluster
    /// its hub since the plan.
    ///
    /// # Errors
    /// Fails when there is evidence that was not confirmed, or when a required list could not be read.
    pub(super) fn examine_again(&self, context: &Context) -> Result<()> {
        match self.changed_ownership(context, &BTreeSet::new())? {
            None => Ok(()),
            Some(reason) => Err(Error::refused(format!("{reason}; root objects were not written"))
                .hint("this has changed since the plan was made: run the command again")),
        }
    }

    /// Examines the ownership after these root objects were created: another repository may have written its own at the same
    /// time.
    ///
    /// # Errors
    /// Fails as [`Self::examine_again`] does.
    pub(super) fn examine_written(&self, context: &Context, created: &BTreeSet<ObjectKey>) -> Result<()> {
        if created.is_empty() {
            return Ok(());
        }
        match self.changed_ownership(context, created)? {
            None => Ok(()),
            Some(reason) => Err(Error::refused(format!("{reason}; root objects of this repository were written, too"))
                .hint(
                    "decide which repository owns the cluster, and delete the root of the other before it is synced",
                )),
        }
    }

    /// Returns the evidence against the ownership that was not confirmed, or the reason why it is unknown. Root objects that
    /// this run created are no evidence for it, and what they deployed since then is none against it.
    fn changed_ownership(&self, context: &Context, created: &BTreeSet<ObjectKey>) -> Result<Option<String>> {
        let began = Instant::now();
        let fresh = loop {
            match self.read_ownership(context, created)? {
                Ok(grounded) => break grounded.into_value(),
                // The server may not list kinds yet that this command has just defined.
                Err(_) if began.elapsed() < LISTING => std::thread::sleep(PAUSE),
                Err(ungrounded) => return Ok(Some(ungrounded.reason())),
            }
        };
        let confirmed = self.hub.as_ref().map(|hub| hub.ownership.clone()).unwrap_or_default();
        let name = self.hub.as_ref().map(|hub| hub.name.clone()).unwrap_or_default();
        let mut ownership = fresh.unconfirmed(&confirmed);
        if !created.is_empty() {
            ownership.undeclared.clear();
        }
        Ok((!ownership.is_free()).then(|| ownership_note(&name, &ownership)))
    }

    fn read_ownership(
        &self,
        context: &Context,
        created: &BTreeSet<ObjectKey>,
    ) -> Result<Result<Grounded<HubOwnership>, Ungrounded<HubOwnership>>> {
        let flags = &context.globals.connection;
        let runtime = live::runtime()?;
        let cluster = runtime.block_on(open_cluster(&kubeconfig::load(flags)?, flags.request_timeout))?;
        let scopes = |group: &str, kind: &str| cluster.preferred(group, kind).map(|known| known.scope);
        let brought = gather::deployed_objects(&self.gathered.side, &scopes);
        let mut state = read_hub(context)?;
        state.resources.retain(|resource| !created.contains(&resource.key()));
        Ok(hub::examine(&state, &self.opened.declared(&self.gathered, &brought)))
    }

    /// Returns the state of an object in the plan.
    pub(super) fn planned(&self, object: &ObjectName) -> WritePrecondition<'_> {
        self.updated.get(&ObjectKey::from(object)).map_or(WritePrecondition::Absent, WritePrecondition::Unchanged)
    }

    /// Returns the document of the plan.
    pub(super) fn report(&self) -> BootstrapPlan {
        let plan = BootstrapPlan::from_steps(
            self.origin.clone(),
            self.directory.clone(),
            self.hub.clone(),
            self.completion.blocked.clone(),
            self.steps.clone(),
            self.desire.unnamed.clone(),
            self.unreadable.clone(),
        );
        BootstrapPlan { uncertain: self.completion.uncertain(), ..plan }
    }

    /// Returns the app clusters to adopt.
    pub(super) fn to_adopt(&self) -> BTreeSet<&str> {
        let adopted = self.steps.iter().filter(|step| step.action == BootstrapAction::Adopt);
        adopted.filter_map(|step| step.cluster.as_deref()).collect()
    }

    /// Returns true if the Secret exists in the cluster.
    pub(super) fn is_there(&self, secret: &NamespacedName) -> bool {
        self.present.contains(secret)
    }

    /// Returns the objects that `bootstrap` applies itself, each with its step.
    pub(super) fn to_apply(&self) -> impl Iterator<Item = (&DesiredObject, &BootstrapStep)> {
        self.desire.applied.iter().filter_map(|wanted| {
            let is_its = |step: &&BootstrapStep| {
                step.object == wanted.object && step.by == StepActor::Bootstrap && step.from.is_some()
            };
            Some((wanted, self.steps.iter().find(is_its)?))
        })
    }
}

/// Reads the objects that decide the ownership of a cluster, of kinds too that discovery omits.
fn read_hub(context: &Context) -> Result<ClusterState> {
    context.for_all_namespaces().read_established(None, &hub::want, DeniedDefinition::Unknown)
}

/// Connects to the core cluster and discovers the kinds that it serves.
pub(super) async fn open_cluster(connection: &Connection, timeout: Duration) -> Result<ConnectedCluster> {
    let api = Api::connect(connection, timeout)?;
    let cluster = ConnectedCluster::open(None, api).await;
    cluster.map_err(|reason| Error::failed(format!("cannot read {}: {reason}", connection.server)))
}

/// Returns all names of the app clusters that are registered with an engine.
pub(super) fn registered_clusters(
    context: &Context,
    args: &Args,
    desire: &DesiredState,
) -> (BTreeSet<String>, Vec<Unreadable>) {
    if desire.clusters.is_empty() {
        return (BTreeSet::new(), Vec::new());
    }
    let gathered = match context.gather_clusters(&args.access) {
        Ok(gathered) => gathered,
        Err(error) => {
            let unread = Unreadable { what: "registrations of app clusters".to_owned(), reason: error.message() };
            return (BTreeSet::new(), vec![unread]);
        }
    };
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &args.access.view(context));
    let known = inventory.clusters.iter().filter(|cluster| !cluster.registrations.is_empty());
    (known.flat_map(AppCluster::names).map(str::to_owned).collect(), gathered.state.unreadable)
}
