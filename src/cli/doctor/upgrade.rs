//! Reads the definitions to upgrade to, and the installed ones of the same kinds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::registry_login::registry_login;
use ucp_client::source::live::session::Session;
use ucp_client::source::{ConnectionArgs, Query, live, snapshot};
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::body::{BodyShape, KindRequest, NamespaceReach};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::scratch::Scratch;
use ucp_features::doctor::{self, CheckPurpose};
use ucp_features::registry::{self, PackageReference};
use ucp_features::upgrade::DefinitionUpgrade;
use ucp_features::upgrade::definition::is_definition;
use ucp_features::upgrade::package::{MANIFESTS, read_package_file};
use ucp_repo::gitops::repository::Repository;

/// The definitions to upgrade to.
#[derive(Debug, clap::Args)]
pub(super) struct UpgradeArgs {
    /// Check an upgrade to the CRDs, XRDs, and MRDs in this file, directory, or archive
    ///
    /// Only the checks of new definitions run: what the API server would refuse, remove, set, or no longer serve of all live
    /// objects, and what Compositions name that is gone.
    #[arg(long, value_name = "PATH", conflicts_with = "package")]
    crds: Vec<PathBuf>,
    /// Check an upgrade to this package: an image in a registry, or a file of 'crossplane xpkg build'
    #[arg(long, value_name = "IMAGE|FILE")]
    package: Option<String>,
    /// With --package or --crds: also check the manifests in this checkout
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
}

impl UpgradeArgs {
    /// Returns the arguments for a package and a checkout.
    pub(super) fn about_package(package: String, checkout: PathBuf) -> Self {
        Self { crds: Vec::new(), package: Some(package), repo: Some(checkout) }
    }

    /// Returns the checks that these arguments ask for.
    pub(super) fn purpose(&self) -> CheckPurpose {
        match self.crds.is_empty() && self.package.is_none() {
            true => CheckPurpose::Installed,
            false => CheckPurpose::NewDefinitions,
        }
    }

    /// Reads the new definitions, if there are any to read.
    ///
    /// # Errors
    /// Fails when a path cannot be read, or has no definition.
    pub(super) fn read(&self) -> Result<Option<DefinitionUpgrade>> {
        let mut upgrade = DefinitionUpgrade::default();
        for path in &self.crds {
            add_manifests(&mut upgrade, path, &path.display().to_string())?;
        }
        if let Some(package) = &self.package {
            let manifests = read_package(package)
                .map_err(|reason| Error::failed(format!("cannot read the package {package}: {reason}")))?;
            let cannot_write = |error| Error::failed(format!("cannot unpack the package {package}: {error}"));
            let scratch = Scratch::new().map_err(cannot_write)?;
            let file = scratch.path().join(MANIFESTS);
            std::fs::write(&file, manifests).map_err(cannot_write)?;
            add_manifests(&mut upgrade, &file, package)?;
        }
        upgrade.mark_inactive_kinds();
        if let Some(top) = &self.repo {
            if self.purpose() == CheckPurpose::Installed {
                return Err(
                    Error::usage("--repo needs new definitions to compare with").hint("add --package or --crds")
                );
            }
            upgrade.add_repository(&Repository::read(top, "")?);
        }
        Ok((self.purpose() == CheckPurpose::NewDefinitions).then_some(upgrade))
    }
}

/// Returns the manifests of a package in a file, or in a registry with the login of docker's configuration.
fn read_package(package: &str) -> Result<String, Failure> {
    if Path::new(package).exists() {
        return read_package_file(Path::new(package));
    }
    let reference =
        PackageReference::parse(package).map_err(|reason| format!("there is no such file, and {reason}"))?;
    live::runtime()?.block_on(registry::fetch_manifests(&reference, registry_login(&reference).as_ref()))
}

/// Adds the definitions in a file, directory, or archive, which messages call `name`.
fn add_manifests(upgrade: &mut DefinitionUpgrade, path: &Path, name: &str) -> Result<()> {
    let query = Query::all(&want_manifest);
    if path != Path::new("-") && !path.exists() {
        return Err(Error::absent(format!("{name} does not exist")));
    }
    let state = snapshot::read(path, &query)
        .map_err(|error| Error::failed(format!("cannot read definitions in {name}: {}", error.message())))?;
    let count = upgrade.definitions.len();
    for (resource, manifest) in
        state.resources.iter().filter_map(|resource| Some((resource, resource.whole.as_deref()?)))
    {
        match resource.kind.group.as_str() {
            "meta.pkg.crossplane.io" => upgrade.set_package(manifest),
            _ => upgrade.add_manifest(manifest),
        }
    }
    // One of them: a definition that occurs twice.
    upgrade.unread.extend(state.notes);
    upgrade.unread.extend(state.unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason)));
    if upgrade.definitions.len() == count {
        let reason = upgrade.unread.first().map(|reason| format!("; {reason}")).unwrap_or_default();
        return Err(Error::failed(format!("no CRD, XRD, or ManagedResourceDefinition in {name}{reason}")).hint(
            "a chart's definitions are often in its directory crds; render templates with 'helm template' first",
        ));
    }
    Ok(())
}

/// Returns the manifests to read from the new definitions.
fn want_manifest(kind: &ResourceKind) -> Option<KindRequest> {
    let is_wanted = is_definition(kind) || kind.group == "meta.pkg.crossplane.io";
    is_wanted.then(|| KindRequest::whole(BodyShape::Metadata))
}

/// Returns the objects to read from the cluster: those of the new definitions, and what the checks require.
pub(super) fn want_installed(upgrade: &DefinitionUpgrade, is_live: bool, kind: &ResourceKind) -> Option<KindRequest> {
    if upgrade.definition_of(kind).is_some() {
        let shape = doctor::want(kind).map_or(BodyShape::Conditions, |want| want.shape);
        return Some(KindRequest { reach: NamespaceReach::Everywhere, ..KindRequest::whole(shape) });
    }
    match is_crd(kind) && !is_live {
        true => Some(KindRequest::whole(BodyShape::Definition)),
        // The schemas of a live cluster are large, and are read one by one.
        false => doctor::want(kind),
    }
}

/// Adds the installed CRDs of the new definitions that have objects, or that a Composition composes. Those that cannot be
/// read are added to the state.
///
/// # Errors
/// Fails when the cluster cannot be reached.
pub(super) fn add_installed(
    upgrade: &mut DefinitionUpgrade,
    state: &mut ClusterState,
    connection: &ConnectionArgs,
) -> Result<()> {
    let with_objects = state.resources.iter().filter(|resource| upgrade.definition_of(&resource.kind).is_some());
    let mut names: BTreeSet<String> = with_objects.map(|resource| resource.kind.qualified_plural()).collect();
    names.extend(doctor::composed_definitions(upgrade, state));
    let declared = upgrade.declared.iter().map(|(_, manifest)| ObjectName::from_manifest(manifest));
    names.extend(declared.filter_map(|object| Some(upgrade.definition_declared_by(&object)?.name())));
    let is_wanted = |resource: &&Resource| is_crd(&resource.kind) && names.contains(&resource.metadata.name);
    let crds = match connection.from.is_some() {
        true => {
            state.resources.iter().filter(is_wanted).filter_map(|resource| resource.whole.as_deref().cloned()).collect()
        }
        // One by one, as the list of all CRDs with their schemas may have hundreds of megabytes.
        false if !names.is_empty() => {
            let (crds, unreadable) = Session::open(connection)?.definitions(&names);
            state.unreadable.extend(unreadable);
            crds
        }
        false => Vec::new(),
    };
    let name_of = |crd: &Value| crd["metadata"]["name"].as_str().map(str::to_owned);
    upgrade.installed.extend(crds.into_iter().filter_map(|crd| Some((name_of(&crd)?, crd))));
    Ok(())
}

fn is_crd(kind: &ResourceKind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}
