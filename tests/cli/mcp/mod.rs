//! `kubectl ucp mcp`, asked by the client of the official SDK, and where Python has it by that of Python's.

mod poisoned;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, Request, Tool};
use rmcp::service::{PeerRequestOptions, RoleClient, RunningService};
use serde_json::{Map, Value, json};

use crate::gitops::Gitops;
use crate::support;
use crate::support::command::{run, run_with_input, ucp};
use crate::support::hub::{BAD_DAY, NIGHT, QUOTES};

/// More than anything takes here.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, and an initialized client of it.
pub(crate) struct Session {
    client: RunningService<RoleClient, ()>,
    _server: tokio::process::Child,
}

impl Session {
    /// Starts `kubectl ucp mcp`, with more arguments.
    pub(crate) async fn start(arguments: &[&str]) -> Self {
        Self::of(ucp([&["mcp"], arguments].concat())).await
    }

    pub(crate) async fn of(command: Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut server = command.spawn().unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        Self { client: ().serve(pipes).await.unwrap(), _server: server }
    }

    async fn tools(&self) -> Vec<Tool> {
        self.client.list_all_tools().await.unwrap()
    }

    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.client.call_tool(request).await.unwrap()
    }

    /// All pages of an answer.
    pub(crate) async fn pages(&self, tool: &str, arguments: Value) -> Vec<Map<String, Value>> {
        let mut pages: Vec<Map<String, Value>> = Vec::new();
        let mut arguments = arguments;
        loop {
            let answer = self.call(tool, arguments.clone()).await;
            assert_eq!(answer.is_error, Some(false), "{tool} {arguments}: {answer:?}");
            let Some(Value::Object(page)) = answer.structured_content else { panic!("{answer:?}") };
            let cursor = page["page"]["cursor"].clone();
            pages.push(page);
            if cursor.is_null() {
                return pages;
            }
            arguments["cursor"] = cursor;
        }
    }

    /// The document that the pages are of.
    async fn document(&self, tool: &str, arguments: Value) -> Value {
        let mut whole = Map::new();
        for mut page in self.pages(tool, arguments).await {
            page.remove("page");
            for (field, value) in page {
                match (whole.get_mut(&field), value) {
                    (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                    (Some(_), _) => {}
                    (None, value) => drop(whole.insert(field, value)),
                }
            }
        }
        Value::Object(whole)
    }

    /// The error of a call that cannot be answered.
    async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert_eq!(answer.is_error, Some(true), "{answer:?}");
        answer.content[0].as_text().unwrap().text.clone()
    }
}

#[test]
fn each_tool_answers_the_document_of_its_command() {
    let repository = Gitops::paper("v2", "v1");
    let top = repository.top().to_str().unwrap();
    support::run(async || {
        let session = Session::start(&["--from", NIGHT, "-C", top]).await;
        let calls: &[(&str, Value, &[&str])] = &[
            ("status", json!({}), &["status"]),
            ("status", json!({"any": true}), &["status", "--any"]),
            ("resources", json!({}), &["resources"]),
            ("resources", json!({"only": ["Failed", "Stuck"]}), &["resources", "--only", "Failed,Stuck"]),
            ("drift", json!({"orphans": true}), &["drift", "--orphans"]),
            ("history", json!({"since": "9h"}), &["history", "--since", "9h"]),
            ("conflicts", json!({}), &["conflicts"]),
            ("doctor", json!({"severity": "error"}), &["doctor", "--severity", "error"]),
            ("teardown", json!({"all": true}), &["teardown", "--all"]),
            ("clusters", json!({}), &["clusters"]),
            ("explain", json!({"code": "UCP110"}), &["explain", "UCP110"]),
            ("images", json!({"services": ["echo"]}), &["images", "echo", "-C", top]),
        ];
        for (tool, arguments, command) in calls {
            let source: &[&str] = if *tool == "explain" { &[] } else { &["--from", NIGHT] };
            let expected = run(ucp([command, source, &["-o", "json"]].concat())).json();
            // No element is longer than the shorter ones.
            for characters in [5_000, 200_000] {
                let mut arguments = arguments.clone();
                arguments["max_characters"] = characters.into();
                assert_eq!(session.document(tool, arguments).await, expected, "{tool} {characters}");
            }
        }
        let tried: BTreeSet<_> = calls.iter().map(|(tool, ..)| (*tool).to_owned()).collect();
        let mut offered: BTreeSet<_> = session.tools().await.into_iter().map(|tool| tool.name.into_owned()).collect();
        offered.remove("tree");
        assert_eq!(tried, offered);
        let object = run(ucp(["resources", "--from", NIGHT, "-o", "name"])).stdout.lines().next().unwrap().to_owned();
        let expected = run(ucp(["tree", &object, "--from", NIGHT, "-o", "json"])).json();
        assert_eq!(session.document("tree", json!({"object": [object]})).await, expected);
    });
}

#[test]
fn a_teardown_with_unknown_consequences_is_unknown_in_mcp_too() {
    let directory = tempfile::tempdir().unwrap();
    let widget = json!({"metadata": {"namespace": "shop", "uid": "w"}});
    let widget = support::objects::object("acme.example.org/v1", "Widget", "w", widget);
    let path = support::objects::snapshot(&directory, "core.json", &[widget]).unwrap();
    let path = path.to_str().unwrap();
    let ran = run(ucp(["teardown", "widget/w", "-n", "shop", "--from", path, "-o", "json"])).expect(4);
    support::run(async || {
        let session = Session::start(&["--from", path]).await;
        let answer = session.document("teardown", json!({"objects": ["widget/w"], "namespace": "shop"})).await;
        assert_eq!(answer, ran.json());
        assert_eq!(answer["items"][0]["fate"], "unknown", "{answer}");
        assert!(!answer["steps"].to_string().contains("kubectl delete"), "{answer}");
    });
}

#[test]
fn a_long_answer_is_split_into_pages_with_their_extent() {
    support::run(async || {
        let session = Session::start(&["--from", BAD_DAY]).await;
        let pages = session.pages("resources", json!({"max_characters": 1_000})).await;
        assert!(pages.len() > 3, "{}", pages.len());
        let total = &pages[0]["page"]["lists"]["items"]["of"];
        let mut before = 0;
        for page in &pages {
            let extent = &page["page"]["lists"]["items"];
            assert_eq!((&extent["of"], &extent["before"]), (total, &json!(before)));
            before += page["items"].as_array().unwrap().len();
            assert!(Value::Object(page.clone()).to_string().len() < 3_000, "{page:?}");
        }
        assert_eq!(total, before);
        let printed = session.refusal("resources", json!({"cursor": "999.1"})).await;
        assert!(printed.contains("unknown or has expired"), "{printed}");
        let printed = session.refusal("resources", json!({"max_characters": 1})).await;
        assert!(printed.contains("from 1000 to 200000"), "{printed}");
    });
}

#[test]
fn calls_cannot_change_the_source_of_the_server() {
    support::run(async || {
        let session = Session::start(&["--from", QUOTES]).await;
        for argument in ["from", "context", "contexts", "kubeconfig", "server", "output", "repo", "token"] {
            let printed = session.refusal("status", json!({argument: BAD_DAY})).await;
            assert!(printed.contains("has no argument"), "{printed}");
        }
        // A value is a value, whatever it looks like.
        let from = format!("--from={BAD_DAY}");
        for arguments in [json!({"kinds": [from]}), json!({"kinds": ["-n", "x"]}), json!({"owner": from})] {
            let answer = session.call("resources", arguments.clone()).await;
            let text = serde_json::to_string(&answer).unwrap();
            assert!(!text.contains(&format!("\"path\":\"{BAD_DAY}\"")), "{arguments}: {text}");
        }
        for tool in session.tools().await {
            let annotations = tool.annotations.unwrap();
            assert_eq!((annotations.read_only_hint, annotations.destructive_hint), (Some(true), Some(false)));
            assert!(tool.output_schema.is_some() && tool.description.is_some(), "{}", tool.name);
        }
        let unknown = session.client.call_tool(CallToolRequestParams::new("adopt-cluster")).await;
        assert!(unknown.unwrap_err().to_string().contains("unknown tool 'adopt-cluster'"));
    });
}

/// Every conversation of an assistant begins with it.
#[test]
fn the_list_of_tools_is_short() {
    let repository = Gitops::paper("v2", "v1");
    let top = repository.top().to_str().unwrap();
    support::run(async || {
        let session = Session::start(&["--from", NIGHT, "--from", BAD_DAY, "-C", top]).await;
        let list = serde_json::to_string(&session.tools().await).unwrap();
        assert!(list.len() <= 20_000, "{} bytes", list.len());
    });
}

#[test]
fn every_page_has_the_fields_that_are_required() {
    support::run(async || {
        let session = Session::start(&["--from", BAD_DAY]).await;
        for tool in session.tools().await {
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!((hints.read_only_hint, hints.idempotent_hint), (Some(true), Some(true)), "{}", tool.name);
            let schema = serde_json::to_value(tool.output_schema.as_ref().unwrap()).unwrap();
            let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(required.contains(&"kind") && required.contains(&"page"), "{}: {required:?}", tool.name);
            let arguments = match tool.name.as_ref() {
                "teardown" => json!({"all": true, "max_characters": 4_000}),
                _ => json!({"max_characters": 4_000}),
            };
            if ["tree", "history"].contains(&tool.name.as_ref()) {
                continue;
            }
            for page in session.pages(&tool.name, arguments).await {
                let absent: Vec<_> = required.iter().filter(|field| !page.contains_key(**field)).collect();
                assert!(absent.is_empty(), "{}: {absent:?}", tool.name);
            }
        }
    });
}

#[test]
fn a_call_can_select_one_of_the_given_snapshots_and_no_other() {
    support::run(async || {
        let session = Session::start(&["--from", QUOTES, "--from", BAD_DAY]).await;
        let both = session.document("status", json!({})).await;
        assert_eq!(both["sources"].as_array().unwrap().len(), 2);
        let one = session.document("status", json!({"source": BAD_DAY})).await;
        assert_eq!(one["source"]["path"], BAD_DAY);
        let tools = session.tools().await;
        let schema = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap().input_schema.clone();
        assert_eq!(schema("status")["properties"]["source"]["enum"], json!([QUOTES, BAD_DAY]));
        assert!(schema("tree")["required"].as_array().unwrap().contains(&json!("source")));
        let printed = session.refusal("teardown", json!({"all": true})).await;
        assert!(printed.contains("'source' must be one of"), "{printed}");
        let printed = session.refusal("status", json!({"source": NIGHT})).await;
        assert!(printed.contains("unknown source"), "{printed}");
    });
}

#[test]
fn the_context_stays_that_of_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kubeconfig");
    let server = |port: u16| format!("https://127.0.0.1:{port}");
    let text = |current: &str| {
        let cluster = |name: &str, port| json!({"name": name, "cluster": {"server": server(port)}});
        let context = |name: &str| json!({"name": name, "context": {"cluster": name, "user": "nobody"}});
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": current, "clusters": [cluster("a", 1), cluster("b", 2)],
            "contexts": [context("a"), context("b")], "users": [{"name": "nobody", "user": {}}],
        })
        .to_string()
    };
    std::fs::write(&path, text("a")).unwrap();
    support::run(async || {
        let mut command = ucp(["mcp"]);
        command.env("KUBECONFIG", &path);
        let session = Session::of(command).await;
        assert!(session.client.peer_info().unwrap().instructions.clone().unwrap().contains("It reads: a."));
        std::fs::write(&path, text("b")).unwrap();
        let printed = session.refusal("status", json!({})).await;
        assert!(printed.contains("127.0.0.1:1") && !printed.contains("127.0.0.1:2"), "{printed}");
    });
}

#[test]
fn unsupported_sources_are_an_error_at_the_start() {
    for (arguments, printed) in [
        (&["--from", "-"][..], "cannot read a snapshot from standard input"),
        (&["--from", "/nowhere"], "does not exist"),
        (&["--context", "nowhere", "--kubeconfig", "/dev/null"], "nowhere"),
        (&["-o", "json"], "does not support --output"),
        (&["-n", "x"], "does not support --namespace"),
    ] {
        let ran = run(ucp([&["mcp"], arguments].concat()));
        assert!(matches!(ran.code, Some(2 | 3)) && ran.stderr.contains(printed), "{arguments:?}: {}", ran.stderr);
    }
    // A client that disconnects is no failure; one that sends invalid messages gets an error.
    run_with_input(ucp(["mcp", "--from", QUOTES]), "").expect(0);
}

/// A message of a thread; the client continues meanwhile.
async fn next_message(news: Receiver<()>) -> Result<(), RecvTimeoutError> {
    tokio::task::spawn_blocking(move || news.recv_timeout(PATIENCE)).await.unwrap()
}

#[test]
fn a_call_that_is_cancelled_stops_at_once() {
    // It accepts connections, and never answers.
    let silence = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("https://{}", silence.local_addr().unwrap());
    let (begins, has_begun) = channel();
    let (ends, has_ended) = channel();
    std::thread::spawn(move || {
        for mut connection in silence.incoming().map_while(Result::ok) {
            let (begins, ends) = (begins.clone(), ends.clone());
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while matches!(connection.read(&mut bytes), Ok(1..)) {
                    let _ = begins.send(());
                }
                let _ = ends.send(());
            });
        }
    });
    support::run(async move || {
        let session =
            Session::start(&["--server", &server, "--kubeconfig", "/dev/null", "--request-timeout", "0"]).await;
        let request = ClientRequest::CallToolRequest(Request::new(CallToolRequestParams::new("status")));
        let options = PeerRequestOptions::default();
        let call = session.client.send_cancellable_request(request, options).await.unwrap();
        next_message(has_begun).await.expect("the server is asked");
        call.cancel(Some("enough".to_owned())).await.unwrap();
        next_message(has_ended).await.expect("the client no longer waits for its answer");
        // The server continues.
        assert_eq!(session.call("explain", json!({"code": "UCP110"})).await.is_error, Some(false));
    });
}

/// Where each answer is compared with the schema that its tool has.
const BY_PYTHON: &str = r#"
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
import jsonschema

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name: tool.model_dump(by_alias=True) for tool in (await session.list_tools()).tools}
        for name, arguments in json.loads(sys.stdin.readline()):
            while True:
                answer = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
                assert not answer["isError"], answer
                jsonschema.Draft202012Validator(tools[name]["outputSchema"]).validate(answer["structuredContent"])
                jsonschema.Draft202012Validator(tools[name]["inputSchema"]).validate(arguments)
                print(name, "fits")
                cursor = answer["structuredContent"]["page"].get("cursor")
                if cursor is None:
                    break
                arguments = {"cursor": cursor}

asyncio.run(main())
"#;

#[test]
fn answers_fit_their_schemas_for_the_client_of_python() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let imports = ["-c", "import jsonschema, mcp"];
    let has_client =
        Command::new(&python).args(imports).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !has_client {
        support::print_notice(&format!("{python} has no packages mcp and jsonschema: the schemas were not compared"));
        return;
    }
    for snapshot in [QUOTES, NIGHT, BAD_DAY] {
        let calls = json!([
            ["status", {}], ["status", {"any": true}], ["resources", {}], ["resources", {"any": true}], ["drift", {}],
            ["conflicts", {}], ["doctor", {}], ["teardown", {"all": true}], ["clusters", {}], ["explain", {}],
        ]);
        let ours = ucp(["mcp"]);
        let mut command = Command::new(&python);
        command.args(["-c", BY_PYTHON]).arg(ours.get_program()).args(["mcp", "--from", snapshot]);
        let ran = run_with_input(command, format!("{calls}\n")).expect(0);
        assert!(ran.stdout.lines().filter(|line| line.ends_with(" fits")).count() >= 10, "{}", ran.stdout);
    }
}
