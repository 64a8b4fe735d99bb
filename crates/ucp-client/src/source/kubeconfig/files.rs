//! Kubeconfig files as kubectl reads them, merged into one.

use std::io::ErrorKind;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{Context as _, anyhow};
use kube::config::Kubeconfig;

use crate::source::ConnectionArgs;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::weight;

/// A kubeconfig, and the files it was read from.
pub(super) struct KubeconfigFiles {
    pub(super) kubeconfig: Kubeconfig,
    /// The paths, for messages.
    pub(super) read_from: String,
}

/// Files, with modification time and size; `None` for a file that does not exist.
type Stamps = Vec<(PathBuf, Option<(SystemTime, u64)>)>;

/// Reads and merges the files that the flags or the environment name. As hundreds of contexts may be looked up in one
/// kubeconfig, it is parsed once and cached until a file changes.
pub(super) fn files(flags: &ConnectionArgs) -> Result<Arc<KubeconfigFiles>> {
    static KNOWN: Mutex<Option<(Stamps, Arc<KubeconfigFiles>)>> = Mutex::new(None);
    let paths = flags.kubeconfig.as_ref().map_or_else(default_paths, |path| vec![path.clone()]);
    let stamp = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    let stamps: Stamps = paths.iter().map(|path| (path.clone(), stamp(path))).collect();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, files)) = known.as_ref()
        && *of == stamps
    {
        return Ok(Arc::clone(files));
    }
    let (kubeconfig, read_from) = match &flags.kubeconfig {
        Some(path) => (read(path)?.ok_or_else(|| missing_file_error(path))?, path.display().to_string()),
        None => read_list(&paths)?,
    };
    let files = Arc::new(KubeconfigFiles { kubeconfig, read_from });
    *known = Some((stamps, Arc::clone(&files)));
    Ok(files)
}

/// The default paths of kubectl: the `KUBECONFIG` list, or else `~/.kube/config`.
fn default_paths() -> Vec<PathBuf> {
    let listed: Vec<PathBuf> = std::env::var_os("KUBECONFIG")
        .map(|list| std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    if !listed.is_empty() {
        return listed;
    }
    std::env::home_dir().map(|home| home.join(".kube").join("config")).into_iter().collect()
}

fn read_list(paths: &[PathBuf]) -> Result<(Kubeconfig, String)> {
    let mut merged = Kubeconfig::default();
    for path in paths {
        if let Some(next) = read(path)? {
            merged = merged
                .merge(next)
                .with_context(|| format!("kubeconfig {} cannot be merged with the others", path.display()))?;
        }
    }
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    Ok((merged, names.join(", ")))
}

/// Reads one file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Kubeconfig>> {
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).with_context(|| format!("kubeconfig {} is not UTF-8", path.display()))?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(anyhow!(error).context(format!("cannot read kubeconfig {}", path.display())).into()),
    };
    let mut kubeconfig = parse(&text).map_err(|reason| anyhow!("kubeconfig {}: {reason}", path.display()))?;
    if let Some(directory) = path.parent() {
        make_absolute(&mut kubeconfig, directory);
    }
    Ok(Some(kubeconfig))
}

fn missing_file_error(path: &Path) -> Error {
    Error::failed(format!("kubeconfig {} does not exist", path.display()))
}

/// Parses a kubeconfig. Errors never quote the text, which holds credentials.
///
/// # Errors
/// Returns the line and column of an error, without any content.
pub fn parse(text: &str) -> Result<Kubeconfig, Failure> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        alias_limits: weight::alias_limits(text.len()),
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
    };
    let document = first_document(text);
    let place = |error: serde_saphyr::Error| match error.location() {
        Some(location) => format!("not a kubeconfig at line {}, column {}", location.line(), location.column()),
        None => "not a kubeconfig".to_owned(),
    };
    // Parsed to a value first, as deserializing a struct fails on duplicate keys.
    let values = weight::from_yaml_documents(document, options.clone()).map_err(place)?;
    let value = values.into_iter().find(|value| !value.is_null()).unwrap_or_else(|| serde_json::json!({}));
    let mut kubeconfig: Kubeconfig = serde_json::from_value(value).map_err(|_| {
        // A value has no location, so the text is parsed again for it.
        let again = serde_saphyr::from_multiple_with_options::<Option<Kubeconfig>>(document, options);
        again.err().map_or_else(|| "not a kubeconfig".to_owned(), place)
    })?;
    kubeconfig.current_context = kubeconfig.current_context.filter(|name| !name.is_empty());
    Ok(kubeconfig)
}

/// The first document, since kubectl ignores all others.
fn first_document(text: &str) -> &str {
    let mut offset = 0;
    let mut begun = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        if content == "---" || content.starts_with("--- ") {
            if begun {
                return &text[..offset];
            }
        } else if !content.is_empty() && !content.starts_with('#') {
            begun = true;
        }
        offset += line.len();
    }
    text
}

/// Resolves paths relative to the kubeconfig's directory, as in client-go's `ResolveLocalPaths`.
fn make_absolute(kubeconfig: &mut Kubeconfig, directory: &Path) {
    let resolve = |path: &mut Option<String>| {
        if let Some(relative) = path.as_deref().filter(|path| !path.is_empty() && Path::new(path).is_relative()) {
            *path = Some(directory.join(relative).display().to_string());
        }
    };
    for cluster in kubeconfig.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        resolve(&mut cluster.certificate_authority);
    }
    for user in kubeconfig.auth_infos.iter_mut().filter_map(|named| named.auth_info.as_mut()) {
        resolve(&mut user.client_certificate);
        resolve(&mut user.client_key);
        resolve(&mut user.token_file);
        if let Some(exec) = &mut user.exec
            && exec.command.as_deref().is_some_and(|command| command.contains(MAIN_SEPARATOR))
        {
            resolve(&mut exec.command);
        }
    }
}
