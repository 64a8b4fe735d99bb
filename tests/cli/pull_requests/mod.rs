//! `--pr`: the one pull request of a change, on a real Gitea and on servers that misbehave.

mod gates;
mod gitea;
mod http;
mod killed;
mod merges;
mod people;
mod proposed_branch;
pub(crate) mod stub;
mod text;
mod unique;
mod waiting;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::gitops::{Gitops, Run, deployment};
use gitea::{Gitea, USER, gitea};
use http::{Request, Server, respond};
use proposed_branch::ProposedBranch;

const CANARY: &str = "canary-0123456789abcdef";

/// A repository with these services, at v2 in stage and v1 in prod.
fn services(names: &[&str]) -> Gitops {
    let repository = Gitops::with(&[]);
    for name in names {
        repository.write(&format!("{name}/base/kustomization.yaml"), "resources: [deployment.yaml]\n");
        repository.write(&format!("{name}/base/deployment.yaml"), &deployment(name, &format!("r/{name}")));
        for (environment, version) in [("stage", "v2"), ("prod", "v1")] {
            let overlay = format!("resources: [../../base]\nimages:\n- name: r/{name}\n  newTag: {version}\n");
            repository.write(&format!("{name}/overlays/{environment}/kustomization.yaml"), &overlay);
        }
    }
    commit(&repository, "Services");
    repository
}

fn commit(repository: &Gitops, message: &str) {
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", message]);
}

/// A repository on the Gitea of the tests.
struct OnGitea {
    server: &'static Gitea,
    name: String,
    checkout: Gitops,
    /// The port of the server, or of a proxy before it.
    port: u16,
}

impl OnGitea {
    fn new(server: &'static Gitea, name: &str, checkout: Gitops) -> Self {
        server.repository(name);
        let this = Self { server, name: name.to_owned(), checkout, port: server.port };
        this.checkout.git(["remote", "add", "origin", &this.remote(server.port)]);
        this.checkout.git(["push", "--quiet", "--set-upstream", "origin", "main"]);
        this
    }

    fn remote(&self, port: u16) -> String {
        format!("http://{USER}:{}@127.0.0.1:{port}/{USER}/{}.git", self.server.token, self.name)
    }

    /// Uses a proxy from now on.
    fn through(mut self, port: u16) -> Self {
        self.checkout.git(["remote", "set-url", "origin", &self.remote(port)]);
        self.port = port;
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.checkout.ucp_command(arguments);
        command.env("GITEA_SERVER_URL", format!("http://127.0.0.1:{}", self.port));
        command.env("GITEA_TOKEN", &self.server.token);
        command
    }

    fn ucp(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    fn promote(&self, services: &[&str]) -> Run {
        self.ucp(&[&["promote", "stage", "prod"], services, &["--pr", "--yes"]].concat())
    }

    fn open(&self) -> Vec<Value> {
        self.server.pulls(&self.name, "open")
    }

    fn edit(&self, number: &Value, body: &Value) {
        self.server.api("PATCH", &format!("/repos/{USER}/{}/pulls/{number}", self.name), body);
    }

    /// The commit of a branch on the server.
    fn tip(&self, branch: &str) -> String {
        let listed = self.checkout.git(["ls-remote", "origin", &format!("refs/heads/{branch}")]);
        listed.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// Writes a version to stage, on the server.
    fn stage(&self, service: &str, version: &str) {
        let path = format!("{service}/overlays/stage/kustomization.yaml");
        let text = self.checkout.read(&path);
        let old = text.lines().find(|line| line.contains("newTag")).unwrap().to_owned();
        self.checkout.write(&path, &text.replace(&old, &format!("  newTag: {version}")));
        commit(&self.checkout, "Bump");
        self.checkout.git(["push", "--quiet"]);
    }
}

#[test]
fn a_change_has_a_single_pull_request() {
    let Some(server) = gitea() else { return };
    let repository = services(&["echo", "web"]);
    repository.write(".ucp.yaml", "pr: {labels: [bump, absent]}\n");
    commit(&repository, "Settings");
    let on = OnGitea::new(server, "one", repository);
    server.api("POST", &format!("/repos/{USER}/one/labels"), &json!({"name": "bump", "color": "#00aabb"}));
    // A label that does not exist is no reason to open none, and no success.
    on.promote(&["echo"]).exits(4).prints("Opened pull request #1: http").prints("there is no such label");
    on.checkout.write(".ucp.yaml", "pr: {labels: [bump]}\n");
    commit(&on.checkout, "Settings");
    on.checkout.git(["push", "--quiet"]);
    on.promote(&["echo"]).exits(0).prints("Nothing to push").prints("Pull request #1 is open");
    let open = on.open();
    let pipeline = on.ucp(&["pipeline", "echo", "-o", "json"]).exits(0).json();
    let place = &pipeline["versions"][0]["places"][1];
    assert_eq!((&place["environment"], &place["state"]), (&json!("prod"), &json!("proposed")), "{pipeline}");
    assert_eq!(place["pullRequest"]["number"], 1, "{pipeline}");
    assert_eq!(open[0]["labels"][0]["name"], "bump");
    assert_eq!(open[0]["title"], "Promote echo to prod: v2");
    assert!(open[0]["body"].as_str().unwrap().contains("| echo | r/echo | v1 | v2 | upgrade |"), "{}", open[0]["body"]);
    // A newer version updates it, and text of a person is kept.
    on.edit(&json!(1), &json!({"body": format!("Please look.\n\n{}", open[0]["body"].as_str().unwrap())}));
    on.stage("echo", "v3");
    let updated = on.ucp(&["promote", "stage", "prod", "echo", "--pr", "--yes", "-o", "json"]).exits(0).json();
    assert_eq!((&updated["proposal"]["number"], &updated["proposal"]["state"]), (&json!(1), &json!("updated")));
    let open = on.open();
    assert!(open.len() == 1 && open[0]["body"].as_str().unwrap().starts_with("Please look."), "{open:#?}");
    assert_eq!(open[0]["title"], "Promote echo to prod: v3");
    // A larger change replaces it, and a smaller one is refused.
    on.promote(&["--all"]).exits(0).prints("Opened pull request #2").prints("Closed pull request #1");
    assert_eq!(on.open().iter().map(|pull| pull["number"].as_u64()).collect::<Vec<_>>(), [Some(2)]);
    let branches = on.checkout.git(["ls-remote", "--heads", "origin", "refs/heads/ucp/pr/prod/echo*"]);
    assert_eq!(branches, "");
    on.promote(&["echo"]).exits(1).prints("pull request #2 is open and changes all services in prod");
    // An older version does not replace the one that waits.
    let older = ["set-version", "prod", "echo=v2", "web=v2", "--pr", "--yes"];
    on.ucp(&older).exits(1);
    assert_eq!(on.open().len(), 1);
}

#[test]
fn a_closed_pull_request_is_not_reopened() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "closed", services(&["echo"]));
    on.promote(&["echo"]).exits(0);
    on.edit(&json!(1), &json!({"state": "closed"}));
    on.promote(&["echo"]).exits(1).prints("pull request #1 with this change was closed without a merge");
    assert!(on.open().is_empty());
    // Another change is proposed.
    on.stage("echo", "v3");
    on.promote(&["echo"]).exits(0).prints("Opened pull request #2");
}

#[test]
fn an_older_version_does_not_replace_the_pending_version() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "older", services(&["echo"]));
    let bump = |version: &str| on.ucp(&["set-version", "stage", &format!("echo={version}"), "--pr", "--yes"]);
    bump("v4").exits(0).prints("Opened pull request #1");
    bump("v3").exits(1).prints("must not replace");
    assert_eq!(on.open()[0]["title"], "Set echo in stage to v4");
    bump("v5").exits(0).prints("Updated pull request #1");
}

#[test]
fn a_pull_request_is_replaced_only_if_nothing_is_lost() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "replaced", services(&["echo", "web"]));
    on.ucp(&["set-version", "prod", "echo=v4", "--pr", "--yes"]).exits(0).prints("Opened pull request #1");
    let branch = on.open()[0]["head"]["ref"].as_str().unwrap().to_owned();
    let all = || on.promote(&["--all"]);
    // The request for all services would bring the older version of stage.
    all().exits(1).prints("must not replace");
    on.stage("echo", "v5");
    on.checkout.git(["fetch", "--quiet", "origin", &branch]);
    on.checkout.git(["switch", "--quiet", "--detach", "FETCH_HEAD"]);
    on.checkout.write("note.txt", "by hand");
    commit(&on.checkout, "By hand");
    on.checkout.git(["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]);
    on.checkout.git(["switch", "--quiet", "main"]);
    all().exits(1).prints("not overwritten");
    assert_eq!(on.open().len(), 1, "nothing is closed, and nothing opened");
    assert_eq!(on.checkout.git(["ls-remote", "origin", "refs/heads/ucp/pr/*"]).lines().count(), 1);
    // Without the commit of the person, it is replaced.
    on.checkout.git(["push", "--quiet", "--force", "origin", &format!("FETCH_HEAD:refs/heads/{branch}")]);
    all().exits(0).prints("Closed pull request #1, which it replaces.");
}

#[test]
fn commits_of_people_are_not_overwritten() {
    let proposed = ProposedBranch::cloned();
    // A new subject above the rest of the message.
    let message = proposed.person(&["log", "-1", "--format=%B"]);
    let subject = format!("Mine\n{}", message.split_once('\n').unwrap().1);
    for change in [
        &["commit", "--quiet", "--allow-empty", "-m", "By hand"][..],
        // The message is kept, with everything that the tool wrote into it.
        &["add", "extra.yaml"],
        // The tree is the same.
        &["commit", "--quiet", "--amend", "-m", subject.as_str(), "--author", "Person <p@b>"],
        &["commit", "--quiet", "--amend", "--no-edit", "--author", "Person <p@b>"],
        &["commit", "--quiet", "--amend", "--no-edit", "--date", "@4000000000 +0000"],
        &["rebase", "--quiet", "--no-ff", "origin/main"],
    ] {
        proposed.person(&["fetch", "--quiet", "origin"]);
        proposed.person(&["reset", "--quiet", "--hard", &proposed.own]);
        std::fs::write(proposed.clone.join("extra.yaml"), "{}").unwrap();
        proposed.person(change);
        if change[0] == "add" {
            proposed.person(&["commit", "--quiet", "--amend", "--no-edit"]);
        }
        proposed.person(&["push", "--quiet", "--force"]);
        let theirs = proposed.tip();
        assert_ne!(theirs, proposed.own, "{change:?}");
        proposed.promote().exits(1).prints("not overwritten");
        assert_eq!(proposed.tip(), theirs, "{change:?}");
    }
    // A commit that a forge only signs again is still of this tool.
    let raw = proposed.in_remote(&["cat-file", "commit", &proposed.own]);
    let signed =
        raw.replacen("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1);
    let file = proposed.repository.outside().join("signed");
    std::fs::write(&file, format!("{signed}\n")).unwrap();
    let signed = proposed.in_remote(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    proposed.in_remote(&["update-ref", &format!("refs/heads/{}", proposed.name), &signed]);
    proposed.promote().exits(4).prints("Pushed");
    assert!(proposed.tip() != signed && proposed.in_remote(&["show", &proposed.tip()]).contains("v3"));
}

#[test]
fn pull_requests_of_forks_are_not_ours() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "forked", services(&["echo"]));
    let stranger = server.account("stranger", "forked");
    server.api_as(&stranger, "POST", &format!("/repos/{USER}/forked/forks"), &json!({}));
    on.promote(&["echo"]).exits(0);
    let own = on.open().remove(0);
    // The same branch and text from a fork, and ours is closed.
    let branch = own["head"]["ref"].as_str().unwrap();
    let fork = format!("http://stranger:{stranger}@127.0.0.1:{}/stranger/forked.git", server.port);
    on.checkout.git(["fetch", "--quiet", "origin"]);
    on.checkout.git(["push", "--quiet", &fork, &format!("refs/remotes/origin/{branch}:refs/heads/{branch}")]);
    let body = json!({"title": "x", "body": own["body"], "head": format!("stranger:{branch}"), "base": "main"});
    let theirs = server.api_as(&stranger, "POST", &format!("/repos/{USER}/forked/pulls"), &body);
    on.stage("echo", "v3");
    on.promote(&["echo"]).exits(0).prints("Updated pull request #1");
    let open = on.open();
    let title = |number: &Value| open.iter().find(|pull| pull["number"] == *number).unwrap()["title"].clone();
    assert_eq!((title(&own["number"]), title(&theirs["number"])), (json!("Promote echo to prod: v3"), json!("x")));
}

/// How many runs a test starts at once: as many as `UCP_RACES`, or else as many as it says itself.
pub(crate) fn runs_at_once(by_default: usize) -> usize {
    std::env::var("UCP_RACES").ok().and_then(|races| races.parse().ok()).unwrap_or(by_default)
}

/// Bumps and promotions of different services, and one change many times. `UCP_RACES=50` starts so many at once.
#[test]
fn many_concurrent_runs_open_a_single_pull_request() {
    let Some(server) = gitea() else { return };
    let races = runs_at_once(10);
    let names: Vec<String> = (0..races).map(|index| format!("s{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let on = OnGitea::new(server, "many", services(&names));
    let at_once = |commands: Vec<Vec<&str>>| {
        let start = |arguments: &Vec<&str>| -> Child {
            on.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<Child> = commands.iter().map(start).collect();
        for (child, arguments) in children.into_iter().zip(&commands) {
            let run = Run::of(child.wait_with_output().unwrap());
            // A busy server may not respond in time, which the exit code reports.
            if run.code == Some(4) {
                on.ucp(arguments).exits(0);
            } else {
                run.exits(0);
            }
        }
    };
    // One service each: half of them bumped, and half promoted.
    let versions: Vec<String> = names.iter().map(|name| format!("{name}=v5")).collect();
    let change = |(index, version)| match index % 2 {
        0 => vec!["set-version", "prod", version, "--pr", "--yes"],
        _ => vec!["promote", "stage", "prod", names[index], "--pr", "--yes"],
    };
    at_once(versions.iter().map(String::as_str).enumerate().map(change).collect());
    assert_eq!(on.open().len(), races);
    // The same change, many times.
    at_once(vec![vec!["set-version", "stage", "s0=v5", "--pr", "--yes"]; races]);
    let open = on.open();
    let mut titles: Vec<&str> = open.iter().map(|pull| pull["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    let title = |(index, name): (usize, &&str)| match index % 2 {
        0 => format!("Set {name} in prod to v5"),
        _ => format!("Promote {name} to prod: v2"),
    };
    let mut expected: Vec<String> = names.iter().enumerate().map(title).collect();
    expected.push("Set s0 in stage to v5".to_owned());
    expected.sort_unstable();
    assert_eq!(titles, expected);
    crate::support::print_notice(&format!(
        "{races} changes at once and one change {races} times: {} pull requests",
        titles.len()
    ));
}

/// A remote on `127.0.0.1` by SSH, which leads to a bare repository of the test; and commands that use it.
fn by_ssh(repository: &Gitops) -> impl Fn(&[&str]) -> Command + '_ {
    publish_by_ssh(repository);
    move |arguments| with_ssh(repository, arguments)
}

/// Publishes a repository at a remote on `127.0.0.1` by SSH.
pub(crate) fn publish_by_ssh(repository: &Gitops) {
    let bare = repository.publish();
    repository.git(["remote", "set-url", "origin", "ssh://git@127.0.0.1/o/r.git"]);
    let ssh = repository.outside().join("ssh");
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\ncase \"$last\" in\ngit-receive-pack*) exec git-receive-pack {0} ;;\n\
         git-upload-pack*) exec git-upload-pack {0} ;;\nesac\n",
        bare.display()
    );
    executable(&ssh, &script);
}

/// A command whose git reaches that remote.
fn with_ssh(repository: &Gitops, arguments: &[&str]) -> Command {
    let mut command = repository.ucp_command(arguments);
    command.env("GIT_SSH_COMMAND", repository.outside().join("ssh")).env("GIT_SSH_VARIANT", "simple");
    command
}

fn executable(path: &Path, script: &str) {
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

const PROMOTE: [&str; 6] = ["promote", "stage", "prod", "echo", "--pr", "--yes"];

#[test]
fn without_a_forge_the_branch_is_pushed_and_the_exit_code_is_4() {
    let repository = services(&["echo"]);
    let command = by_ssh(&repository);
    let run = |command: &mut Command| Run::of(command.output().unwrap());
    run(&mut command(&PROMOTE)).exits(2).prints("not known which forge runs on 127.0.0.1");
    let gitea = [&PROMOTE[..], &["--forge", "gitea"]].concat();
    run(&mut command(&gitea)).exits(4).prints("Pushed").prints("no pull request was opened or updated: no token");
    // A token without a server is not sent anywhere.
    run(command(&gitea).env("GITEA_TOKEN", CANARY)).exits(4).prints("nothing names the server of GITEA_TOKEN");
    // A server that does not respond, one that fails, and one that rejects the token.
    let closed_port = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let at = |url: String| run(command(&PROMOTE).env("GITEA_TOKEN", CANARY).env("GITEA_SERVER_URL", url));
    at(format!("http://127.0.0.1:{closed_port}")).exits(4).prints("no pull request was opened or updated");
    let failing = Server::start(|_| Some(respond(503, "", "{}")));
    at(failing.url()).exits(4).prints("HTTP 503");
    assert!(failing.seen().len() > 1, "it is tried again");
    let rejecting = Server::start(|_| Some(respond(401, "", "{\"message\": \"bad credentials\"}")));
    at(rejecting.url()).exits(3).prints("bad credentials");
    let page = Server::start(|_| Some(respond(200, "", "<html>")));
    at(page.url()).exits(3).prints("is not JSON");
    let endless = Server::start(|request| {
        let item = json!({"number": 1, "html_url": "http://x/1", "state": "open", "merged": false,
            "head": {"label": "x", "ref": "x", "sha": "1", "repo_id": 1}, "base": {"ref": "main", "repo_id": 1}});
        assert_eq!(request.method, "GET");
        Some(respond(200, "", &json!([item]).to_string()))
    });
    at(endless.url()).exits(3).prints("there are more than");
}

#[test]
fn a_token_is_sent_to_its_server_only_and_never_shown() {
    let repository = services(&["echo"]);
    let command = by_ssh(&repository);
    // Every argument of git.
    let log = repository.outside().join("arguments");
    let directory = repository.outside().join("bin");
    std::fs::create_dir(&directory).unwrap();
    let git = Run::of(repository.command("sh").args(["-c", "command -v git"]).output().unwrap()).stdout;
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> {}\nexec {} \"$@\"\n", log.display(), git.trim());
    executable(&directory.join("git"), &script);
    let path =
        std::env::join_paths([directory].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())));
    let path = path.unwrap();
    let elsewhere = Server::start(|_| Some(respond(200, "", "[]")));
    let there = elsewhere.url();
    let server = Server::start(move |request| {
        let moved = format!("location: {there}{}\r\n", request.path);
        Some(respond(302, &moved, &format!("{{\"message\": \"{CANARY}\"}}")))
    });
    for (name, variables) in [
        ("GITHUB_TOKEN", vec![("GITHUB_API_URL", server.url()), ("GITHUB_SERVER_URL", server.url())]),
        ("GITLAB_TOKEN", vec![("GITLAB_HOST", server.url())]),
        ("GITEA_TOKEN", vec![("GITEA_SERVER_URL", server.url())]),
    ] {
        let before = server.seen().len();
        let mut command = command(&[&PROMOTE[..], &["-v", "9"]].concat());
        let run = Run::of(command.env("PATH", &path).env(name, CANARY).envs(variables).output().unwrap());
        let run = run.exits(3);
        run.prints("the server redirects the request, which is not followed");
        assert!(!run.stdout.contains(CANARY) && !run.stderr.contains(CANARY), "{run:?}");
        let seen = server.seen();
        let sent = |request: &Request| request.headers.iter().any(|(_, value)| value.contains(CANARY));
        assert!(seen.len() > before && seen[before..].iter().all(sent), "{name}: {seen:?}");
        assert!(seen[before..].iter().all(|request| request.header("user-agent").is_some()));
    }
    assert!(elsewhere.seen().is_empty());
    let arguments = std::fs::read_to_string(log).unwrap();
    assert!(arguments.contains("push") && !arguments.contains(CANARY));
    // The remote does not decide where a token is sent.
    let before = server.seen().len();
    for (name, forge) in [("GITHUB_TOKEN", "github"), ("GITLAB_TOKEN", "gitlab"), ("BITBUCKET_TOKEN", "bitbucket")] {
        let mut command = command(&[&PROMOTE[..], &["--forge", forge]].concat());
        let run = Run::of(command.env(name, CANARY).output().unwrap()).exits(4);
        run.prints("and the remote is on 127.0.0.1");
    }
    assert_eq!(server.seen().len(), before);
}

#[test]
fn clear_text_is_for_this_machine_only() {
    let repository = services(&["echo"]);
    let command = by_ssh(&repository);
    repository.git(["remote", "set-url", "origin", "ssh://git@forge.invalid/o/r.git"]);
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        Run::of(command.env("GITEA_TOKEN", CANARY).env("GITEA_SERVER_URL", "http://forge.invalid").output().unwrap())
    };
    run(&PROMOTE).exits(4).prints("is not encrypted, so that the token is not sent there");
    let allowed = run(&[&PROMOTE[..], &["--forge-allow-http"]].concat()).exits(4);
    assert!(!allowed.stderr.contains("is not encrypted"), "{allowed:?}");
}
