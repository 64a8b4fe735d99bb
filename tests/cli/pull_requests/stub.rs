//! A forge that keeps pull requests in memory, in the shapes of Gitea's API: for the requests of a command, and not
//! for the behavior of a forge.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};

use super::CANARY;
use super::http::{Request, Server, respond};
use crate::gitops::{Gitops, Run};

/// The state of the forge.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) pulls: Vec<Value>,
    /// Responses to other requests, by the part of their path after the repository.
    pub(crate) others: Vec<(String, Value)>,
    /// The scope of a pull request that another run opens right before the next one.
    pub(crate) rival: Option<Value>,
    /// True if the second page repeats the first one, as if a new pull request moved the others.
    pub(crate) repeats: bool,
    /// The number of lists of open ones that have none, after one was opened.
    pub(crate) unlisted: usize,
    /// The number of requests to open one that come before the server knows the branch.
    pub(crate) unknown_branch: usize,
    /// The method and the end of the path of a request that is rejected, with status and message.
    pub(crate) rejected: Option<(&'static str, &'static str, u16, &'static str)>,
    /// The pause in seconds that is asked for when one pull request is read.
    pub(crate) pause: Option<u64>,
}

/// A repository with a remote by SSH, and the API of its forge.
pub(crate) struct StubForge {
    pub(crate) server: Server,
    pub(crate) known: Arc<Mutex<Known>>,
}

impl StubForge {
    pub(crate) fn start() -> Self {
        let known = Arc::<Mutex<Known>>::default();
        let shared = Arc::clone(&known);
        Self { server: Server::start(move |request| Some(answer(&mut shared.lock().unwrap(), request))), known }
    }

    /// Runs a command; its repository must have a remote by SSH.
    pub(crate) fn run(&self, repository: &Gitops, arguments: &[&str]) -> Run {
        let mut command = super::with_ssh(repository, arguments);
        command.env("GITEA_TOKEN", CANARY).env("GITEA_SERVER_URL", self.server.url());
        Run::of(command.output().unwrap())
    }

    pub(crate) fn open(&self) -> Vec<Value> {
        self.known.lock().unwrap().pulls.iter().filter(|pull| pull["state"] == "open").cloned().collect()
    }

    /// Adds a pull request of another run, with its scope.
    pub(crate) fn add(&self, environment: &str, scope: &Value) {
        create(&mut self.known.lock().unwrap(), &draft(environment, scope));
    }

    /// The requests whose path ends with a text, as method and body.
    pub(crate) fn sent(&self, end: &str) -> Vec<(String, Value)> {
        let seen = self.server.seen();
        let seen = seen.iter().filter(|request| request.path.ends_with(end));
        seen.map(|request| (request.method.clone(), serde_json::from_slice(&request.body).unwrap_or_default()))
            .collect()
    }
}

/// A pull request of a change with a scope.
fn draft(environment: &str, scope: &Value) -> Value {
    let marker = BASE64.encode(scope.to_string());
    let body = format!("[//]: # (kubectl-ucp:begin)\n\n[//]: # (kubectl-ucp:end {marker})");
    json!({"title": "x", "body": body, "head": format!("ucp/pr/{environment}/x"), "base": "main"})
}

fn create(known: &mut Known, draft: &Value) -> Value {
    let number = known.pulls.len() + 1;
    let branch = &draft["head"];
    let pull = json!({
        "number": number, "html_url": format!("http://127.0.0.1/o/r/pulls/{number}"), "state": "open", "merged": false,
        "title": draft["title"], "body": draft["body"], "labels": [], "user": {"login": "bot"}, "created_at": "2026-01-01T00:00:00Z",
        "head": {"label": branch, "ref": branch, "sha": "0123456789abcdef", "repo_id": 1},
        "base": {"ref": draft["base"], "repo_id": 1},
    });
    known.pulls.push(pull.clone());
    pull
}

fn answer(known: &mut Known, request: &Request) -> Vec<u8> {
    let path = request.path.strip_prefix("/api/v1/repos/o/r/").unwrap_or(&request.path);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if let Some((_, _, status, message)) =
        known.rejected.filter(|(method, end, ..)| request.method == *method && path.ends_with(end))
    {
        return respond(status, "", &json!({"message": message}).to_string());
    }
    let number = path.strip_prefix("pulls/").and_then(|number| number.parse::<usize>().ok());
    let value = match (request.method.as_str(), path, number) {
        ("GET", "pulls", _) if known.unlisted > 0 && !known.pulls.is_empty() => {
            known.unlisted -= 1;
            json!([])
        }
        ("GET", "pulls", _) if query.ends_with("&page=1") || known.repeats && query.ends_with("&page=2") => {
            let state = if query.contains("state=open") { "open" } else { "closed" };
            Value::Array(known.pulls.iter().filter(|pull| pull["state"] == state).cloned().collect())
        }
        ("GET", "pulls", _) => json!([]),
        ("POST", "pulls", _) if known.unknown_branch > 0 => {
            known.unknown_branch -= 1;
            return respond(404, "", "{\"message\": \"The target couldn't be found.\"}");
        }
        ("POST", "pulls", _) => {
            if let Some(rival) = known.rival.take() {
                create(known, &draft("eu", &rival));
            }
            create(known, &body)
        }
        ("GET", _, Some(_)) if known.pause.is_some() => {
            let pause = known.pause.map(|pause| format!("retry-after: {pause}\r\n")).unwrap_or_default();
            return respond(429, &pause, "{\"message\": \"slow down\"}");
        }
        ("GET", _, Some(number)) => known.pulls[number - 1].clone(),
        ("PATCH", _, Some(number)) => {
            let pull = &mut known.pulls[number - 1];
            body.as_object().unwrap().iter().for_each(|(field, value)| pull[field] = value.clone());
            pull.clone()
        }
        _ => match known.others.iter().find(|(other, _)| other == path) {
            Some((_, value)) => value.clone(),
            None if request.method == "GET" => return respond(404, "", "{\"message\": \"unknown\"}"),
            None => json!({}),
        },
    };
    respond(200, "", &value.to_string())
}
