//! Hostile input for `FUZZ_SECONDS` seconds, 10 by default: paths of requests, redaction, snapshots and archives,
//! kubeconfigs, edits of YAML, words of commands, expressions in jq and CEL, rules in Lua. A failure prints the input and the seed; `FUZZ_SEED` repeats a run.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers, which is to fail loudly")]

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ucp_client::prediction::jq;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{ConnectionArgs, Query, kubeconfig, snapshot};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::shell;
use ucp_features::adopt::access::AppClusterAccess;
use ucp_repo::slot::{SlotEdit, VersionFile};

/// A target: makes an input, and checks the result. It fails by panicking.
type Target = (&'static str, fn(&mut TestRunner, &Path));

const TARGETS: [Target; 9] = [
    ("paths", paths),
    ("redaction", redaction),
    ("snapshots", snapshots),
    ("kubeconfigs", kubeconfigs),
    ("edits", edits),
    ("commands", commands),
    ("expressions", expressions),
    ("rules", rules),
    ("credentials", credentials),
];

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let budget = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(10));
    let seed = number("FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("FUZZ_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let home = tempfile::tempdir().unwrap();
    let (begun, mut counts) = (Instant::now(), [0_u64; TARGETS.len()]);
    while begun.elapsed() < budget {
        for (count, (name, target)) in counts.iter_mut().zip(TARGETS) {
            let began = Instant::now();
            target(&mut runner, home.path());
            assert!(began.elapsed() < Duration::from_secs(20), "{name} took {:?}", began.elapsed());
            *count += 1;
        }
    }
    for (count, (name, _)) in counts.iter().zip(TARGETS) {
        println!("{name}: {count} inputs");
    }
}

/// Takes one value of a strategy.
fn any_of<S: Strategy>(runner: &mut TestRunner, strategy: S) -> S::Value {
    strategy.new_tree(runner).unwrap().current()
}

/// Runs a check; its input is printed if it panics.
fn check<T: std::fmt::Debug>(input: T, act: impl FnOnce(&T)) {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(&input)));
    if let Err(panic) = outcome {
        println!("input: {input:?}");
        std::panic::resume_unwind(panic);
    }
}

/// Text as strangers write it.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        3 => "[a-zA-Z0-9._-]{0,12}",
        2 => "\\PC{0,8}",
        2 => prop::sample::select(vec![
            "\n", "\r\n", "\0", "\u{1b}[31m", "/", "..", "%2e", "?dryRun=All", "#", "&a=b", "{", "}", "[", "]", ": ", "- ", "'",
            "\"", "`x`", "$(x)", ";", "|", "password=", "token: ", "Bearer ", "https://u:p@h/", "---\n", "eyJhbGciOi", "{name}",
            "\u{feff}", "ü", "<<: *a", "&a ", "!!binary ", "\t", " \\\n", "AKIA", "=", "://",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

fn paths(runner: &mut TestRunner, _: &Path) {
    let parts = any_of(runner, (hostile(), hostile(), hostile()));
    check(parts, |(namespace, name, other)| {
        let mut object = ObjectName::secret(namespace, name);
        object.namespace = Some(namespace.clone()).filter(|namespace| !namespace.is_empty());
        // A path with a name that cannot be a segment is not sent.
        if let Ok(path) = ObjectPath::from_object_name(&object).unwrap().request().uri() {
            let path = path.split('?').next().unwrap_or_default();
            let segments = path.split('/').count();
            assert_eq!(segments, if object.namespace.is_some() { 7 } else { 5 }, "{path}");
            let is_name = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains('#');
            assert!(path.split('/').skip(1).all(is_name), "{path}");
        }
        if let Ok(path) = RequestPath::from_segments(["api", other]).with_query("fieldManager", other).uri() {
            assert!(path.is_ascii() && !path.contains(['#', '&', '\\', '\n']), "{path}");
            assert_eq!((path.matches('/').count(), path.matches('?').count()), (2, 1), "{path}");
        }
    });
}

fn redaction(runner: &mut TestRunner, _: &Path) {
    let text = any_of(runner, prop::collection::vec(hostile(), 0..12).prop_map(|texts| texts.join(" ")));
    check(text, |text| {
        let hidden = scrub(text).into_owned();
        assert!(hidden.len() <= text.len() * 12 + 64, "{} of {}", hidden.len(), text.len());
    });
    let secret = any_of(runner, "[a-zA-Z0-9]{12,24}");
    let around = any_of(runner, ("[a-z ]{0,20}", "[ ,.;]{1,3}[a-z ]{0,20}"));
    check((around, secret), |((before, after), secret)| {
        let text = format!("{before} password={secret}{after}");
        assert!(!scrub(&text).contains(secret.as_str()), "{text}");
    });
}

/// Documents that nearly are manifests.
fn documents() -> impl Strategy<Value = String> {
    let object = (hostile(), hostile(), hostile(), hostile()).prop_map(|(name, namespace, key, value)| {
        serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace},
            "data": {key: value}, "status": {"readyÖ": 1, "conditions": [{"type": "Ready", "message": namespace}]},
        })
        .to_string()
    });
    prop_oneof![object, hostile(), (hostile(), hostile()).prop_map(|(key, value)| format!("{key}: {value}\n"))]
}

fn snapshots(runner: &mut TestRunner, home: &Path) {
    let texts = any_of(runner, prop::collection::vec((documents(), hostile()), 1..4));
    let damage = any_of(runner, prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6));
    let form = any_of(runner, 0_u8..3);
    check((texts, damage, form), |(texts, damage, form)| {
        let path = home.join("snapshot");
        let mut archive = tar::Builder::new(Vec::new());
        for (text, name) in texts {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            // A name that no archive can hold is left out.
            let _ = archive.append_data(&mut header, format!("core/{name}.yaml"), text.as_bytes());
        }
        let plain: Vec<u8> = texts.iter().flat_map(|(text, _)| [text.as_bytes(), b"\n---\n"].concat()).collect();
        let mut bytes = if *form == 0 { plain } else { archive.into_inner().unwrap() };
        for (place, byte) in damage {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
        }
        if *form == 2 {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(&bytes).unwrap();
            bytes = packer.finish().unwrap();
        }
        std::fs::write(&path, bytes).unwrap();
        for shape in [BodyShape::Any, BodyShape::Conditions, BodyShape::Workload] {
            let want = move |_: &ucp_core::model::kind::ResourceKind| Some(KindRequest::whole(shape));
            let query = Query::all(&want);
            let Ok(state) = snapshot::read(&path, &query) else { continue };
            for resource in &state.resources {
                let name = resource.name();
                assert_eq!(shlex::split(&name.to_string()).map(|words| words.len() % 2), Some(1), "{name}");
            }
            let clock = ucp_core::engine::AssessmentClock {
                now: state.moment,
                stuck_after: Duration::from_secs(900),
                comparison_interval: None,
            };
            drop(ucp_core::engine::assess(&state, &clock));
        }
    });
}

fn kubeconfigs(runner: &mut TestRunner, home: &Path) {
    let fields = any_of(runner, prop::collection::vec(hostile(), 6));
    check(fields, |fields| {
        let [token, server, name, password, authority, proxy] = fields.as_slice() else { return };
        let long = "a/".repeat(server.len() * 997 % 70_000);
        // `exec` is left out: it would run.
        let document = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {
                "server": if name.len() % 2 == 0 { format!("https://127.0.0.1:1/{long}") } else { format!("https://{server}") },
                "certificate-authority-data": authority, "proxy-url": proxy, "tls-server-name": name,
            }}],
            "users": [{"name": "u", "user": {"token": token, "username": name, "password": password}}],
        });
        let mut document = document;
        if token.len() % 2 == 0 {
            // With both, the token would not be used.
            document["users"][0]["user"] = serde_json::json!({"token": token, "as": name});
            document["clusters"][0]["cluster"]["certificate-authority-data"] = serde_json::Value::Null;
        }
        let path = home.join("kubeconfig");
        std::fs::write(&path, document.to_string()).unwrap();
        let _ = kubeconfig::parse(&format!("{token}: {server}\n{name}"));
        let flags = ConnectionArgs { kubeconfig: Some(path), ..ConnectionArgs::default() };
        let Ok(connection) = kubeconfig::load(&flags) else { return };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        let connected = Api::connect(&connection, Duration::from_millis(50));
        if let Err(error) = connected {
            assert!(token.len() < 6 || !error.message().contains(token.as_str()), "{}", error.message());
        }
    });
}

fn edits(runner: &mut TestRunner, _: &Path) {
    let lines = any_of(
        runner,
        prop::collection::vec(
            prop_oneof![
                hostile(),
                Just("  image: registry.example.org/shop/web:v1.2.3".to_owned()),
                Just("newTag: v1.2.3 # {\"$imagepolicy\": \"a:b:tag\"}".to_owned()),
                Just("images:\n- name: web\n  newTag: v1.2.3".to_owned()),
                (hostile(), hostile()).prop_map(|(key, value)| format!("{key}: {value}")),
            ],
            0..8,
        ),
    );
    let version = any_of(runner, prop_oneof![Just("v2.0.0".to_owned()), hostile()]);
    let name = any_of(
        runner,
        prop::sample::select(vec!["kustomization.yaml", "values.yaml", "a.toml", "a.json", ".env", "a.tf"]),
    );
    check((lines, version, name), |(lines, version, name)| {
        let text = lines.join("\n");
        let Ok(Some(file)) = VersionFile::read(name, &text) else { return };
        for slot in file.slots() {
            let Ok(written) = file.apply_edits(&[SlotEdit::set_version(&slot, version)]) else {
                continue;
            };
            // An edit changes the place of the version, and adds or removes no line elsewhere.
            assert!(VersionFile::read(name, &written.text).is_ok(), "{text}\n=>\n{}", written.text);
        }
    });
}

fn commands(runner: &mut TestRunner, _: &Path) {
    let text = any_of(runner, hostile());
    check(text, |text| {
        let words = shlex::split(&format!("kubectl get {}", shell::quote_word(text))).unwrap();
        assert_eq!(words.len(), 3, "{words:?}");
        let is_flag = text.starts_with('-') && text != "-";
        assert!(!words[2].starts_with('-') || words[2] == "-", "{words:?}");
        assert!(is_flag || text.chars().any(char::is_control) || words[2] == *text, "{words:?}");
    });
}

/// A program of some language, of pieces that multiply, nest, or do not end.
fn program(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![8 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => hostile()];
    (prop::collection::vec(piece, 1..12), 1_usize..400).prop_map(|(pieces, times)| {
        let (first, rest) = pieces.split_first().unwrap();
        format!("{first}{}", rest.concat().repeat(times.div_ceil(rest.len().max(1))))
    })
}

fn expressions(runner: &mut TestRunner, _: &Path) {
    const PIECES: &[&str] = &[
        ".",
        "..",
        ".spec",
        ".list[]",
        "[]",
        "[.]",
        "[.,.]",
        " | ",
        ", ",
        ". + .",
        " * 1000000000",
        "select(",
        ")",
        "(",
        "map(",
        "test(\"(a*)*\")",
        " as $x | ",
        "$x",
        "?",
        " // ",
        "try ",
        "not",
        "if . then . else . end",
        "\"\\(.)\\(.)\"",
        "tostring",
        "tojson",
        "add",
        "sort",
        "unique",
        "join(\"xxxxxxxxxxxxxxxx\")",
        "to_entries",
        "-",
        "{a: .}",
        "range(1000000000)",
        "recurse([.])",
        "getpath([\"spec\"])",
        "first(",
        " and ",
        " == ",
        "limit(1000000;",
        "repeat(1)",
        "[.list[] | .list?]",
        "contains(.)",
    ];
    let code = any_of(runner, program(PIECES));
    let list: Vec<u32> = (0..300).collect();
    let object = serde_json::json!({"spec": {"a": "b".repeat(1000)}, "list": list});
    check(code, |code| drop(jq::delete_matching(&object, code)));
}

fn rules(runner: &mut TestRunner, home: &Path) {
    const CEL: &[&str] = &[
        "status",
        ".list",
        ".map(a, a + a)",
        ".map(a, [a, a])",
        ".all(a, a > 0)",
        ".exists(a, true)",
        ".filter(a, a != 1)",
        "1",
        " + ",
        "'x'",
        " + 'x'",
        "[",
        "]",
        "(",
        ")",
        "!",
        "-",
        " ? ",
        " : ",
        " && ",
        " || ",
        "true",
        "size(",
        ".matches('(a*)*b')",
        "{1: ",
        "}",
        "has(status.a)",
        ".?a",
        "[?0]",
        ".orValue([])",
        "optional.of(",
        ".optMap(a, a + a)",
        " in ",
        " == ",
        "string(",
        "b'x'",
        ".a",
    ];
    const LUA: &[&str] = &[
        "while true do ",
        " end ",
        "local t = {} ",
        "t[#t + 1] = ('x'):rep(1000000) ",
        "pcall(function() ",
        "end) ",
        "s = (s or 'x') .. (s or 'x') ",
        "return {status = 'Healthy'} ",
        "function f() return f() + 1 end f() ",
        "table.sort(t, function() return true end) ",
        "t = {t} ",
        "('a'):find(('a-'):rep(30)) ",
        "os.date('%999999d') ",
        "string.format('%99d', 1) ",
        "goto a ::a:: ",
        "table.concat(t) ",
        "error(t) ",
        "setmetatable(t, {__index = function(t, k) return t[k + 1] end}) ",
        "unpack(t) ",
        "obj.status.x = obj ",
        "repeat until false ",
    ];
    let sources = any_of(runner, (program(CEL), program(CEL), program(LUA)));
    check(sources, |(current, failed, script)| {
        let list: Vec<u32> = (0..300).collect();
        let widget = |name: &str, kind: &str| {
            serde_json::json!({
                "apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"},
                "status": {"list": list, "text": "t".repeat(1000)},
            })
        };
        let kustomization = serde_json::json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "k", "namespace": "shop"},
            "spec": {"healthCheckExprs": [{"apiVersion": "example.org/v1", "kind": "Gadget", "current": current, "failed": failed}]},
            "status": {"inventory": {"entries": [{"id": "shop_one_example.org_Gadget", "v": "v1"}]}},
        });
        let settings = serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm", "namespace": "argocd"},
            "data": {"resource.customizations.health.example.org_Widget": script, "resource.customizations.useOpenLibs.example.org_Widget": "true"},
        });
        let objects = [kustomization, settings, widget("one", "Gadget"), widget("two", "Widget")];
        let path = home.join("rules.yaml");
        std::fs::write(&path, objects.map(|object| object.to_string()).join("\n---\n")).unwrap();
        let want = |_: &ucp_core::model::kind::ResourceKind| Some(KindRequest::ruled(BodyShape::Any));
        let query = Query::all(&want);
        // YAML reads some characters differently.
        let Ok(state) = snapshot::read(&path, &query) else { return };
        let clock = ucp_core::engine::AssessmentClock {
            now: state.moment,
            stuck_after: Duration::from_secs(900),
            comparison_interval: None,
        };
        drop(ucp_core::engine::assess(&state, &clock));
    });
}

fn credentials(runner: &mut TestRunner, _: &Path) {
    let parts = any_of(runner, (hostile(), hostile(), documents(), "[a-zA-Z0-9]{12,24}"));
    check(parts, |(server, name, document, secret)| {
        drop(AppClusterAccess::from_kubeconfig(document, Some(name)));
        let kubeconfig = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": name,
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority-data": document}}],
            "users": [{"name": name, "user": {"token": format!("{secret}{server}"), "client-key-data": secret}}],
        });
        if let Err(reason) = AppClusterAccess::from_kubeconfig(&kubeconfig.to_string(), None) {
            assert!(!reason.as_str().contains(secret.as_str()), "{reason}");
        }
    });
}
