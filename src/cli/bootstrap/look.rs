//! What a checkout wants, and what of it is in the cluster.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::anyhow;

use super::Args;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory;
use crate::adopt::names::Namespaced;
use crate::bootstrap::compare::SecretPresence;
use crate::bootstrap::desire::{Desire, Wanted};
use crate::bootstrap::gather::{self, Brought, Gathered};
use crate::bootstrap::hub::{self, Hub};
use crate::bootstrap::plan::{self, Found, Step};
use crate::bootstrap::provider::{self, Providers, is_controller};
use crate::bootstrap::{Action, By, compare};
use crate::cli::Context;
use crate::error::{Error, Result};
use crate::gitops::config::{BootstrapSettings, Config, NAME};
use crate::manifests::checkout::{Checkout, Tree};
use crate::manifests::selection::{Selection, SelectionOptions, repository_paths};
use crate::model::state::{Origin, Unreadable};
use crate::model::text::one_line;
use crate::prediction::cluster::Cluster;
use crate::render::words;
use crate::report::bootstrap::BootstrapPlan;
use crate::source::kubeconfig::{self, Connection};
use crate::source::live::{self, api::Api};

/// What the repository wants, and what there is.
pub(super) struct Look {
    /// The directory that was asked about.
    directory: String,
    origin: Origin,
    /// What the repository wants.
    pub(super) desire: Desire,
    /// What becomes of each object.
    pub(super) steps: Vec<Step>,
    /// Whose hub the cluster is. `None` if that could not be read.
    pub(super) hub: Option<Hub>,
    /// Why the plan would never come to its end.
    pub(super) blocked: Vec<String>,
    unreadable: Vec<Unreadable>,
    /// Secrets that are there, whatever they lack.
    present: BTreeSet<Namespaced>,
}

/// A checkout, and where to look in it.
pub(super) struct Opened {
    pub(super) checkout: Checkout,
    pub(super) tree: Tree,
    pub(super) settings: BootstrapSettings,
    pub(super) selection: Selection,
    pub(super) below: Vec<String>,
}

impl Opened {
    pub(super) fn at(args: &Args) -> Result<Self> {
        let checkout = Checkout::containing(&args.path)?;
        let settings = Config::read(&checkout.top)?.bootstrap;
        let below = repository_paths(&checkout, std::slice::from_ref(&args.path))?;
        let options = SelectionOptions { url: args.repo_url.clone(), ..SelectionOptions::default() };
        let selection = Selection::new(&checkout, options);
        Ok(Self { tree: checkout.working_tree(), checkout, settings, selection, below })
    }

    /// Renders what the checkout says.
    pub(super) fn gather(&self, context: &Context, args: &Args, scopes: gather::Scopes<'_>) -> Result<Gathered> {
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

    /// What the checkout declares, to be compared with a cluster.
    pub(super) fn declared<'a>(&'a self, gathered: &'a Gathered, brought: &'a [Brought<'_>]) -> hub::Checkout<'a> {
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        hub::Checkout::new(units.chain(brought.iter().flat_map(|one| &one.objects)), &self.selection)
    }

    /// What the checkout brings kinds with.
    fn providers(&self, gathered: &Gathered, brought: &[Brought<'_>]) -> Providers {
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        let brought = brought.iter().flat_map(|one| one.objects.iter().chain(&one.unnamed));
        Providers::of(units.chain(brought), &self.selection)
    }

    /// A repository that says nothing, or whose own address nobody knows, comes to nothing.
    fn check(&self, gathered: &Gathered) -> Result<()> {
        let top = self.checkout.top.display();
        if gathered.units.is_empty() {
            let why = gathered.unreadable.iter().map(|entry| format!("\n{}: {}", entry.what, entry.reason));
            return Err(Error::failed(anyhow!(
                "nothing in {top} installs Argo CD or Flux, or tells one what to deploy{}",
                why.collect::<String>()
            ))
            .hint(format!("name the directory, or 'bootstrap: {{engine: PATH, roots: [PATH]}}' in {NAME}")));
        }
        if gathered.side.rendered.is_empty() && !gathered.urls.is_empty() {
            let urls: BTreeSet<String> = gathered.urls.iter().map(|url| one_line(url)).collect();
            let urls = words::some(&urls.into_iter().collect::<Vec<_>>(), 5);
            return Err(Error::failed(anyhow!("nothing deploys from this checkout: its remotes are none of {urls}"))
                .hint("pass --repo-url with the one that it is"));
        }
        Ok(())
    }
}

impl Look {
    /// Looks at a checkout and at the cluster.
    ///
    /// # Errors
    /// When there is nothing to begin with, or the cluster does not answer.
    pub(super) fn at(context: &Context, args: &Args) -> Result<Self> {
        let opened = Opened::at(args)?;
        let flags = &context.globals.connection;
        let connection = kubeconfig::load(flags)?;
        // A connection lives in the runtime that it was made in.
        let runtime = live::runtime()?;
        let cluster = runtime.block_on(open(&connection, flags.request_timeout))?;
        let scopes = |group: &str, kind: &str| cluster.preferred(group, kind).map(|known| known.scope);
        let gathered = opened.gather(context, args, &scopes)?;
        let brought = gather::brought(&gathered.side, &scopes);
        let desire = Desire::of(&gathered, &brought, &opened.settings)?;
        let state = context.of_all_namespaces().read_in(None, &hub::want)?;
        let hub = hub::examine(&state, &opened.declared(&gathered, &brought));
        let serves = |group: &str, kind: &str| cluster.preferred(group, kind).is_some();
        let runs = |engine| {
            let mut workloads = state.resources.iter().filter(|one| one.kind.group == "apps");
            workloads.any(|one| is_controller(engine, &one.metadata.name))
        };
        let blocked = blocked(&desire, &opened.providers(&gathered, &brought), &serves);
        if let Some(engine) = plan::missing_engines(&desire, runs).first().filter(|_| state.unreadable.is_empty()) {
            return Err(Error::failed(anyhow!(
                "nothing in the repository installs the controllers of {engine}, and they are not in the cluster"
            ))
            .hint(format!("install it, or say where it is: 'bootstrap: {{engine: PATH}}' in {NAME}")));
        }
        let (registered, unread) = registered(context, args, &desire);
        let progress = context.ui.progress("comparing");
        let found = runtime.block_on(async {
            let names: Vec<_> = desire.demands.iter().map(|demand| demand.secret.clone()).collect();
            let show = |done, all| progress.show(done, all);
            Found {
                applied: compare::applied(&cluster, &desire.applied, args.conflicts(), &show).await,
                followed: compare::followed(&cluster, &desire.followed).await,
                secrets: compare::secrets(&cluster, &names).await,
                namespaces: compare::namespaces(&cluster, &desire.namespaces()).await,
                registered,
            }
        });
        drop(progress);
        let steps = plan::steps(&desire, &found);
        let secrets = desire.demands.iter().zip(&found.secrets);
        let there = secrets.filter(|(_, presence)| matches!(presence, SecretPresence::There(_)));
        let present = there.map(|(demand, _)| demand.secret.clone()).collect();
        let unread_hub = hub.as_ref().err().map(|ungrounded| ungrounded.gaps.clone()).unwrap_or_default();
        let hub = hub.ok().map(|grounded| {
            let name = if connection.context.is_empty() { &connection.server } else { &connection.context };
            Hub { name: name.clone(), grounds: grounded.grounds().clone(), ownership: grounded.into_value() }
        });
        drop(brought);
        let unreadable = gathered.unreadable.into_iter().chain(unread).chain(unread_hub).collect();
        let origin = Origin::Cluster { context: connection.context.clone(), server: connection.server.clone() };
        Ok(Self {
            directory: args.path.display().to_string(),
            origin,
            desire,
            steps,
            hub,
            blocked,
            unreadable,
            present,
        })
    }

    /// The document.
    pub(super) fn report(&self) -> BootstrapPlan {
        BootstrapPlan::of(
            self.origin.clone(),
            self.directory.clone(),
            self.hub.clone(),
            self.blocked.clone(),
            self.steps.clone(),
            self.desire.unnamed.clone(),
            self.unreadable.clone(),
        )
    }

    /// The app clusters that are to be adopted.
    pub(super) fn to_adopt(&self) -> BTreeSet<&str> {
        let adopted = self.steps.iter().filter(|step| step.action == Action::Adopt);
        adopted.filter_map(|step| step.cluster.as_deref()).collect()
    }

    /// Whether a Secret was there.
    pub(super) fn is_there(&self, secret: &Namespaced) -> bool {
        self.present.contains(secret)
    }

    /// What is applied from here, each with its step.
    pub(super) fn to_apply(&self) -> impl Iterator<Item = (&Wanted, &Step)> {
        self.desire.applied.iter().filter_map(|wanted| {
            let is_its = |step: &&Step| step.object == wanted.object && step.by == By::Bootstrap && step.from.is_some();
            Some((wanted, self.steps.iter().find(is_its)?))
        })
    }
}

/// Why a plan would never come to its end: kinds that nothing brings, and objects that nothing here decrypts.
fn blocked(desire: &Desire, providers: &Providers, serves: &dyn Fn(&str, &str) -> bool) -> Vec<String> {
    let unprovided = provider::unprovided(desire, providers, serves).into_iter().map(|((group, kind), objects)| {
        let names: Vec<String> = objects.iter().map(words::object).collect();
        let group = one_line(&group).to_string();
        let why = match group.as_str() {
            "pkg.crossplane.io" => "nothing in the repository installs Crossplane".to_owned(),
            _ => format!("nothing in the repository brings the kind {} of {group}", one_line(&kind)),
        };
        format!("{why}, which is needed for {}", words::some(&names, 5))
    });
    let sealed = desire.sealed.iter().map(|object| {
        format!("{} is encrypted with SOPS, and is applied before anything decrypts it", words::object(object))
    });
    unprovided.chain(sealed).collect()
}

/// Asks the core cluster what it serves.
pub(super) async fn open(connection: &Connection, timeout: Duration) -> Result<Cluster> {
    let api = Api::connect(connection, timeout)?;
    let cluster = Cluster::open(None, api).await;
    cluster.map_err(|reason| Error::failed(anyhow!("cannot read {}: {reason}", connection.server)))
}

/// The names of the app clusters that an engine knows, under any name.
pub(super) fn registered(context: &Context, args: &Args, desire: &Desire) -> (BTreeSet<String>, Vec<Unreadable>) {
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
    let inventory = inventory::take(&gathered.state, &gathered.kinds, &args.access.view(context));
    let known = inventory.clusters.iter().filter(|cluster| !cluster.registrations.is_empty());
    (known.flat_map(AppCluster::names).map(str::to_owned).collect(), gathered.state.unreadable)
}
