//! Several core clusters or snapshots at once: `--contexts`, `--all-contexts` and several `--from`. Each is read as if
//! it were the only one, concurrently; one that cannot be read does not affect the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::Context;
use crate::cli::side_by_side::side_by_side;
use crate::report::sources::{CombineSources, SourceResult, combine};
use ucp_client::source::live::MOST_CLUSTERS;
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::error::{Error, Result};
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::state::Origin;

/// The hint for flags that apply to one cluster and not to several.
const OF_ONE_CLUSTER: &str = "it applies to one cluster; use a kubeconfig context for each cluster";

/// Refuses flags that cannot be used with several sources.
///
/// # Errors
/// Returns a usage error for such a flag.
pub(super) fn check(flags: &ConnectionArgs) -> Result<()> {
    let named = match (flags.sources.contexts.as_slice(), flags.sources.all_contexts) {
        ([], false) => return check_snapshots(flags),
        ([], true) => "--all-contexts",
        (_, false) => "--contexts",
        (_, true) => return Err(Error::usage("--contexts and --all-contexts exclude each other")),
    };
    if !flags.sources.from.is_empty() {
        return Err(Error::usage(format!("{named} and --from exclude each other: clusters or snapshots")));
    }
    if flags.context.is_some() {
        return Err(Error::usage(format!("{named} and --context exclude each other")));
    }
    // A credential is for one server, and is not sent to others.
    let given = [
        ("--server", flags.server.is_some()),
        ("--cluster", flags.cluster.is_some()),
        ("--user", flags.user.is_some()),
        ("--token", flags.token.is_some()),
        ("--certificate-authority", flags.certificate_authority.is_some()),
        ("--client-certificate", flags.client_certificate.is_some()),
        ("--client-key", flags.client_key.is_some()),
        ("--tls-server-name", flags.tls_server_name.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(Error::usage(format!("{named} cannot be used with {flag}")).hint(OF_ONE_CLUSTER)),
        None => Ok(()),
    }
}

fn check_snapshots(flags: &ConnectionArgs) -> Result<()> {
    let is_stdin = |path: &&std::path::PathBuf| path.as_path() == Path::new("-");
    match flags.sources.from.iter().filter(is_stdin).count() {
        0 | 1 => Ok(()),
        _ => Err(Error::usage("standard input is one snapshot: pass --from - only once")),
    }
}

/// A cluster or snapshot that other processes of this program read, and the flags that select it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixedSource {
    /// The name in messages.
    pub(super) label: String,
    /// The flag if it is the only source; `None` in a pod, and if `--server` is sufficient.
    pub(super) alone: Option<OsString>,
    /// The flag if it is one of several.
    pub(super) beside_others: Option<OsString>,
}

impl FixedSource {
    fn from_flag(flag: (&str, &str), name: &OsStr) -> Self {
        let word = |flag: &str| {
            let mut word = OsString::from(format!("--{flag}="));
            word.push(name);
            Some(word)
        };
        Self { label: name.to_string_lossy().into_owned(), alone: word(flag.0), beside_others: word(flag.1) }
    }
}

impl Context {
    /// Returns the clusters or snapshots on the command line, by name. The current context is resolved, so that later
    /// changes of it have no effect.
    ///
    /// # Errors
    /// Fails when one does not exist, or is standard input, which can be read only once.
    pub(super) fn fixed_sources(&self) -> Result<Vec<FixedSource>> {
        let fixed = |(from, context): (Option<std::path::PathBuf>, Option<String>)| {
            if let Some(path) = from {
                if path.as_path() == Path::new("-") {
                    return Err(Error::usage(format!("'{}' cannot read a snapshot from standard input", self.command)));
                }
                if !path.exists() {
                    return Err(Error::failed(format!("snapshot {} does not exist", path.display())));
                }
                return Ok(FixedSource::from_flag(("from", "from"), path.as_os_str()));
            }
            let flags = ConnectionArgs { context, sources: Default::default(), ..self.globals.connection.clone() };
            let known = kubeconfig::load(&flags)?;
            if known.context.is_empty() {
                return Ok(FixedSource { label: known.server, alone: None, beside_others: None });
            }
            Ok(FixedSource::from_flag(("context", "contexts"), OsStr::new(&known.context)))
        };
        self.named_sources()?.into_iter().map(fixed).collect()
    }

    /// Returns true if the command line names several clusters or snapshots.
    pub(super) fn has_several_sources(&self) -> bool {
        self.globals.connection.sources.is_multiple()
    }

    /// Refuses a flag that needs one cluster or snapshot.
    ///
    /// # Errors
    /// Returns a usage error if there are several.
    pub(super) fn needs_one_source(&self, flag: &str) -> Result<()> {
        if !self.has_several_sources() {
            return Ok(());
        }
        let message = format!("'{}' does not support {flag} with several core clusters", self.command);
        Err(Error::usage(message).hint("name one with --context or --from"))
    }

    /// Refuses a flag that requires several reads of the source, if that is standard input.
    ///
    /// # Errors
    /// Returns a usage error if it is standard input, and fails if a snapshot does not exist.
    pub(super) fn needs_rereadable_source(&self, flag: &str) -> Result<()> {
        let flags = &self.globals.connection;
        let mut paths = flags.from.iter().chain(&flags.sources.from);
        let mut files = paths.clone().filter(|path| path.as_path() != Path::new("-"));
        if let Some((path, error)) = files.find_map(|path| Some((path, std::fs::metadata(path).err()?))) {
            return Err(Error::failed(format!("cannot read snapshot {}: {error}", path.display())));
        }
        match paths.any(|path| path.as_path() == Path::new("-")) {
            true => Err(Error::usage(format!(
                "{flag} reads a snapshot more than once, but standard input can be read only once"
            ))
            .hint("save it to a file first, and pass --from PATH")),
            false => Ok(()),
        }
    }

    /// Returns a document for the clusters or snapshots on the command line. For several of them, calls `read`
    /// concurrently, each time with a context that has only one.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub(super) fn combine_sources<R: CombineSources + Send>(
        &self,
        read: impl Fn(&Self) -> Result<R> + Sync,
    ) -> Result<R> {
        if !self.has_several_sources() {
            return read(self);
        }
        combine(self.read_each_source(read)?)
    }

    /// Returns the result of `read` for each source, in the order in which they were named.
    ///
    /// # Errors
    /// Fails when a named source does not exist.
    pub(super) fn read_each_source<T: Send>(
        &self,
        read: impl Fn(&Self) -> Result<T> + Sync,
    ) -> Result<Vec<SourceResult<T>>> {
        let parts = self.source_contexts()?;
        if !self.has_several_sources() {
            return Ok(parts
                .iter()
                .map(|(source, _)| SourceResult { source: Arc::clone(source), result: read(self) })
                .collect());
        }
        let waiting: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let lock = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
        lock().extend(parts.iter().map(|(source, _)| source.label().to_owned()));
        let progress = self.ui.progress("reading core clusters").show_pending_server({
            let waiting = Arc::clone(&waiting);
            move || {
                let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
            }
        });
        progress.set_total(parts.len());
        // Files are parsed on this machine, and each needs memory.
        let is_of_files = self.globals.connection.sources.from.len() > 1;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let workers = if is_of_files { cores } else { MOST_CLUSTERS };
        let answers = side_by_side(&parts, workers, |(source, part)| {
            let result = read(part);
            lock().remove(source.label());
            progress.add_step();
            result
        });
        let named = parts.iter().map(|(source, _)| Arc::clone(source)).zip(answers);
        Ok(named.map(|(source, result)| SourceResult { source, result }).collect())
    }

    /// Returns a context for each source, without the other sources.
    ///
    /// # Errors
    /// Fails when a named source does not exist.
    pub(super) fn source_contexts(&self) -> Result<Vec<(Arc<Origin>, Self)>> {
        let flags = &self.globals.connection;
        // Read once for all of them: a kubeconfig may have hundreds of contexts.
        let servers = match self.has_several_sources() && flags.sources.from.is_empty() {
            true => kubeconfig::servers(flags)?,
            false => BTreeMap::new(),
        };
        let mut parts = Vec::new();
        for (from, context) in self.named_sources()? {
            let connection = ConnectionArgs { from, context, sources: Default::default(), ..flags.clone() };
            let origin = match &connection.from {
                Some(path) => Origin::Snapshot { path: path.display().to_string() },
                None => Origin::Cluster {
                    context: connection.context.clone().unwrap_or_default(),
                    server: match connection.context.as_ref().and_then(|context| servers.get(context)) {
                        Some(server) => server.clone(),
                        None => kubeconfig::load(&connection).map(|known| known.server).unwrap_or_default(),
                    },
                },
            };
            let ui = self.ui.for_part(origin.label());
            let globals = super::Globals { connection, ..self.globals.clone() };
            parts.push((Arc::new(origin), Self { globals, ui, ..self.clone() }));
        }
        Ok(parts)
    }

    /// Returns the path or context of each source, without duplicates. Fails for one that does not exist, which is
    /// probably a typo and not a cluster that is down.
    fn named_sources(&self) -> Result<Vec<(Option<std::path::PathBuf>, Option<String>)>> {
        let flags = &self.globals.connection;
        let sources = &flags.sources;
        if !sources.is_multiple() {
            return Ok(vec![(flags.from.clone(), flags.context.clone())]);
        }
        let mut seen = BTreeSet::new();
        if !sources.from.is_empty() {
            let missing = sources.from.iter().find(|path| path.as_path() != Path::new("-") && !path.exists());
            if let Some(path) = missing {
                return Err(Error::failed(format!("snapshot {} does not exist", path.display())));
            }
            let paths = sources.from.iter().filter(|path| seen.insert(path.as_os_str()));
            return Ok(paths.map(|path| (Some(path.clone()), None)).collect());
        }
        let known = kubeconfig::names(flags)?.contexts;
        if sources.all_contexts && known.is_empty() {
            return Err(Error::failed("no cluster is configured: the kubeconfig has no context")
                .hint("set KUBECONFIG, pass --kubeconfig, or read snapshots with --from PATH"));
        }
        let named = if sources.all_contexts { &known } else { &sources.contexts };
        if let Some(unknown) = named.iter().find(|name| !known.contains(name)) {
            let meant = did_you_mean(unknown, known.iter().map(String::as_str));
            return Err(Error::usage(format!("the kubeconfig has no context '{unknown}'{meant}"))
                .hint(format!("it has: {}", known.join(", "))));
        }
        let mut seen = BTreeSet::new();
        Ok(named.iter().filter(|name| seen.insert(*name)).map(|name| (None, Some(name.clone()))).collect())
    }
}
