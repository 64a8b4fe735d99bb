//! Crossplane's core with its package manager, provider-kubernetes, and a composition function.

mod composed;
pub mod functions;
mod imported;
mod managed;
mod packages;
mod selection;
mod teardown;
mod unserved;
mod usages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use self::functions::FUNCTIONS;
use crate::binaries::Build;
use crate::support::certificates::Authority;
use crate::support::servers::free_ports;
use crate::world::{Shared, Turn, World, apply_all, condition, get, kubectl, namespace, workload};

/// The module and the programs of the engine.
pub const BUILD: Build = Build {
    module: "crossplane",
    version_of: Some("github.com/crossplane/crossplane/v2"),
    programs: &[
        ("registry", "./registry"),
        ("function", "./function"),
        ("crossplane", "github.com/crossplane/crossplane/v2/cmd/crossplane"),
        ("provider", "github.com/crossplane-contrib/provider-kubernetes/cmd/provider"),
    ],
    manifests: &[
        ("crds", "github.com/crossplane/crossplane/v2", "cluster/crds"),
        ("provider-package", "github.com/crossplane-contrib/provider-kubernetes", "package"),
        ("provider-crds", "github.com/crossplane-contrib/provider-kubernetes", "package/crds"),
    ],
};

/// The kinds that a scenario may record.
pub const RESOURCES: &str = "providers.pkg.crossplane.io,providerrevisions.pkg.crossplane.io,\
    functions.pkg.crossplane.io,functionrevisions.pkg.crossplane.io,xrd,compositions.apiextensions.crossplane.io,\
    managed,composite,claim,deployments.apps,providerconfigs.kubernetes.crossplane.io,\
    clusterproviderconfigs.kubernetes.m.crossplane.io";

/// The provider's and the function's names, which are those of their programs too.
pub const PROVIDER: &str = "provider-kubernetes";
pub const FUNCTION: &str = functions::TEMPLATES;
/// The tag of a package of the provider that no released version of Crossplane runs.
pub const INCOMPATIBLE: &str = "v9.0.0";
/// The objects that are there and well before any scenario.
pub const SETTINGS: &str = "object.kubernetes.crossplane.io/settings";
pub const BOX: &str = "box.platform.example.org/crate -n default";
pub const TEAM: &str = "team.platform.example.org/blue -n default";

/// The world of Crossplane; a scenario has it alone.
pub fn world() -> Turn<'static> {
    static WORLD: Shared = Shared::of(start);
    WORLD.take()
}

fn start() -> World {
    let mut world = World::start("crossplane");
    install(&mut world);
    functions::start_templates(&mut world);
    configure(&mut world);
    world
}

/// Installs and starts Crossplane's core and its provider in a world. Its functions come later.
pub fn install(world: &mut World) {
    serve_packages(world);
    apply_all(&world.hub, &manifests());
    start_core(world);
    install_package(world, "Provider", PROVIDER);
    start_provider(world);
    let provider = "provider.pkg.crossplane.io/provider-kubernetes";
    world.until("the provider is healthy", |world| holds(world, provider, "Healthy", "True"));
}

/// Starts the provider, as a node would once Crossplane has installed its package.
pub fn start_provider(world: &mut World) {
    let certificates = world.until("Crossplane makes the provider's certificates", |world| {
        certificates(world, "provider-kubernetes-tls-server")
    });
    let [metrics, health, webhook] = free_ports().expect("ports");
    world.run(
        PROVIDER,
        &BUILD.directory().join("provider"),
        &[
            "--poll=10s",
            &format!("--metrics-bind-address=127.0.0.1:{metrics}"),
            &format!("--health-probe-bind-addr=127.0.0.1:{health}"),
            &format!("--webhook-port={webhook}"),
        ],
        &[("TLS_SERVER_CERTS_DIR", &certificates.display().to_string())],
    );
}

/// Has the package manager install a package of the registry.
fn install_package(world: &World, kind: &str, name: &str) {
    world.hub.apply(&package(world, kind, name));
}

/// A package, to be installed from the registry.
pub fn package(world: &World, kind: &str, name: &str) -> Value {
    let registry = fs::read_to_string(world.hub.directory().join("registry")).expect("a registry's address");
    json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": kind, "metadata": {"name": name},
        "spec": {"package": format!("{registry}/engines/{name}:v1.3.1")},
    })
}

/// A registry with every package, whose address is in a file.
pub fn serve_packages(world: &mut World) {
    let binaries = BUILD.directory();
    let directory = world.hub.directory().join("packages");
    fs::create_dir_all(&directory).expect("a directory");
    let metadata = fs::read_to_string(binaries.join("provider-package/crossplane.yaml")).expect("a package");
    let mut definitions = String::new();
    for entry in fs::read_dir(binaries.join("provider-crds")).expect("CRDs") {
        definitions += "\n---\n";
        definitions += &fs::read_to_string(entry.expect("an entry").path()).expect("a CRD");
    }
    let next = metadata.replace("\nspec:\n", "\nspec:\n  crossplane: {version: '>=v99.0.0'}\n");
    assert_ne!(metadata, next, "the package has no spec");
    let [port] = free_ports().expect("a port");
    let address = format!("127.0.0.1:{port}");
    let mut arguments = vec![address.clone()];
    let functions = FUNCTIONS.map(|name| {
        (
            name,
            format!("apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: {name}}}\nspec: {{}}\n"),
        )
    });
    let providers =
        [(PROVIDER, "v1.3.1", metadata + &definitions), (PROVIDER, INCOMPATIBLE, next + &definitions)].into_iter();
    for (name, tag, content) in providers.chain(functions.map(|(name, content)| (name, "v1.3.1", content))) {
        let path = directory.join(format!("{name}-{tag}.yaml"));
        fs::write(&path, content).expect("a package is written");
        arguments.push(format!("engines/{name}:{tag}={}", path.display()));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    world.run("registry", &binaries.join("registry"), &arguments, &[]);
    fs::write(world.hub.directory().join("registry"), address).expect("the address is written");
}

/// The objects of its chart: a namespace, an account, and the workload of its core.
pub fn manifests() -> Vec<Value> {
    // Those of its chart.
    let labels = [
        ("app", "crossplane"),
        ("app.kubernetes.io/component", "cloud-infrastructure-controller"),
        ("app.kubernetes.io/instance", "crossplane"),
        ("app.kubernetes.io/name", "crossplane"),
        ("app.kubernetes.io/part-of", "crossplane"),
        ("app.kubernetes.io/version", "2.3.4"),
    ];
    let image = "xpkg.crossplane.io/crossplane/crossplane:v2.3.4";
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"namespace": "crossplane-system", "name": "crossplane"},
    });
    let core = workload("Deployment", "crossplane-system", "crossplane", image, &labels);
    vec![namespace("crossplane-system"), account, core]
}

/// Starts its core, as a node would once its workload is there.
pub fn start_core(world: &mut World) {
    let binaries = BUILD.directory();
    // It applies them too, and then expects that they are there at once.
    kubectl(&world.hub, &format!("apply --server-side -f {}", binaries.join("crds").display()));
    world.until("its kinds are served", |world| {
        let words = "wait --for=condition=Established --timeout=20s crd --all";
        // It fails at a definition that has no conditions yet.
        let output = world.hub.kubectl(words.split(' ')).output().expect("kubectl");
        output.status.success().then_some(())
    });
    let crossplane = binaries.join("crossplane");
    let initialised = Command::new(&crossplane)
        .args(["core", "init", "--enable-webhooks=false", "--activation", "*"])
        .env("KUBECONFIG", world.hub.kubeconfig())
        .env("WEBHOOK_SERVICE_NAME", "crossplane-webhooks")
        .env("WEBHOOK_SERVICE_NAMESPACE", "crossplane-system")
        .env("TLS_CA_SECRET_NAME", "crossplane-root-ca")
        .env("TLS_SERVER_SECRET_NAME", "crossplane-tls-server")
        .env("TLS_CLIENT_SECRET_NAME", "crossplane-tls-client")
        .env("CRDS_PATH", binaries.join("crds"))
        .output()
        .expect("crossplane runs");
    assert!(initialised.status.success(), "{}", String::from_utf8_lossy(&initialised.stderr));

    // It looks for functions by the names of their services: they lead here, in a file of its own.
    let hosts = functions::write_hosts(world);
    let certificates = certificates(world, "crossplane-tls-client").expect("certificates").display().to_string();
    let cache = world.hub.directory().join("xpkg");
    fs::create_dir_all(&cache).expect("a directory");
    let [metrics, health, webhook] = free_ports().expect("ports");
    let served = protect(world, webhook).display().to_string();
    let script = r#"mount --bind "$1" /etc/hosts && shift && exec "$@""#;
    let arguments = [
        "-rm",
        "sh",
        "-c",
        script,
        "sh",
        &hosts.display().to_string(),
        &crossplane.display().to_string(),
        "core",
        "start",
        "--poll-interval=10s",
        &format!("--xpkg-cache-dir={}", cache.display()),
        &format!("--metrics-port={metrics}"),
        &format!("--health-probe-port={health}"),
        &format!("--webhook-port={webhook}"),
    ];
    let environment = [("TLS_CLIENT_CERTS_DIR", certificates.as_str()), ("TLS_SERVER_CERTS_DIR", &served)];
    world.run("crossplane", Path::new("unshare"), &arguments, &environment);
}

/// Registers the webhook by which Crossplane refuses to delete objects in use, as its chart does, but at a URL: there is
/// no network for Services. Returns where the server finds its certificate.
fn protect(world: &World, port: u16) -> PathBuf {
    let authority = Authority::create("webhooks").expect("an authority");
    let identity = authority.server().expect("a certificate");
    let directory = world.hub.directory().join("webhook");
    fs::create_dir_all(&directory).expect("a directory");
    for (name, content) in [("tls.crt", &identity.certificate), ("tls.key", &identity.key)] {
        fs::write(directory.join(name), content).expect("a file");
    }
    fs::write(directory.join("ca.crt"), authority.pem()).expect("a file");
    world.hub.apply(&json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "crossplane-no-usages"},
        "webhooks": [{
            "name": "nousages.protection.crossplane.io",
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
            "clientConfig": {
                "url": format!("https://localhost:{port}/validate-no-usages"),
                "caBundle": ByteString(authority.pem().as_bytes().to_vec()),
            },
            "objectSelector": {"matchLabels": {"crossplane.io/in-use": "true"}},
            "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["DELETE"], "resources": ["*"]}],
        }],
    }));
    directory
}

/// Writes the files of a TLS Secret into a directory, once it holds any.
fn certificates(world: &World, secret: &str) -> Option<PathBuf> {
    let secret_object = get(&world.hub, &format!("secret/{secret} -n crossplane-system"))?;
    let data = secret_object["data"].as_object().filter(|data| data.contains_key("tls.crt"))?;
    let directory = world.hub.directory().join(secret);
    fs::create_dir_all(&directory).expect("a directory");
    for (name, value) in data {
        let content: ByteString = serde_json::from_value(value.clone()).expect("base64");
        fs::write(directory.join(name), content.0).expect("a file");
    }
    Some(directory)
}

/// Provider configurations for the app cluster.
pub fn set_up_provider(world: &World) {
    let kubeconfig = fs::read_to_string(world.app.kubeconfig()).expect("a kubeconfig");
    let credentials = json!({
        "source": "Secret",
        "secretRef": {"namespace": "crossplane-system", "name": "app-kubeconfig", "key": "kubeconfig"},
    });
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"namespace": "crossplane-system", "name": "app-kubeconfig"},
        "stringData": {"kubeconfig": kubeconfig},
    }));
    for (version, kind) in [
        ("kubernetes.crossplane.io/v1alpha1", "ProviderConfig"),
        ("kubernetes.m.crossplane.io/v1alpha1", "ClusterProviderConfig"),
    ] {
        world.hub.apply(&json!({
            "apiVersion": version, "kind": kind, "metadata": {"name": "app"}, "spec": {"credentials": credentials},
        }));
    }
}

/// Creates a composite, a claim, and a managed resource, and waits until they are ready.
pub fn configure(world: &mut World) {
    set_up_provider(world);
    world.hub.apply(&object("settings", json!({})));
    define(world);
    world.hub.apply(&json!({
        "apiVersion": "platform.example.org/v1alpha1", "kind": "Box",
        "metadata": {"namespace": "default", "name": "crate"}, "spec": {"size": "large"},
    }));
    world.hub.apply(&json!({
        "apiVersion": "platform.example.org/v1alpha1", "kind": "Team",
        "metadata": {"namespace": "default", "name": "blue"}, "spec": {"size": "small"},
    }));
    for object in [SETTINGS, BOX, TEAM] {
        world.until("the objects of Crossplane are ready", |world| holds(world, object, "Ready", "True"));
    }
}

/// A kind of namespaced composites, and one of composites with claims.
fn define(world: &mut World) {
    let schema = json!({
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"size": {"type": "string"}, "owner": {"type": "string"}}}},
    });
    let versions =
        json!([{"name": "v1alpha1", "served": true, "referenceable": true, "schema": {"openAPIV3Schema": schema}}]);
    world.hub.apply(&json!({
        "apiVersion": "apiextensions.crossplane.io/v2", "kind": "CompositeResourceDefinition",
        "metadata": {"name": "boxes.platform.example.org"},
        "spec": {
            "scope": "Namespaced", "group": "platform.example.org", "versions": versions,
            "names": {"kind": "Box", "plural": "boxes", "singular": "box", "categories": ["composite"]},
        },
    }));
    world.hub.apply(&json!({
        "apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xteams.platform.example.org"},
        "spec": {
            "group": "platform.example.org", "versions": versions,
            "names": {"kind": "XTeam", "plural": "xteams"},
            "claimNames": {"kind": "Team", "plural": "teams"},
        },
    }));
    for (kind, plural, resource) in [
        (
            "Box",
            "boxes",
            json!({
                "apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object",
                "spec": {
                    "providerConfigRef": {"kind": "ClusterProviderConfig", "name": "app"},
                    "forProvider": {"manifest": config_map("box-$(metadata.name)", "$(spec.size)")},
                },
            }),
        ),
        ("XTeam", "xteams", object_with(config_map("team-$(metadata.name)", "$(spec.size)"))),
    ] {
        world.hub.apply(&json!({
            "apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": plural},
            "spec": {
                "compositeTypeRef": {"apiVersion": "platform.example.org/v1alpha1", "kind": kind},
                "mode": "Pipeline",
                "pipeline": [{
                    "step": "templates", "functionRef": {"name": FUNCTION},
                    "input": {
                        "apiVersion": "engines.test/v1", "kind": "Templates",
                        "resources": [{"name": "config", "base": resource}],
                    },
                }],
            },
        }));
    }
    for definition in ["xrd/boxes.platform.example.org", "xrd/xteams.platform.example.org"] {
        world.until("a definition is established", |world| holds(world, definition, "Established", "True"));
    }
    world.until("claims are offered", |world| holds(world, "xrd/xteams.platform.example.org", "Offered", "True"));
}

/// The ConfigMap that an Object deploys into the app cluster.
pub fn config_map(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": name},
        "data": {"size": value},
    })
}

fn object_with(manifest: Value) -> Value {
    json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object",
        "spec": {"providerConfigRef": {"name": "app"}, "forProvider": {"manifest": manifest}},
    })
}

/// An Object that deploys a ConfigMap of its name, with more in its `spec`.
pub fn object(name: &str, more: Value) -> Value {
    let mut object = object_with(config_map(name, "as declared"));
    object["metadata"] = json!({"name": name});
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

/// A condition's words, once it has this status for the object's generation.
pub fn holds(world: &World, object: &str, kind: &str, status: &str) -> Option<String> {
    let object = get(&world.hub, object)?;
    let conditions = object["status"]["conditions"].as_array()?;
    let found = conditions.iter().find(|condition| condition["type"] == kind)?;
    let seen = found["observedGeneration"].as_i64().unwrap_or(i64::MAX);
    if seen < object["metadata"]["generation"].as_i64().unwrap_or(0) {
        return None;
    }
    condition(&object, kind).filter(|reported| reported.starts_with(status))
}
