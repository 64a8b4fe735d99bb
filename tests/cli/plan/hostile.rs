//! A checkout that its author means to reach further with than a pull request may: nothing of it is executed, nothing is
//! written outside of it, and the API server sees reads and dry runs only.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;
use tempfile::TempDir;
use ucp_core::model::request_path::is_dry_run;

use super::{Repository, application, create, stderr, stdout};
use crate::support::audit::Request;
use crate::support::{self, Cluster, Options};

const TOKEN: &str = "canary-of-the-pipeline";
/// As a pipeline keeps the token of its checkout.
const GIT_TOKEN: &str = "X-Checkout: canary-of-the-checkout";

/// A hostile checkout, and where it would leave traces.
pub(super) struct Scene {
    pub(super) repository: Repository,
    outside: TempDir,
    server: TcpListener,
}

impl Scene {
    pub(super) fn new() -> Self {
        let repository = Repository::new(&[("good/m.yaml", &config_map("v1", "m", "default"))]);
        let (outside, server) = (tempfile::tempdir().unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        server.set_nonblocking(true).unwrap();
        let scene = Self { repository, outside, server };
        scene.program(&scene.outside("bin/helm"), "{ echo \"ARGS $*\"; env; } >> HELM");
        for name in ["evil.sh", "hooks/post-checkout", "hooks/post-index-change", "hooks/reference-transaction"] {
            scene.program(&scene.repository.path().join(name), "touch EXECUTED");
        }
        scene.write_files();
        for key in
            ["core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.sshCommand"]
        {
            let program = scene.repository.path().join("evil.sh");
            scene.repository.git(&["config", key, program.to_str().unwrap()]);
        }
        scene.repository.git(&["config", "filter.evil.required", "true"]);
        scene.repository.git(&["config", "core.hooksPath", "hooks"]);
        scene.forget_programs();
        scene
    }

    /// Forgets the programs that ran while the checkout was made.
    pub(super) fn forget_programs(&self) {
        let _ = std::fs::remove_file(self.outside("executed"));
    }

    /// The address of a server that must not be asked.
    pub(super) fn address(&self) -> String {
        self.server.local_addr().unwrap().to_string()
    }

    pub(super) fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    pub(super) fn program(&self, path: &Path, script: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let script = script.replace("EXECUTED", self.outside("executed").to_str().unwrap());
        let script = script.replace("HELM", self.outside("helm-calls").to_str().unwrap());
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn write_files(&self) {
        let url = format!("http://{}/base", self.address());
        let plugin = "apiVersion: v1\nkind: Evil\nmetadata:\n  name: evil\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ../evil.sh}\n";
        let paths: String = [
            ("/v1/namespaces/kube-system/services/http:kubelet:80/proxy/x?a=", "a", "default"),
            ("v1/namespaces/kube-system/secrets/x?", "a", "default"),
            ("v1", "a/../../../kube-system/secrets/x", "default"),
            ("v1", "..", "default"),
            ("v1", "b?dryRun=None&x=", "default"),
            ("v1", "c", "default/services/http:x:80/proxy"),
            ("v1", "d", ".."),
        ]
        .map(|(version, name, namespace)| config_map(version, name, namespace))
        .join("---\n");
        let above = format!("{}{}", "../".repeat(32), self.outside("base").display());
        let builtin = format!(
            "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {{name: p}}\npath: {url}\ntarget: {{kind: ConfigMap}}\n"
        );
        self.repository.write(&[
            (".gitattributes", "* filter=evil diff=evil\n"),
            ("paths/x.yaml", &paths),
            ("exec/kustomization.yaml", "generators: [plugin.yaml]\n"),
            ("exec/plugin.yaml", plugin),
            ("remote/kustomization.yaml", &format!("resources: ['{url}']\n")),
            ("patch/kustomization.yaml", &format!("resources: [../good/m.yaml]\npatches: [{{path: '{url}'}}]\n")),
            ("builtin/kustomization.yaml", "resources: [../good/m.yaml]\ntransformers: [t.yaml]\n"),
            ("builtin/t.yaml", &builtin),
            ("above/kustomization.yaml", &format!("resources: ['{}']\n", self.outside("base").display())),
            ("kustomization.yaml", "configMapGenerator: [{name: x, files: [.git/config]}]\n"),
            ("linked/kustomization.yaml", "configMapGenerator: [{name: x, envs: [config]}]\n"),
            ("chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
            ("chart/a,http:/x.yaml", "a: b\n"),
            ("leak/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
            ("-rf\nx/--help.yaml", &config_map("v1", "odd", "default")),
            ("upper/kustomization.yaml", &format!("Resources: ['{above}']\n")),
            ("folded/kustomization.yaml", &format!("components: []\nba\u{17f}e\u{17f}: ['{above}']\n")),
            ("configured/kustomization.yaml", "Transformers: [made]\nresources: [../good/m.yaml]\n"),
            ("configured/made/kustomization.yaml", "resources: [../../builtin/t.yaml]\n"),
            ("schema/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
            ("schema/values.schema.json", &json!({"properties": {"a": {"$ref": url}}}).to_string()),
        ]);
        std::fs::create_dir_all(self.outside("base")).unwrap();
        std::fs::write(self.outside("base/kustomization.yaml"), "resources: [m.yaml]\n").unwrap();
        std::fs::write(self.outside("base/m.yaml"), config_map("v1", "of-this-machine", "default")).unwrap();
        std::fs::create_dir(self.repository.path().join("link")).unwrap();
        symlink(self.outside("planted"), self.repository.path().join("link/kustomization.yaml")).unwrap();
        symlink(self.outside("base/m.yaml"), self.repository.path().join("leak/values.yaml")).unwrap();
        symlink("../.git/config", self.repository.path().join("linked/config")).unwrap();
        self.repository.git(&["config", "http.extraHeader", GIT_TOKEN]);
        self.repository.git(&["add", "--all"]);
        self.repository.git(&["commit", "--quiet", "--message", "hostile"]);
    }

    pub(super) fn ucp(&self, cluster: &Cluster, arguments: &[&str]) -> Output {
        let mut command = Command::new(crate::support::command::program());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([self.outside("bin")].into_iter().chain(std::env::split_paths(&path))).unwrap();
        command.args(arguments).current_dir(self.repository.path());
        // Where a pipeline keeps plugins, a pull request may add some.
        for name in ["HELM_PLUGINS", "KUSTOMIZE_PLUGIN_HOME"] {
            command.env(name, self.repository.path().join("plugins"));
        }
        command.env("PATH", path).env("CI_TOKEN", TOKEN).env("COLUMNS", "200").env("KUBECONFIG", cluster.kubeconfig());
        command.output().unwrap()
    }

    pub(super) fn is_untouched(&self, about: &str) {
        assert!(!self.outside("executed").exists(), "{about}: a program of the checkout was started");
        assert!(!self.outside("planted").exists(), "{about}: a file was written through a link");
        assert!(self.server.accept().is_err(), "{about}: a request left this machine");
    }
}

fn config_map(version: &str, name: &str, namespace: &str) -> String {
    format!(
        "apiVersion: {}\nkind: ConfigMap\nmetadata: {{name: {}, namespace: {}}}\n",
        json!(version),
        json!(name),
        json!(namespace)
    )
}

/// Requests that are allowed here: those without an effect.
pub(super) fn is_harmless(request: &Request) -> bool {
    let reads = ["get", "list", "watch"].contains(&request.verb.as_str()) && !request.uri.contains("/proxy");
    let (path, query) = request.uri.split_once('?').unwrap_or((&request.uri, ""));
    let asks = request.verb == "create" && path.starts_with("/apis/authorization.k8s.io/v1/selfsubject");
    reads || asks || is_dry_run(query) && !path.contains("/proxy")
}

#[test]
fn a_hostile_checkout_causes_reads_and_dry_runs_and_nothing_else() {
    let Some(cluster) = support::start(Options::named("plan-hostile")) else { return };
    let scene = Scene::new();
    let secret = scene.outside("base/m.yaml").display().to_string();
    let with_helm = |name: &str, release: &str, extra: serde_json::Value| {
        let mut helm = json!({"releaseName": release});
        helm.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        application(name, "chart", json!({"source": {"repoURL": super::URL, "path": "chart", "helm": helm}}))
    };
    let edited = json!({"source": {"repoURL": super::URL, "path": "link", "kustomize": {"namePrefix": "x-"}}});
    let paths = [
        "good",
        "paths",
        "exec",
        "remote",
        "patch",
        "builtin",
        "above",
        "leak",
        "upper",
        "folded",
        "configured",
        "schema",
        "linked",
    ];
    let mut applications: Vec<_> = paths.map(|path| application(path, path, json!({}))).into();
    applications.extend([
        application("link", "link", edited),
        application("odd", "-rf\nx", json!({})),
        application("top", ".", json!({})),
        with_helm("flag", "--post-renderer=./evil.sh", json!({})),
        with_helm("template", "{{ env \"CI_TOKEN\" }}", json!({})),
        with_helm("fine", "fine", json!({
            "valueFiles": ["a,http:/x.yaml"], "parameters": [{"name": "--post-renderer", "value": "./evil.sh"}],
            "fileParameters": [{"name": "--kubeconfig", "path": "a,http:/x.yaml"}],
        })),
        with_helm("files", "files", json!({"fileParameters": [{"name": format!("a={secret},b"), "path": "Chart.yaml"}]})),
        with_helm("values", "values", json!({"parameters": [{"name": "a", "value": "{x},b={y}"}]})),
        with_helm("outside", "outside", json!({"fileParameters": [{"name": "a", "path": "../../../etc/passwd"}]})),
        application("jq", "good", json!({
            "ignoreDifferences": [{"group": "", "kind": "ConfigMap", "jqPathExpressions": ["halt(0)", "last(repeat(.))"]}],
        })),
    ]);
    create(&cluster, applications);
    let mark = cluster.audit_mark();
    for arguments in [
        &["plan", "."][..],
        &["plan", ".", "--base", "HEAD~1", "-o", "json"],
        &["plan", ".", "--base", "HEAD", "--head", "HEAD~1", "-o", "markdown"],
        &["drift", "--repo", "."],
        &["bootstrap", ".", "--dry-run"],
        &["images"],
        &["new", "service", "b", "--like", "good", "--dry-run"],
    ] {
        let output = scene.ucp(&cluster, arguments);
        scene.is_untouched(&format!("{arguments:?}"));
        let printed = format!("{}{}", stdout(&output), stderr(&output));
        assert!(matches!(output.status.code(), Some(0..=4)), "{arguments:?}: {:?}\n{printed}", output.status);
        assert!(arguments[0] != "plan" || !output.status.success(), "{arguments:?}: {printed}");
        let leaks =
            [TOKEN, "canary-of-the-checkout", "of-this-machine"].into_iter().find(|text| printed.contains(text));
        assert_eq!(leaks, None, "{arguments:?}: {printed}");
    }
    let requests = cluster.requests_since(mark);
    assert!(requests.iter().any(|request| request.verb == "patch"), "nothing was asked: {requests:#?}");
    let harmful: Vec<_> = requests.iter().filter(|request| !is_harmless(request)).collect();
    assert!(harmful.is_empty(), "{harmful:#?}");
    let generated = requests.iter().find(|request| request.uri.contains("/configmaps/x-"));
    assert!(generated.is_none(), "the configuration of Git was sent: {generated:?}");
    // helm was run for valid charts, after a terminator and without the pipeline's token.
    let calls = std::fs::read_to_string(scene.outside("helm-calls")).unwrap();
    let lines: Vec<_> = calls.lines().filter(|line| line.starts_with("ARGS ")).collect();
    // A copy of an older revision holds `leak` without its link.
    let of = |release: &str| lines.iter().filter(|line| line.contains(&format!(" -- {release} /"))).count();
    assert!(of("fine") > 0 && of("fine") + of("leak") == lines.len(), "{lines:#?}");
    let hostile = lines.iter().filter(|line| line.contains("--set=--post-renderer=./evil.sh")).count();
    assert_eq!(hostile, of("fine"), "{lines:#?}");
    assert!(!calls.contains(TOKEN) && !calls.contains("KUBECONFIG"), "{calls}");
}

#[test]
fn paths_out_of_the_checkout_are_refused_and_reported() {
    let Some(cluster) = support::start(Options::named("plan-refused")) else { return };
    let scene = Scene::new();
    let edited = json!({"source": {"repoURL": super::URL, "path": "link", "kustomize": {"namePrefix": "x-"}}});
    let paths = ["remote", "above", "leak", "upper", "folded", "configured", "schema"];
    let mut applications: Vec<_> = paths.map(|path| application(path, path, json!({}))).into();
    applications.push(application("link", "link", edited));
    let files = json!({"fileParameters": [{"name": "a=/etc/passwd,b", "path": "Chart.yaml"}]});
    let files = json!({"source": {"repoURL": super::URL, "path": "chart", "helm": files}});
    applications.push(application("files", "chart", files));
    create(&cluster, applications);
    let output = scene.ucp(&cluster, &["plan", "."]);
    let printed = stderr(&output);
    assert!(printed.contains("--allow-remote-bases"), "{printed}");
    assert!(printed.matches("points outside of the repository").count() >= 5, "{printed}");
    assert!(
        printed.contains("is not a name of one parameter") && printed.contains("schema of its chart's values"),
        "{printed}"
    );
    assert_eq!(output.status.code(), Some(3), "{printed}");
    // A person may want to fetch a base.
    let output = scene.ucp(&cluster, &["plan", ".", "--allow-remote-bases", "--render-timeout", "5s"]);
    assert!(scene.server.accept().is_ok(), "{}", stderr(&output));
}

/// Three lists of 200 elements, in a matrix in a matrix: eight million parameter sets from a few kilobytes.
#[test]
fn generators_that_multiply_are_limited_and_reported() {
    let Some(cluster) = support::start(Options::named("plan-generators")) else { return };
    let list = |key: &str| {
        let elements: Vec<_> = (0..200).map(|number| json!({ key: number.to_string() })).collect();
        json!({"list": {"elements": elements}})
    };
    let matrix = |first, second| json!({"matrix": {"generators": [first, second]}});
    let set = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
        "metadata": {"name": "many", "namespace": "argocd"},
        "spec": {
            "generators": [matrix(matrix(list("a"), list("b")), list("c"))],
            "template": {
                "metadata": {"name": "x-{{a}}-{{b}}-{{c}}"},
                "spec": {
                    "project": "default", "source": {"repoURL": super::URL, "path": "good"},
                    "destination": {"server": "https://kubernetes.default.svc"},
                },
            },
        },
    });
    let repository =
        Repository::new(&[("sets/many.json", &set.to_string()), ("good/m.yaml", &config_map("v1", "m", "default"))]);
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}});
    let other = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
        "metadata": {"name": "other", "namespace": "argocd"}, "spec": {"generators": [], "template": {}},
    });
    let applications = ["sets", "good"].map(|path| application(path, path, json!({})));
    create(&cluster, [vec![namespace, other], applications.to_vec()].concat());
    let (plan, code) = super::document(&super::plan(&cluster, &repository, &["-o=json"]));
    let unread = plan["unreadable"].to_string();
    assert!(unread.contains("parameter sets"), "{plan:#}");
    assert_eq!(code, 1, "{plan:#}");
    // The rest of the plan stays.
    assert_eq!(super::item(&plan, "ConfigMap", "m")["action"], "add", "{plan:#}");
}
