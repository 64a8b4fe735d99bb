//! A whole small company: a core cluster that runs quotes, and its two app clusters.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use super::cluster::write_kubeconfig;
use super::{Cluster, Controller, Options, kubeconfig, load};

const QUOTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/quotes");
/// Flux, and one thing of each engine that is broken.
const TROUBLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sandbox");
/// The contents of the repository that the Applications deploy from.
const APPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/apps");
/// The URL of the repository in the fixtures.
const APPS_URL: &str = "https://github.com/example/quotes-apps.git";

/// Three running clusters.
#[derive(Debug)]
pub struct Sandbox {
    /// The contexts `core` (the current one), `prod` and `stage`.
    kubeconfig: PathBuf,
    /// A checkout of the repository that the Applications deploy from.
    checkout: PathBuf,
    // In the order in which they end.
    _apps: [Cluster; 2],
    core: Cluster,
}

impl Sandbox {
    /// Starts and loads them; `None` as in [`super::start`].
    pub fn start() -> Option<Self> {
        let [core, prod, stage] = std::thread::scope(|scope| {
            ["core", "prod", "stage"]
                .map(|name| scope.spawn(|| super::start(Options::named(name).with_controllers(&Controller::ALL))))
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        Some(Self::load(core?, [prod?, stage?]).expect("the sandbox is loaded"))
    }

    fn load(core: Cluster, apps: [Cluster; 2]) -> Result<Self> {
        let mut objects = load::read(Path::new(QUOTES))?;
        objects.extend(load::read(Path::new(TROUBLE))?);
        let (url, checkout) = repository(core.directory())?;
        let is_there = |object: &&mut Value| {
            let path = object.pointer("/spec/source/path").and_then(Value::as_str);
            path.is_none_or(|path| checkout.join(path).exists())
        };
        objects.iter_mut().filter(is_there).for_each(|object| replace(object, APPS_URL, &url));
        // Argo CD would seem to have forgotten its Applications.
        load::move_to_now(&mut objects);
        let mut kubeconfigs = vec![core.admin_kubeconfig()?];
        for app in &apps {
            let kubeconfig = app.admin_kubeconfig()?;
            objects.push(cluster_connection(app, &kubeconfig)?);
            kubeconfigs.push(kubeconfig);
        }
        objects.push(database_connection());
        super::run(async || load::load_objects(&core.client(), objects).await)?;
        let kubeconfig = core.directory().join("kubeconfig");
        write_kubeconfig(&kubeconfig, &kubeconfig::merged(&kubeconfigs))?;
        Ok(Self { kubeconfig, checkout, _apps: apps, core })
    }

    /// One kubeconfig for all three.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A checkout of the repository that the Applications deploy from; its remote can be pushed to.
    pub fn checkout(&self) -> &Path {
        &self.checkout
    }

    /// The core cluster.
    pub fn core(&self) -> &Cluster {
        &self.core
    }
}

/// A bare repository below a directory, its URL, and a checkout of it.
fn repository(directory: &Path) -> Result<(String, PathBuf)> {
    let (bare, checkout) = (directory.join("quotes-apps.git"), directory.join("quotes-apps"));
    let git = |arguments: &[&str]| -> Result<()> {
        let identity =
            ["-c", "user.name=sandbox", "-c", "user.email=sandbox@example.org", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").args(identity).args(arguments).status().context("git is needed")?;
        anyhow::ensure!(status.success(), "git {} failed", arguments.join(" "));
        Ok(())
    };
    let (bare, top) = (bare.to_string_lossy(), checkout.to_string_lossy());
    git(&["init", "--quiet", "--bare", "--initial-branch=main", &bare])?;
    copy(Path::new(APPS), &checkout)?;
    git(&["-C", &top, "init", "--quiet", "--initial-branch=main"])?;
    git(&["-C", &top, "add", "--all"])?;
    git(&["-C", &top, "commit", "--quiet", "--message", "Begin"])?;
    let url = format!("file://{bare}");
    git(&["-C", &top, "remote", "add", "origin", &url])?;
    git(&["-C", &top, "push", "--quiet", "--set-upstream", "origin", "main"])?;
    Ok((url, checkout))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Puts one text in the place of another, wherever it is a whole value.
fn replace(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, from, to)),
        _ => {}
    }
}

/// The Secret that provider-gcp writes for a cluster of quotes.
fn cluster_connection(app: &Cluster, kubeconfig: &Value) -> Result<Value> {
    let name = format!("gcp-k8s-{}", app.name());
    let kubeconfig = serde_saphyr::to_string(kubeconfig).context("a kubeconfig is not written")?;
    let server = app.server();
    let data = [("kubeconfig", kubeconfig.as_str()), ("endpoint", server.as_str()), ("clusterCA", app.ca_pem())];
    let owner = json!({
        "apiVersion": "container.gcp.crossplane.io/v1beta2", "kind": "Cluster", "name": name,
    });
    Ok(connection_secret("default", &name, owner, &data))
}

/// The Secret that provider-aws writes for the database of quotes.
fn database_connection() -> Value {
    let owner = json!({
        "apiVersion": "database.aws.crossplane.io/v1beta1", "kind": "RDSInstance",
        "name": "aws-database-postgres-instance",
    });
    let data = [
        ("endpoint", "aws-database-postgres-instance.c0qk2example.eu-central-1.rds.amazonaws.com"),
        ("port", "5432"),
        ("username", "masteruser"),
        ("password", "not-a-secret-of-anybody"),
    ];
    connection_secret("crossplane-system", "aws-database-conn", owner, &data)
}

fn connection_secret(namespace: &str, name: &str, mut owner: Value, data: &[(&str, &str)]) -> Value {
    owner["controller"] = json!(true);
    let data: Value =
        data.iter().map(|(key, value)| ((*key).to_owned(), json!(ByteString(value.as_bytes().to_vec())))).collect();
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"namespace": namespace, "name": name, "ownerReferences": [owner]},
        "data": data,
    })
}
