//! `kubectl explain` on a served snapshot: the schema of the definition if the snapshot has it, and otherwise the fields of the
//! CompositeResourceDefinition and of the objects.

use std::time::{Duration, Instant};

use crate::snapshot_serve::{ServedSnapshot, text};
use crate::support::command::{run, ucp_on};
use crate::support::{self, Options, hub};

/// A composite with its definition, and a Deployment.
const OBJECTS: &str = "
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xbuckets.platform.example.org}
spec:
  group: platform.example.org
  names: {kind: XBucket, plural: xbuckets}
  claimNames: {kind: Bucket, plural: buckets}
  versions:
  - name: v1alpha1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [region]
            properties:
              region: {type: string, description: The region of the bucket., enum: [eu, us]}
              versioning: {type: boolean, description: Keeps deleted files.}
---
apiVersion: platform.example.org/v1alpha1
kind: XBucket
metadata: {name: a, labels: {team.example.org/name: x}}
spec: {region: eu, crossplane: {compositionRef: {name: buckets}}}
---
apiVersion: platform.example.org/v1alpha1
kind: Bucket
metadata: {name: a, namespace: default}
spec: {region: eu}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec: {replicas: 2, template: {spec: {containers: [{name: web, image: nginx}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: default}
spec: {template: {spec: {containers: [{name: api, image: nginx, tty: true}]}}}
";

fn served() -> (ServedSnapshot, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("objects.yaml");
    std::fs::write(&path, OBJECTS).unwrap();
    (ServedSnapshot::start(path.to_str().unwrap()), directory)
}

fn explain(served: &ServedSnapshot, arguments: &[&str]) -> String {
    let output = served.kubectl(&[&["explain"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    text(&output)
}

/// Returns the line of a field, as words.
fn field(explained: &str, name: &str) -> String {
    let line = explained.lines().find(|line| line.split_whitespace().next() == Some(name));
    line.unwrap_or_else(|| panic!("no {name} in {explained}")).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn composites_and_claims_are_explained_by_their_definition() {
    let (served, _directory) = served();
    for kind in ["xbucket", "buckets.platform.example.org"] {
        let spec = explain(&served, &[&format!("{kind}.spec")]);
        assert_eq!(field(&spec, "region"), "region <string> -required-", "{spec}");
        assert_eq!(field(&spec, "versioning"), "versioning <boolean>", "{spec}");
        let region = explain(&served, &[&format!("{kind}.spec.region")]);
        assert!(region.contains("The region of the bucket.") && region.contains("ENUM:"), "{region}");
    }
    // Fields that Crossplane adds to the kind are known from its objects.
    let all = explain(&served, &["xbucket", "--recursive"]);
    assert_eq!(field(&all, "compositionRef"), "compositionRef <Object>", "{all}");
    assert_eq!(field(&all, "labels"), "labels <map[string]string>", "{all}");
    assert!(all.contains("The schema of the CompositeResourceDefinition"), "{all}");
    let absent = served.kubectl(&["explain", "xbucket.spec.nothing"]);
    assert!(!absent.status.success() && text(&absent).contains("does not exist"), "{}", text(&absent));
}

#[test]
fn builtin_kinds_are_explained_by_their_objects() {
    let (served, _directory) = served();
    let kind = explain(&served, &["deployment"]);
    assert!(
        kind.contains("The snapshot does not have the schema of this kind") && kind.contains("2 objects"),
        "{kind}"
    );
    assert_eq!(field(&kind, "spec"), "spec <Object>", "{kind}");
    let spec = explain(&served, &["deploy.spec"]);
    assert!(spec.contains("Set in 1 of 2 places in the snapshot."), "only one has replicas: {spec}");
    assert_eq!(field(&spec, "replicas"), "replicas <integer>", "{spec}");
    let all = explain(&served, &["deployments", "--recursive"]);
    assert_eq!(field(&all, "containers"), "containers <[]Object>", "{all}");
    assert_eq!(field(&all, "tty"), "tty <boolean>", "{all}");
}

/// A definition with a schema, and one of its objects.
const THINGS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A thing.
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, description: The number of parts., default: 1}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
              port: {x-kubernetes-int-or-string: true, description: A number or a name.}
              weights: {type: object, additionalProperties: {type: integer}}
"#;

#[test]
fn schemas_that_were_kept_are_explained_as_by_the_cluster() {
    let Some(cluster) = support::start(Options::named("explained")) else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(path("things.yaml"), THINGS).unwrap();
    let applied = cluster.kubectl(["apply", "-f", &path("things.yaml")]).output().unwrap();
    assert!(applied.status.success(), "{}", text(&applied));
    let established = ["wait", "--for=condition=Established", "crd/things.example.org", "--timeout=60s"];
    assert!(cluster.kubectl(established).output().unwrap().status.success());
    run(ucp_on(&cluster, ["snapshot", &path("kept.tar.gz"), "--keep", "schema/*"])).expect(0);
    let kept = ServedSnapshot::start(&path("kept.tar.gz"));
    for arguments in
        [&["things"][..], &["thing", "--recursive"], &["things.spec"], &["things.spec.parts"], &["things.spec.nothing"]]
    {
        let arguments = [&["explain"], arguments].concat();
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            // The server publishes a schema some time after the definition.
            let (live, served) = (cluster.kubectl(arguments.iter()).output().unwrap(), kept.kubectl(&arguments));
            if text(&live) == text(&served) && live.status.code() == served.status.code() {
                break;
            }
            assert!(Instant::now() < deadline, "{arguments:?}: {}\nis served as\n{}", text(&live), text(&served));
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

#[test]
fn every_kind_of_a_snapshot_is_explained() {
    let Some(cluster) = hub::quotes() else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tar.gz").display().to_string();
    run(ucp_on(cluster, ["snapshot", &path])).expect(0);
    let served = ServedSnapshot::start(&path);
    let observed = explain(&served, &["applications.argoproj.io.spec.destination"]);
    assert_eq!(field(&observed, "namespace"), "namespace <string>", "{observed}");
    let kinds = text(&served.kubectl(&["api-resources", "-o", "name"]));
    assert!(kinds.lines().count() > 20, "{kinds}");
    // kubectl takes the group of this one for fields.
    for kind in kinds.lines().filter(|kind| *kind != "events.events.k8s.io") {
        let kind = explain(&served, &[kind]);
        assert!(kind.contains("The snapshot does not have the schema") || kind.contains("has neither"), "{kind}");
    }
}
