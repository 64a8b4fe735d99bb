//! `kubectl ucp snapshot serve`

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use http::StatusCode;
use http::header::{ACCEPT, HeaderValue, WARNING};
use serde_json::json;

use crate::cli::Context;
use crate::cli::spec::CommandSpec;
use crate::render::words::count;
use crate::serve::{ApiAnswer, ApiBody, ApiRequest, ServedCluster};
use crate::web::{LoopbackServer, Ticket, WebRequest, WebResponse, json_response, stream_response, text_response};
use ucp_client::source::{self, ConnectionArgs, Query, snapshot};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::ClusterState;
use ucp_core::model::text::one_line;
use ucp_core::regular_file::create_private;
use ucp_core::scratch::{InterruptIsForAnother, Scratch};

/// Serve a snapshot to kubectl, k9s and other clients, read-only
///
/// An API server on loopback, with a kubeconfig that leads to it. COMMAND runs with that kubeconfig, and the server
/// ends with it; without COMMAND, it runs until Ctrl-C. Accepts all formats that --from accepts. App clusters in the snapshot are
/// contexts of their own.
///
/// Answers what kubectl's 'get', 'describe', 'explain', 'wait' and 'auth can-i' request. Hidden values stay hidden, ages are those of the
/// snapshot's time, and what the snapshot does not have is Forbidden, not empty.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp snapshot serve core.tar.gz -- kubectl get managed
  kubectl ucp snapshot serve core.tar.gz -- k9s
  kubectl ucp snapshot serve must-gather.tar.gz -- bash
  kubectl ucp snapshot serve core.tar.gz            # prints: export KUBECONFIG=…

Exit codes: that of COMMAND; 2 usage; 3 failed.")]
pub(super) struct Args {
    /// The snapshot
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    file: PathBuf,
    /// Port on 127.0.0.1; 0 selects a free one
    #[arg(long, default_value_t = 0, hide_short_help = true)]
    port: u16,
    /// The program to run, with its arguments
    #[arg(last = true, value_name = "COMMAND", value_hint = clap::ValueHint::CommandWithArguments)]
    command: Vec<OsString>,
}

pub(super) static SPEC: CommandSpec = CommandSpec::new("snapshot serve", &[]);

/// The name of the context of the snapshot's own cluster.
const CONTEXT: &str = "snapshot";
/// The name of the kubeconfig in its private directory.
const KUBECONFIG: &str = "kubeconfig";

/// The clusters of a snapshot, with the names of their contexts.
type NamedClusters = Vec<(String, ServedCluster)>;

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let clusters = Arc::new(read_clusters(context, args)?);
    let ticket = Ticket::draw()?;
    let (served, expected) = (Arc::clone(&clusters), ticket.clone());
    let server = LoopbackServer::open_for_questions(args.port, move |request, posted| {
        answer(&served, &expected, request, posted)
    })?;
    let scratch = Scratch::new()?;
    let path = scratch.path().join(KUBECONFIG);
    write_kubeconfig(&path, &clusters, &format!("{}/{}", server.url(), ticket.expose()))?;
    match args.command.split_first() {
        Some((program, arguments)) => Ok(outcome_of_program(run_command(program, arguments, &path)?)),
        None => {
            for (name, cluster) in clusters.iter() {
                context
                    .ui
                    .message(&format!("serving {} as context '{name}'", count(cluster.object_count(), "objects")));
            }
            context.ui.message("Ctrl-C ends the server; in another terminal:");
            context.ui.data(&format!("export KUBECONFIG={}\n", quote_word(&path.display().to_string())))?;
            loop {
                std::thread::park();
            }
        }
    }
}

/// Reads every object of the snapshot and of the app clusters in it.
fn read_clusters(context: &Context, args: &Args) -> Result<NamedClusters> {
    let want = |_: &ResourceKind| Some(KindRequest::whole(BodyShape::Metadata));
    let progress = context.reading_progress();
    let show = |done, total| progress.show(done, total);
    let query = Query { progress: &show, ..Query::all(&want) };
    let flags = ConnectionArgs { from: Some(args.file.clone()), ..context.globals.connection.clone() };
    let core = source::read(&flags, &query)?;
    core.notes.iter().for_each(|note| context.ui.warn(note));
    let mut clusters = vec![(CONTEXT.to_owned(), ServedCluster::from_state(core)?)];
    if args.file != Path::new("-") {
        for (name, state) in snapshot::read_app_clusters(&args.file, &query)?.into_named() {
            if let Some(state) = Arc::<ClusterState>::into_inner(state) {
                clusters.push((name, ServedCluster::from_state(state)?));
            }
        }
    }
    Ok(clusters)
}

/// Answers a request, whose path begins with the ticket and the position of a cluster.
fn answer(clusters: &NamedClusters, ticket: &Ticket, request: &WebRequest, posted: Option<&Bytes>) -> WebResponse {
    let mut segments = request.uri.path().trim_start_matches('/').splitn(3, '/');
    let (given, position) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
    let cluster = position.parse().ok().and_then(|position: usize| clusters.get(position));
    let Some((_, cluster)) = cluster.filter(|_| ticket.is(given)) else {
        return text_response(StatusCode::UNAUTHORIZED, "the address is in the kubeconfig of 'snapshot serve'\n");
    };
    let accept = request.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    respond(cluster.answer(&ApiRequest {
        path: segments.next().unwrap_or_default(),
        query: request.uri.query().unwrap_or_default(),
        accept,
        posted: posted.map(AsRef::as_ref),
    }))
}

fn respond(answer: ApiAnswer) -> WebResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = match answer.body {
        ApiBody::Text(text) => text_response(status, text),
        ApiBody::Document(document) => json_response(status, document.to_string()),
        ApiBody::Watch(events, lasts) => {
            let lines = futures::stream::iter(events.into_iter().map(|event| Bytes::from(format!("{event}\n"))));
            let end = futures::stream::once(async move {
                tokio::time::sleep(lasts).await;
                Bytes::new()
            });
            stream_response(status, "application/json", lines.chain(end))
        }
    };
    for warning in answer.warnings {
        let quoted = one_line(&warning).replace(['\\', '"'], "'");
        // Names of files have any letters.
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"not in the snapshot: {quoted}\"").as_bytes()) {
            response.headers_mut().append(WARNING, value);
        }
    }
    response
}

fn write_kubeconfig(path: &Path, clusters: &NamedClusters, url: &str) -> Result<()> {
    let named = |position: usize| clusters.get(position).map_or(CONTEXT, |(name, _)| name.as_str());
    let entries = || clusters.iter().enumerate();
    let contexts = entries().map(|(position, (name, cluster))| {
        let namespace = cluster.namespace().unwrap_or("default");
        json!({"name": name, "context": {"cluster": named(position), "user": CONTEXT, "namespace": namespace}})
    });
    let document = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": CONTEXT,
        "clusters": entries()
            .map(|(position, (name, _))| json!({"name": name, "cluster": {"server": format!("{url}/{position}")}}))
            .collect::<Vec<_>>(),
        "users": [{"name": CONTEXT, "user": {}}],
        "contexts": contexts.collect::<Vec<_>>(),
    });
    create_private(path)?.write_all(document.to_string().as_bytes())?;
    Ok(())
}

/// Runs a program with the kubeconfig, and waits for its end.
fn run_command(program: &OsString, arguments: &[OsString], kubeconfig: &Path) -> Result<ExitStatus> {
    let _for_the_program = InterruptIsForAnother::new();
    let ran = Command::new(program).args(arguments).env("KUBECONFIG", kubeconfig).status();
    ran.map_err(|error| Error::failed(format!("cannot run {}: {error}", program.display())))
}

/// Returns the exit code of a program, as a shell does if a signal ended it.
fn outcome_of_program(status: ExitStatus) -> Outcome {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    Outcome::Program(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
