//! Argo CD's application-controller, repo-server and applicationset-controller, with redis.

mod broken;
mod deleting;
mod destinations;
mod nobody;
mod projects;
mod rules;
mod syncs;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::binaries::Build;
use crate::support::cluster::TOKEN;
use crate::support::servers::free_ports;
use crate::world::{self, Shared, Turn, World, apply_all, get, kubectl, namespace, patch, workload};

/// The module and the programs of the engine.
pub const BUILD: Build = Build {
    module: "argocd",
    version_of: Some("github.com/argoproj/argo-cd/v3"),
    programs: &[("argocd", ".")],
    manifests: &[("crds", "github.com/argoproj/argo-cd/v3", "manifests/crds")],
};

/// The kinds that a scenario may record.
pub const RESOURCES: &str = "applications.argoproj.io,applicationsets.argoproj.io,appprojects.argoproj.io,\
    deployments.apps,statefulsets.apps";

/// A wrapper in place of kustomize, which only supports the calls of repo-server.
const KUSTOMIZE: &str = r#"#!/bin/sh
add() { printf "$@" >> kustomization.yaml; }
last() { for last; do :; done; printf %s "$last"; }
value=$(last "$@")
case "$1 $2 $3" in
  "version "*) echo v5.8.0 ;;
  "build "*) shift; exec kubectl kustomize "$@" ;;
  "edit set nameprefix") add 'namePrefix: %s\n' "$value" ;;
  "edit set namesuffix") add 'nameSuffix: %s\n' "$value" ;;
  "edit set image") add 'images:\n- {name: %s, newTag: %s}\n' "${value%%:*}" "${value#*:}" ;;
  "edit set replicas") add 'replicas:\n- {name: %s, count: %s}\n' "${value%%=*}" "${value#*=}" ;;
  "edit add label") add 'commonLabels: {%s: "%s"}\n' "${value%%:*}" "${value#*:}" ;;
  "edit add annotation") add 'commonAnnotations: {%s: "%s"}\n' "${value%%:*}" "${value#*:}" ;;
  *) echo "not covered: $*" >&2; exit 1 ;;
esac
"#;

/// In the place of the scripts that its image brings to look at signatures: there are none.
const UNSIGNED: &str = "#!/bin/sh\n";

/// The world of Argo CD; a scenario has it alone.
pub fn world() -> Turn<'static> {
    static WORLD: Shared = Shared::of(start);
    WORLD.take()
}

fn start() -> World {
    let mut world = World::start("argocd");
    install(&mut world);
    register(&world, "app", TOKEN);
    world.forge.commit("shop", &[("shop/config.yaml", &config("shop"))]);
    let url = world.forge.url("shop");
    world.hub.apply(&application("shop", &url, "shop", &json!({"syncPolicy": {"automated": {}}})));
    world.until("Argo CD deploys an Application", |world| is(world, "shop", "Synced", "Healthy"));
    world
}

/// Installs and starts Argo CD in a world.
pub fn install(world: &mut World) {
    apply_all(&world.hub, &manifests());
    start_programs(world);
}

/// The installation: definitions, settings, and the workloads of its programs.
pub fn manifests() -> Vec<Value> {
    let crds = BUILD.directory().join("crds");
    let names = ["application-crd.yaml", "applicationset-crd.yaml", "appproject-crd.yaml"];
    let mut objects = world::manifests(names.map(|name| crds.join(name)));
    objects.push(namespace("argocd"));
    objects.extend(settings());
    let image = "quay.io/argoproj/argocd:v3.5.1";
    for (kind, name, image) in [
        ("Deployment", "argocd-redis", "public.ecr.aws/docker/library/redis:8.2.2-alpine"),
        ("Deployment", "argocd-repo-server", image),
        ("StatefulSet", "argocd-application-controller", image),
        ("Deployment", "argocd-applicationset-controller", image),
    ] {
        let labels = [("app.kubernetes.io/name", name), ("app.kubernetes.io/part-of", "argocd")];
        objects.push(workload(kind, "argocd", name, image, &labels));
    }
    objects
}

/// Starts its programs, as nodes would once its workloads are there.
pub fn start_programs(world: &mut World) {
    let binaries = BUILD.directory();
    let directory = world.hub.directory().join("argocd");
    for below in ["bin", "tls", "ssh", "tmp"] {
        fs::create_dir_all(directory.join(below)).expect("a directory");
    }
    for (name, script) in [("kustomize", KUSTOMIZE), ("git-verify-wrapper.sh", UNSIGNED), ("gpg-wrapper.sh", UNSIGNED)]
    {
        let path = directory.join("bin").join(name);
        fs::write(&path, script).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    fs::write(directory.join("ssh/ssh_known_hosts"), "").expect("a file");

    let [redis, repo_server, metrics, metrics_of_repo_server, metrics_of_sets, probes, webhook] =
        free_ports().expect("ports");
    let own = |path: &str| directory.join(path).display().to_string();
    let path = format!("{}:{}", own("bin"), crate::support::helm::path().to_string_lossy());
    let environment = [
        ("PATH", path.as_str()),
        ("TMPDIR", &own("tmp")),
        ("ARGOCD_FAKE_IN_CLUSTER", "true"),
        ("ARGOCD_GPG_ENABLED", "false"),
        // It notices a missing cluster when it reads all of it again: every twelve hours, unless it is configured.
        ("ARGOCD_CLUSTER_CACHE_RESYNC_DURATION", "20s"),
        ("ARGOCD_TLS_DATA_PATH", &own("tls")),
        ("ARGOCD_SSH_DATA_PATH", &own("ssh")),
        ("ARGOCD_ASK_PASS_SOCK", &own("ask-pass.sock")),
    ];
    let redis_port = redis.to_string();
    let arguments =
        ["--port", &redis_port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", &own("tmp")];
    world.run("argocd-redis", Path::new("redis-server"), &arguments, &[]);
    let redis = format!("127.0.0.1:{redis}");
    let program = binaries.join("argocd");
    let repo = format!("127.0.0.1:{repo_server}");
    world.run(
        "argocd-repo-server",
        &program,
        &[
            "argocd-repo-server",
            "--redis",
            &redis,
            "--disable-tls",
            "--client-ca-path=",
            "--address=127.0.0.1",
            &format!("--port={repo_server}"),
            "--metrics-address=127.0.0.1",
            &format!("--metrics-port={metrics_of_repo_server}"),
        ],
        &environment,
    );
    world.run(
        "argocd-application-controller",
        &program,
        &[
            "argocd-application-controller",
            "--namespace=argocd",
            "--redis",
            &redis,
            "--repo-server",
            &repo,
            "--repo-server-plaintext",
            "--app-resync=15",
            "--app-resync-jitter=0",
            &format!("--metrics-port={metrics}"),
        ],
        &environment,
    );
    world.run(
        "argocd-applicationset-controller",
        &program,
        &[
            "argocd-applicationset-controller",
            "--namespace=argocd",
            "--argocd-repo-server",
            &repo,
            "--repo-server-plaintext",
            &format!("--metrics-addr=127.0.0.1:{metrics_of_sets}"),
            &format!("--probe-addr=127.0.0.1:{probes}"),
            &format!("--webhook-addr=127.0.0.1:{webhook}"),
        ],
        &environment,
    );
}

/// The objects that Argo CD's manifests bring and its controllers read.
fn settings() -> Vec<Value> {
    let mut objects = Vec::new();
    for name in [
        "argocd-cm",
        "argocd-cmd-params-cm",
        "argocd-rbac-cm",
        "argocd-gpg-keys-cm",
        "argocd-ssh-known-hosts-cm",
        "argocd-tls-certs-cm",
    ] {
        let data = match name {
            "argocd-cm" => json!({"timeout.reconciliation": "15s"}),
            "argocd-ssh-known-hosts-cm" => json!({"ssh_known_hosts": ""}),
            _ => json!({}),
        };
        objects.push(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"namespace": "argocd", "name": name, "labels": {"app.kubernetes.io/part-of": "argocd"}},
        }));
    }
    objects.push(json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"server.secretkey": "of-a-test"},
        "metadata": {"namespace": "argocd", "name": "argocd-secret", "labels": {"app.kubernetes.io/part-of": "argocd"}},
    }));
    objects.push(json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
        "metadata": {"namespace": "argocd", "name": "default"},
        "spec": {
            "sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }));
    objects
}

/// Registers the app cluster with this token, as an administrator does by hand.
pub fn register(world: &World, name: &str, token: &str) {
    let authority = k8s_openapi::ByteString(world.app.ca_pem().as_bytes().to_vec());
    let config = json!({"bearerToken": token, "tlsClientConfig": {"caData": authority}});
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "argocd", "name": format!("cluster-{name}"),
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "stringData": {"name": name, "server": world.app.server(), "config": config.to_string()},
    }));
}

/// A ConfigMap to deploy.
pub fn config(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{greeting: hello}}\n")
}

/// An Application that deploys a directory of a repository, with more in its `spec`.
pub fn application(name: &str, url: &str, path: &str, more: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"namespace": "argocd", "name": name},
        "spec": {
            "project": "default",
            "destination": {"name": "app", "namespace": "default"},
            "source": {"repoURL": url, "path": path, "targetRevision": "main"},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

/// How kubectl names an Application.
pub fn named(name: &str) -> String {
    format!("application/{name} -n argocd")
}

/// The status of an Application, once it has both values.
pub fn is(world: &World, name: &str, sync: &str, health: &str) -> Option<String> {
    let status = &get(&world.hub, &named(name))?["status"];
    (status["sync"]["status"] == sync && status["health"]["status"] == health).then(|| format!("{sync}, {health}"))
}

/// A condition of an Application, which have no status: they are there or not.
pub fn complains(world: &World, name: &str, kind: &str) -> Option<String> {
    let object = get(&world.hub, &named(name))?;
    let conditions = object["status"]["conditions"].as_array()?;
    let message = conditions.iter().find(|condition| condition["type"] == kind)?["message"].as_str()?;
    Some(format!("{kind}: {message}"))
}

/// Asks for a look at an Application now.
pub fn refresh(world: &World, name: &str) {
    patch(&world.hub, &named(name), &json!({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}));
}

/// Deletes an Application, and with it nothing else.
pub fn forget(world: &World, name: &str) {
    patch(&world.hub, &named(name), &json!({"metadata": {"finalizers": null}}));
    kubectl(&world.hub, &format!("delete --ignore-not-found {}", named(name)));
}
