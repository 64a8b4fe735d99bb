//! The text of a pull request: the commits between two versions of an image, and the effects on a cluster.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;
use ucp_core::model::hash::sha256_of;

use super::http::{Request, Server, respond};
use super::stub::StubForge;
use super::{CANARY, commit, publish_by_ssh, services, with_ssh};
use crate::gitops::{Gitops, Run};
use crate::support;
use crate::support::objects::application;

const NAMESPACE: &str = "text-argocd";

fn digest(bytes: &str) -> String {
    format!("sha256:{}", sha256_of(bytes.as_bytes()))
}

/// A registry with images whose labels name their commits. It requires a login.
fn registry(commits: &[(&str, &str)]) -> Server {
    let mut blobs: Vec<(String, String)> = Vec::new();
    for (tag, revision) in commits {
        let labels = json!({
            "org.opencontainers.image.source": "https://github.com/acme/echo",
            "org.opencontainers.image.revision": revision,
        });
        let configuration = json!({"config": {"Labels": labels}}).to_string();
        let manifest =
            json!({"schemaVersion": 2, "config": {"digest": digest(&configuration)}, "layers": []}).to_string();
        let index = json!({"schemaVersion": 2, "manifests": [
            {"digest": digest(&manifest), "platform": {"os": "linux", "architecture": "amd64"}},
        ]});
        blobs.push((format!("/v2/echo/blobs/{}", digest(&configuration)), configuration));
        blobs.push((format!("/v2/echo/manifests/{}", digest(&manifest)), manifest));
        blobs.push((format!("/v2/echo/manifests/{tag}"), index.to_string()));
    }
    let login = format!("Basic {}", BASE64.encode(format!("bot:{CANARY}")));
    Server::start(move |request: &Request| {
        if request.header("authorization") != Some(login.as_str()) {
            return Some(respond(401, "www-authenticate: Basic realm=\"r\"\r\n", "{}"));
        }
        Some(match blobs.iter().find(|(path, _)| *path == request.path) {
            Some((_, text)) => respond(200, "", text),
            None => respond(404, "", "{}"),
        })
    })
}

/// A repository whose image is in a registry.
fn repository(registry: &Server) -> Gitops {
    let repository = services(&["echo"]);
    let image = format!("127.0.0.1:{}/echo", registry.port);
    for file in ["base/deployment.yaml", "overlays/stage/kustomization.yaml", "overlays/prod/kustomization.yaml"] {
        let file = format!("echo/{file}");
        repository.write(&file, &repository.read(&file).replace("r/echo", &image));
    }
    commit(&repository, "Registry");
    publish_by_ssh(&repository);
    repository
}

fn promote(forge: &StubForge, repository: &Gitops, more: &[&str]) -> Run {
    as_bot(forge, repository, &[&["promote", "stage", "prod", "echo", "--pr", "--yes"], more].concat())
}

/// Runs a command with a token of the forge, and the logins of docker that the test has written.
fn as_bot(forge: &StubForge, repository: &Gitops, arguments: &[&str]) -> Run {
    let mut command = with_ssh(repository, arguments);
    command.env("GITEA_TOKEN", CANARY).env("GITEA_SERVER_URL", forge.server.url());
    command.env("DOCKER_CONFIG", repository.outside().join("docker"));
    let run = Run::of(command.output().unwrap());
    assert!(!run.stdout.contains(CANARY) && !run.stderr.contains(CANARY), "{run:?}");
    run
}

fn body(forge: &StubForge) -> String {
    forge.open()[0]["body"].as_str().unwrap().to_owned()
}

const COMMITS: [(&str, &str); 2] = [("v1", "aaaaaaaaaaaaaaaaaaaa"), ("v2", "bbbbbbbbbbbbbbbbbbbb")];

#[test]
fn commits_are_linked_if_the_login_of_docker_reads_the_images() {
    let registry = registry(&COMMITS);
    let (repository, forge) = (repository(&registry), StubForge::start());
    // Without a login, the text has the versions only.
    promote(&forge, &repository, &[]).exits(0).prints("Opened pull request #1");
    let plain = body(&forge);
    assert!(plain.contains("| v1 | v2 | upgrade |") && !plain.contains("Commits"), "{plain}");
    let directory = repository.outside().join("docker");
    std::fs::create_dir(&directory).unwrap();
    let login = BASE64.encode(format!("bot:{CANARY}"));
    let host = format!("127.0.0.1:{}", registry.port);
    let configuration = json!({"auths": {host: {"auth": login}}});
    std::fs::write(directory.join("config.json"), configuration.to_string()).unwrap();
    promote(&forge, &repository, &[]).exits(0).prints("Updated pull request #1");
    let page = "https://github.com/acme/echo/compare/aaaaaaaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbbb";
    let text = body(&forge);
    assert!(
        text.contains(&format!("- echo: [`aaaaaaaaaaaa...bbbbbbbbbbbb`]({page}) in github.com/acme/echo")),
        "{text}"
    );
    promote(&forge, &repository, &[]).exits(0).prints("Pull request #1 is open");
    // `pipeline` shows the commit of each version.
    let pipeline = |more: &[&str]| as_bot(&forge, &repository, &[&["pipeline", "echo"], more].concat());
    pipeline(&[]).prints("built from bbbbbbbbbbbb of github.com/acme/echo");
    let document = pipeline(&["-o", "json"]).json();
    let built = |version: &str| {
        let versions = document["versions"].as_array().unwrap();
        versions.iter().find(|one| one["version"] == version).unwrap()["builtFrom"].clone()
    };
    for (version, commit) in COMMITS {
        let page = format!("https://github.com/acme/echo/commit/{commit}");
        assert_eq!(built(version), json!({"repository": "github.com/acme/echo", "commit": commit, "page": page}));
    }
    let offline = pipeline(&["--no-pull-requests"]);
    assert!(!offline.stdout.contains("built from"), "{}", offline.stdout);
    // A closed pull request is recognized by its marker, whatever its other text.
    forge.known.lock().unwrap().pulls[0]["state"] = json!("closed");
    let head =
        repository.git(["ls-remote", repository.outside().join("origin.git").to_str().unwrap(), "refs/heads/ucp/*"]);
    forge.known.lock().unwrap().pulls[0]["head"]["sha"] = json!(head.split_whitespace().next().unwrap());
    std::fs::remove_dir_all(&directory).unwrap();
    promote(&forge, &repository, &[]).exits(1).prints("with this change was closed without a merge");
}

#[test]
fn the_pull_request_lists_the_changes_in_clusters() {
    let Some(cluster) = support::core_cluster() else { return };
    let source = ("https://127.0.0.1/o/r.git", "echo/overlays/prod");
    let destination = json!({"server": "https://kubernetes.default.svc", "namespace": "default"});
    let spec = json!({"project": "default", "destination": destination});
    let application = application(NAMESPACE, "text-echo", source, &spec);
    support::run(async || support::load::load_objects(&cluster.client(), vec![application]).await).unwrap();
    let (repository, forge) = (services(&["echo"]), StubForge::start());
    publish_by_ssh(&repository);
    let there = ["--kubeconfig", cluster.kubeconfig().to_str().unwrap(), "-n", NAMESPACE];
    promote(&forge, &repository, &there).exits(0).prints("Opened pull request #1");
    let text = body(&forge);
    assert!(text.contains("<summary>What changes in the clusters</summary>"), "{text}");
    assert!(text.contains("Deployment") && text.contains("r/echo:v2"), "{text}");
    assert!(text.contains("| echo | r/echo | v1 | v2 | upgrade |"), "{text}");
    // A cluster that does not respond is no reason to open none.
    let nowhere = promote(&forge, &repository, &["--kubeconfig", "/nowhere"]);
    nowhere.exits(0).prints("the pull request does not show what changes in the clusters");
}
