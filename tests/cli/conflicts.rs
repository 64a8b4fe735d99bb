//! `conflicts`: each seeded situation is told, and none is invented where all is well.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{Ran, run, ucp};
use crate::support::hub::QUOTES;
use crate::support::objects::{crossplane, merge, object, snapshot, with};
use crate::support::{self, Options, load};

const ARN: &str = "arn:aws:rds:eu-central-1:123456789012:db:quotes";

fn instance(name: &str, rest: Value) -> Value {
    let mut object = object(
        "rds.aws.upbound.io/v1beta1",
        "Instance",
        name,
        json!({
            "spec": {"forProvider": {"region": "eu-central-1"}, "providerConfigRef": {"name": "default"}},
        }),
    );
    merge(&mut object, rest);
    object
}

fn config(group: &str, name: &str, spec: Value) -> Value {
    object(&format!("{group}/v1beta1"), "ProviderConfig", name, json!({"spec": spec}))
}

fn at(arn: &str) -> Value {
    json!({"status": {"atProvider": {"arn": arn}}})
}

fn external(name: &str) -> Value {
    json!({"metadata": {"annotations": {"crossplane.io/external-name": name}}})
}

fn policies(list: &[&str]) -> Value {
    json!({"spec": {"managementPolicies": list}})
}

/// Writes each cluster into a file and asks for conflicts among all of them.
fn conflicts(clusters: &[Vec<Value>], arguments: &[&str]) -> (TempDir, Ran) {
    let directory = tempfile::tempdir().unwrap();
    let mut command = ucp(["conflicts"]);
    for (number, objects) in clusters.iter().enumerate() {
        command.arg("--from").arg(snapshot(&directory, &format!("core-{number}.json"), objects).unwrap());
    }
    command.args(arguments);
    (directory, run(command))
}

struct Situation {
    name: &'static str,
    clusters: Vec<Vec<Value>>,
    /// Code, identity's beginning or part, and winner.
    told: Option<(&'static str, &'static str, Value)>,
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn situations() -> Vec<Situation> {
    let one = |name, objects, told| Situation { name, clusters: vec![objects], told };
    let two = |name, left, right, told| Situation { name, clusters: vec![left, right], told };
    let bucket = |api: &str, name: &str, rest: Value| {
        with(object(api, "Bucket", name, json!({"spec": {"forProvider": {"region": "eu-west-1"}}})), &[rest])
    };
    let gcp = |name: &str, rest: Value| {
        with(
            object(
                "container.gcp.upbound.io/v1beta1",
                "Cluster",
                name,
                json!({"spec": {"forProvider": {"location": "europe-west1"}}}),
            ),
            &[rest],
        )
    };
    let record = |name: &str, kind: &str| {
        object(
            "route53.aws.upbound.io/v1beta1",
            "Record",
            name,
            json!({
                "metadata": {"annotations": {"crossplane.io/external-name": "Z1_www.example.org"}},
                "spec": {"forProvider": {"region": "us-east-1", "zoneId": "Z1", "name": "www.example.org", "type": kind}},
            }),
        )
    };
    let kept = |name: &str, config: &str, inner: &str| {
        object(
            "kubernetes.crossplane.io/v1alpha2",
            "Object",
            name,
            json!({
                "spec": {"providerConfigRef": {"name": config}, "forProvider": {"manifest": {
                    "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": inner, "namespace": "shop"},
                }}},
            }),
        )
    };
    let of = |config: &str| json!({"spec": {"providerConfigRef": {"name": config}}});
    let aws = |credentials: Value| config("aws.upbound.io", "default", credentials);
    let role = |account: &str| json!({"assumeRoleChain": [{"roleARN": format!("arn:aws:iam::{account}:role/x")}]});
    let injected =
        || config("kubernetes.crossplane.io", "here", json!({"credentials": {"source": "InjectedIdentity"}}));
    let endpoint = |name: &str, dns: &str, kind: &str, target: &str| {
        object(
            "externaldns.k8s.io/v1alpha1",
            "DNSEndpoint",
            name,
            json!({
                "metadata": {"namespace": "shop"},
                "spec": {"endpoints": [{"dnsName": dns, "recordType": kind, "targets": [target]}]},
            }),
        )
    };
    let www = |name: &str, target: &str| endpoint(name, "www.example.org", "A", target);
    let of_set = |name: &str, set: &str| {
        let mut one = www(name, "192.0.2.1");
        one["spec"]["endpoints"][0]["setIdentifier"] = json!(set);
        one
    };
    let external_dns = |owner: &str| {
        object(
            "apps/v1",
            "Deployment",
            "external-dns",
            json!({
                "metadata": {"namespace": "dns"},
                "spec": {"replicas": 1, "selector": {}, "template": {"spec": {"containers": [{
                    "name": "external-dns", "image": "registry.k8s.io/external-dns/external-dns:v0.19.0",
                    "args": ["--source=crd", format!("--txt-owner-id={owner}")],
                }]}}},
                "status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1},
            }),
        )
    };
    let dns = |owner: &str, endpoints: Vec<Value>| [vec![external_dns(owner)], endpoints].concat();
    let managed_by_cnrm = json!({"status": {"atProvider": {"effectiveLabels": {"managed-by-cnrm": "true"}}}});
    vec![
        one(
            "two DNSEndpoints for one name",
            dns("blue", vec![www("a", "192.0.2.1"), endpoint("b", "WWW.example.org.", "A", "192.0.2.2")]),
            Some(("UCP801", "A record www.example.org", json!("unknown"))),
        ),
        one(
            "two DNSEndpoints that agree",
            dns("blue", vec![www("a", "192.0.2.1"), www("b", "192.0.2.1")]),
            Some(("UCP801", "A record www.example.org", json!("agreed"))),
        ),
        one(
            "two DNSEndpoints of other types and sets",
            dns(
                "blue",
                vec![
                    www("a", "192.0.2.1"),
                    endpoint("b", "www.example.org", "AAAA", "2001:db8::1"),
                    endpoint("c", "api.example.org", "A", "192.0.2.2"),
                    of_set("d", "eu"),
                    of_set("e", "us"),
                ],
            ),
            None,
        ),
        two(
            "two ExternalDNS of one owner",
            dns("default", vec![www("a", "192.0.2.1")]),
            dns("default", vec![www("a", "192.0.2.2")]),
            Some(("UCP802", "A record www.example.org", json!("fight"))),
        ),
        two(
            "two ExternalDNS of owners of their own",
            dns("blue", vec![www("a", "192.0.2.1")]),
            dns("green", vec![www("a", "192.0.2.2")]),
            Some(("UCP802", "A record www.example.org", json!("unknown"))),
        ),
        one(
            "what Config Connector has labelled as its own",
            vec![gcp("a", managed_by_cnrm.clone())],
            Some(("UCP803", "cluster.container.gcp.upbound.io a", json!("nobody"))),
        ),
        one(
            "only looked at, beside Config Connector",
            vec![with(gcp("a", managed_by_cnrm), &[policies(&["Observe"])])],
            None,
        ),
        one(
            "one arn, both write the same",
            vec![instance("a", at(ARN)), instance("b", at(ARN))],
            Some(("UCP801", ARN, json!("agreed"))),
        ),
        one(
            "one arn, another size",
            vec![
                with(instance("a", at(ARN)), &[json!({"spec": {"forProvider": {"instanceClass": "db.t3.small"}}})]),
                with(instance("b", at(ARN)), &[json!({"spec": {"forProvider": {"instanceClass": "db.t3.large"}}})]),
            ],
            Some(("UCP801", ARN, json!("fight"))),
        ),
        one(
            "one observes",
            vec![instance("a", at(ARN)), with(instance("b", at(ARN)), &[policies(&["Observe"])])],
            None,
        ),
        one(
            "one is imported",
            vec![instance("a", at(ARN)), with(instance("b", at(ARN)), &[policies(&["Observe", "LateInitialize"])])],
            None,
        ),
        one(
            "both observe",
            vec![
                with(instance("a", at(ARN)), &[policies(&["Observe"])]),
                with(instance("b", at(ARN)), &[policies(&["Observe"])]),
            ],
            None,
        ),
        one(
            "one may only delete",
            vec![instance("a", at(ARN)), with(instance("b", at(ARN)), &[policies(&["Observe", "Delete"])])],
            Some(("UCP801", ARN, json!({"one": 0}))),
        ),
        one(
            "one is paused",
            vec![
                instance("a", at(ARN)),
                with(instance("b", at(ARN)), &[json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}})]),
            ],
            Some(("UCP801", ARN, json!({"one": 0}))),
        ),
        one(
            "a classic and an upjet provider",
            vec![
                instance("a", at(ARN)),
                with(
                    object(
                        "database.aws.crossplane.io/v1beta1",
                        "RDSInstance",
                        "b",
                        json!({"spec": {"forProvider": {}}}),
                    ),
                    &[at(ARN)],
                ),
            ],
            Some(("UCP801", ARN, json!("unknown"))),
        ),
        one(
            "crossplane and ack",
            vec![
                instance("a", at(ARN)),
                object(
                    "rds.services.k8s.aws/v1alpha1",
                    "DBInstance",
                    "b",
                    json!({"status": {"ackResourceMetadata": {"arn": ARN}}}),
                ),
            ],
            Some(("UCP801", ARN, json!("unknown"))),
        ),
        one(
            "ack only reads",
            vec![
                instance("a", at(ARN)),
                object(
                    "rds.services.k8s.aws/v1alpha1",
                    "DBInstance",
                    "b",
                    json!({
                        "metadata": {"annotations": {"services.k8s.aws/read-only": "true"}}, "status": {"ackResourceMetadata": {"arn": ARN}},
                    }),
                ),
            ],
            None,
        ),
        one(
            "cluster-scoped and namespaced generation",
            vec![
                instance("a", at(ARN)),
                with(
                    object(
                        "rds.aws.m.upbound.io/v1beta1",
                        "Instance",
                        "a",
                        json!({"metadata": {"namespace": "shop"}, "spec": {"forProvider": {}}}),
                    ),
                    &[at(ARN)],
                ),
            ],
            Some(("UCP801", ARN, json!("agreed"))),
        ),
        one(
            "an attachment with the arn of what it is attached to",
            vec![
                object(
                    "sns.aws.upbound.io/v1beta1",
                    "Topic",
                    "a",
                    json!({"spec": {"forProvider": {}}, "status": {"atProvider": {"arn": "arn:aws:sns:eu-west-1:1:t"}}}),
                ),
                object(
                    "sns.aws.upbound.io/v1beta1",
                    "TopicPolicy",
                    "a",
                    json!({"spec": {"forProvider": {}}, "status": {"atProvider": {"arn": "arn:aws:sns:eu-west-1:1:t"}}}),
                ),
            ],
            None,
        ),
        one(
            "crossplane and config connector",
            vec![
                gcp("a", json!({"status": {"atProvider": {"id": "projects/p/locations/europe-west1/clusters/c"}}})),
                object(
                    "container.cnrm.cloud.google.com/v1beta1",
                    "ContainerCluster",
                    "b",
                    json!({
                        "status": {"selfLink": "https://container.googleapis.com/v1/projects/p/zones/europe-west1/clusters/c"},
                    }),
                ),
            ],
            Some(("UCP801", "projects/p/locations/europe-west1/clusters/c", json!("unknown"))),
        ),
        one(
            "crossplane and azure service operator, in another case",
            vec![
                object(
                    "cache.azure.upbound.io/v1beta1",
                    "RedisCache",
                    "a",
                    json!({
                        "spec": {"forProvider": {}}, "status": {"atProvider": {"id": "/subscriptions/S/resourceGroups/g/providers/Microsoft.Cache/redis/r"}},
                    }),
                ),
                object(
                    "cache.azure.com/v1api20230801",
                    "Redis",
                    "b",
                    json!({"status": {"id": "/subscriptions/s/resourcegroups/G/providers/microsoft.cache/Redis/r"}}),
                ),
            ],
            Some(("UCP801", "/subscriptions/s/", json!("unknown"))),
        ),
        one(
            "one external name, one config",
            vec![with(instance("a", external("db")), &[]), with(instance("b", external("db")), &[])],
            Some(("UCP801", "instance.rds.aws.upbound.io db", json!("agreed"))),
        ),
        one(
            "one external name in two regions",
            vec![
                with(instance("a", external("db")), &[]),
                with(instance("b", external("db")), &[json!({"spec": {"forProvider": {"region": "us-east-1"}}})]),
            ],
            None,
        ),
        one(
            "one external name in two accounts",
            vec![
                config("aws.upbound.io", "one", role("111111111111")),
                config("aws.upbound.io", "two", role("222222222222")),
                with(instance("a", external("db")), &[json!({"spec": {"providerConfigRef": {"name": "one"}}})]),
                with(instance("b", external("db")), &[json!({"spec": {"providerConfigRef": {"name": "two"}}})]),
            ],
            None,
        ),
        one(
            "two configs of one account",
            vec![
                config("aws.upbound.io", "one", role("111111111111")),
                config("aws.upbound.io", "two", role("111111111111")),
                with(instance("a", external("db")), &[json!({"spec": {"providerConfigRef": {"name": "one"}}})]),
                with(instance("b", external("db")), &[json!({"spec": {"providerConfigRef": {"name": "two"}}})]),
            ],
            Some(("UCP801", "instance.rds.aws.upbound.io db", json!("agreed"))),
        ),
        one(
            "parts of two wholes have one name",
            vec![
                object(
                    "container.gcp.upbound.io/v1beta1",
                    "NodePool",
                    "a",
                    json!({"metadata": {"annotations": {"crossplane.io/external-name": "pool"}}, "spec": {"forProvider": {"cluster": "one"}}}),
                ),
                object(
                    "container.gcp.upbound.io/v1beta1",
                    "NodePool",
                    "b",
                    json!({"metadata": {"annotations": {"crossplane.io/external-name": "pool"}}, "spec": {"forProvider": {"cluster": "two"}}}),
                ),
            ],
            None,
        ),
        one(
            "two records of one name and type",
            vec![record("a", "A"), record("b", "A")],
            Some(("UCP801", "record.route53.aws.upbound.io", json!("agreed"))),
        ),
        one("records of two types", vec![record("a", "A"), record("b", "TXT")], None),
        one(
            "two objects of provider-kubernetes on one",
            vec![kept("a", "prod", "settings"), kept("b", "prod", "settings")],
            Some(("UCP801", "configmap shop/settings behind", json!("agreed"))),
        ),
        one("one object in two clusters", vec![kept("a", "prod", "settings"), kept("b", "stage", "settings")], None),
        one(
            "tags of somebody else",
            vec![with(
                bucket("s3.aws.upbound.io/v1beta1", "a", json!({})),
                &[
                    json!({"status": {"atProvider": {"tags": {"crossplane-name": "other", "crossplane-kind": "bucket.s3.aws.upbound.io"}}}}),
                ],
            )],
            Some(("UCP803", "bucket.s3.aws.upbound.io a", json!("nobody"))),
        ),
        one(
            "its own tags",
            vec![with(
                bucket("s3.aws.upbound.io/v1beta1", "a", json!({})),
                &[
                    json!({"status": {"atProvider": {"tags": {"crossplane-name": "a", "crossplane-kind": "bucket.s3.aws.upbound.io"}}}}),
                ],
            )],
            None,
        ),
        one(
            "somebody else's tags, and it only looks",
            vec![with(
                bucket("s3.aws.upbound.io/v1beta1", "a", policies(&["Observe"])),
                &[json!({"status": {"atProvider": {"tags": {"crossplane-name": "other"}}}})],
            )],
            None,
        ),
        one(
            "config connector says so",
            vec![object(
                "storage.cnrm.cloud.google.com/v1beta1",
                "StorageBucket",
                "b",
                json!({"status": {"conditions": [
                    {"type": "Ready", "status": "False", "reason": "ManagementConflict", "message": "another lease holder", "lastTransitionTime": "2026-11-01T10:00:00Z"},
                ]}}),
            )],
            Some(("UCP804", "storagebucket", json!("nobody"))),
        ),
        // Two core clusters from one repository: all that they write is the same, their tags too.
        two(
            "two cores on one database",
            vec![instance("quotes", at(ARN))],
            vec![instance("quotes", at(ARN))],
            Some(("UCP801", ARN, json!("agreed"))),
        ),
        two(
            "two cores, each with a database of its own",
            vec![instance("quotes", at(ARN))],
            vec![instance("quotes", at("arn:aws:rds:eu-central-1:999999999999:db:quotes"))],
            None,
        ),
        two(
            "two cores that read the same and tell no account",
            vec![aws(json!({"credentials": {"source": "Secret"}})), with(instance("quotes", external("db")), &[])],
            vec![aws(json!({"credentials": {"source": "Secret"}})), with(instance("quotes", external("db")), &[])],
            Some(("UCP802", "instance.rds.aws.upbound.io db", json!("agreed"))),
        ),
        two(
            "two cores of two accounts",
            vec![aws(role("111111111111")), with(instance("quotes", external("db")), &[])],
            vec![aws(role("222222222222")), with(instance("quotes", external("db")), &[])],
            None,
        ),
        two(
            "two cores of one account",
            vec![aws(role("111111111111")), with(instance("quotes", external("db")), &[])],
            vec![aws(role("111111111111")), with(instance("quotes", external("db")), &[])],
            Some(("UCP801", "instance.rds.aws.upbound.io db", json!("agreed"))),
        ),
        two(
            "each keeps an object in itself",
            vec![injected(), kept("a", "here", "settings")],
            vec![injected(), kept("a", "here", "settings")],
            None,
        ),
        one(
            "accounts that are not known",
            vec![instance("a", with(external("db"), &[of("one")])), instance("b", with(external("db"), &[of("two")]))],
            Some(("UCP802", "instance.rds.aws.upbound.io db", json!("agreed"))),
        ),
        one(
            "different accounts",
            vec![
                config("aws.upbound.io", "one", role("111111111111")),
                config("aws.upbound.io", "two", role("222222222222")),
                instance("a", with(external("db"), &[of("one")])),
                instance("b", with(external("db"), &[of("two")])),
            ],
            None,
        ),
        one(
            "a name of the whole cloud in two regions and configs",
            vec![
                config(
                    "aws.upbound.io",
                    "one",
                    json!({"credentials": {"source": "Secret", "secretRef": {"name": "a"}}}),
                ),
                config(
                    "aws.upbound.io",
                    "two",
                    json!({"credentials": {"source": "Secret", "secretRef": {"name": "b"}}}),
                ),
                bucket("s3.aws.upbound.io/v1beta1", "a", with(external("logs"), &[of("one")])),
                bucket(
                    "s3.aws.upbound.io/v1beta1",
                    "b",
                    with(external("logs"), &[of("two"), json!({"spec": {"forProvider": {"region": "us-east-1"}}})]),
                ),
            ],
            Some(("UCP802", "bucket.s3.aws.upbound.io logs", json!("fight"))),
        ),
        two(
            "one cluster, named twice",
            vec![with(instance("quotes", at(ARN)), &[json!({"metadata": {"uid": "u"}})])],
            vec![with(instance("quotes", at(ARN)), &[json!({"metadata": {"uid": "u"}})])],
            None,
        ),
    ]
}

#[test]
fn every_situation_is_told_and_none_is_invented() {
    for Situation { name, clusters, told } in situations() {
        let (_directory, ran) = conflicts(&clusters, &["-o", "json"]);
        let document = ran.clone().expect(i32::from(told.is_some())).json();
        let items = document["items"].as_array().unwrap();
        match told {
            None => assert_eq!(items, &Vec::<Value>::new(), "{name}"),
            Some((code, identity, winner)) => {
                assert_eq!(items.len(), 1, "{name}: {document}");
                let item = &items[0];
                assert_eq!(item["code"], code, "{name}: {item}");
                assert!(item["identity"].as_str().unwrap().contains(identity), "{name}: {item}");
                assert_eq!(item["winner"], winner, "{name}: {item}");
                assert_eq!(document["findings"][0]["code"], code, "{name}");
                let certain = if matches!(code, "UCP801" | "UCP804") { "certain" } else { "suspected" };
                assert_eq!(item["certainty"], certain, "{name}");
            }
        }
    }
}

#[test]
fn a_healthy_hub_has_no_conflicts() {
    for path in [QUOTES, "tests/fixtures/night"] {
        let ran = run(ucp(["conflicts", "--from", path]));
        assert!(matches!(ran.code, Some(0 | 4)) && ran.stdout.starts_with("No conflicts"), "{path}: {ran:?}");
    }
}

#[test]
fn a_person_sees_who_claims_what_and_who_wins() {
    let small = json!({"spec": {"forProvider": {"instanceClass": "small"}}});
    let large = json!({"spec": {"forProvider": {"instanceClass": "large"}}, "metadata": {"creationTimestamp": "2026-11-18T09:00:00Z"}});
    let clusters =
        [vec![with(instance("quotes", at(ARN)), &[small])], vec![with(instance("quotes", at(ARN)), &[large])]];
    let (_directory, ran) = conflicts(&clusters, &[]);
    let text = ran.expect(1).stdout;
    assert!(text.starts_with(&format!("UCP801 {ARN}, for 0s\n")), "{text}");
    assert!(text.contains("core-0.json: [*]; deletes the resource when deleted; 17d\n"), "{text}");
    assert!(
        text.contains("they differ in spec.forProvider.instanceClass; deleting any of 2 deletes it for all"),
        "{text}"
    );
    assert!(text.ends_with("1 conflict among 2 objects.\n"), "{text}");
    let (_directory, ran) = conflicts(&clusters, &["-o", "name"]);
    assert_eq!(ran.expect(1).stdout, "instance.rds.aws.upbound.io/quotes\n".repeat(2));
    let (_directory, ran) = conflicts(&clusters, &["-o", "markdown"]);
    assert!(ran.expect(1).stdout.contains("### UCP801"));
}

/// A provider that does not run changes nothing outside.
#[test]
fn whose_provider_is_down_does_not_win() {
    let provider = |ready: u32| {
        vec![
            object(
                "pkg.crossplane.io/v1",
                "Provider",
                "aws-rds",
                json!({
                    "spec": {"package": "xpkg.example.org/upbound/provider-aws-rds:v1"}, "status": {"currentRevision": "aws-rds-1", "conditions": [
                        {"type": "Installed", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
                        {"type": "Healthy", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
                    ]},
                }),
            ),
            object(
                "pkg.crossplane.io/v1",
                "ProviderRevision",
                "aws-rds-1",
                json!({
                    "metadata": {"uid": "r", "labels": {"pkg.crossplane.io/package": "aws-rds"}},
                    "spec": {"desiredState": "Active", "image": "xpkg.example.org/upbound/provider-aws-rds:v1", "revision": 1},
                    "status": {"objectRefs": [{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": "instances.rds.aws.upbound.io"}]},
                }),
            ),
            object(
                "apps/v1",
                "Deployment",
                "aws-rds-1",
                json!({
                    "metadata": {"namespace": "crossplane-system", "labels": {"pkg.crossplane.io/provider": "provider-aws-rds"}, "ownerReferences": [
                        {"apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "name": "aws-rds-1", "uid": "r", "controller": true},
                    ]},
                    "spec": {"replicas": ready, "selector": {}, "template": {"spec": {"containers": []}}}, "status": {"readyReplicas": ready},
                }),
            ),
        ]
    };
    let cluster = |ready: u32| [provider(ready), vec![instance("quotes", at(ARN))]].concat();
    let (_directory, ran) = conflicts(&[cluster(1), cluster(0)], &["-o", "json"]);
    let item = ran.expect(1).json()["items"][0].clone();
    assert_eq!(item["winner"], json!({"one": 0}), "{item}");
    assert!(item["claimants"][1]["idle"].as_str().unwrap().contains("is not running"), "{item}");
}

#[test]
fn only_certain_ones_where_that_is_asked() {
    let tagged =
        with(instance("a", json!({})), &[json!({"status": {"atProvider": {"tags": {"crossplane-name": "other"}}}})]);
    let clusters = [vec![tagged]];
    assert!(conflicts(&clusters, &[]).1.expect(1).stdout.contains("(suspected)"));
    conflicts(&clusters, &["--certain"]).1.expect(0);
}

/// Blue and green core clusters, both made from one Git repository: their objects are alike to the last tag.
#[test]
fn two_core_clusters_of_one_repository() {
    let Some(blue) = support::start(Options::named("blue")) else { return };
    let Some(green) = support::start(Options::named("green")) else { return };
    let directory = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        let done = command.current_dir(directory.path()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let bucket = object(
        "s3.aws.m.upbound.io/v1beta1",
        "Bucket",
        "quotes",
        json!({"metadata": {"namespace": "default"}, "spec": {"forProvider": {"region": "eu-central-1"}}}),
    );
    git(&["init", "-q", "platform"]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [bucket, crossplane()]});
    std::fs::write(directory.path().join("platform/core.json"), list.to_string()).unwrap();
    git(&["-C", "platform", "add", "."]);
    git(&["-C", "platform", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Add a bucket"]);
    for (name, cluster) in [("blue", &blue), ("green", &green)] {
        git(&["clone", "-q", "platform", name]);
        let clone = directory.path().join(name);
        // What each provider writes back is the same, as upjet tags by kind and name.
        let tags = json!({"crossplane-kind": "bucket.s3.aws.m.upbound.io", "crossplane-name": "quotes", "crossplane-providerconfig": "default"});
        let objects =
            load::manifests::read(&clone).unwrap().into_iter().map(|object| match object["kind"] == "Bucket" {
                true => {
                    with(object, &[at("arn:aws:s3:::quotes"), json!({"status": {"atProvider": {"tagsAll": tags}}})])
                }
                false => object,
            });
        let objects: Vec<Value> = objects.collect();
        load::install_all_crds(cluster).unwrap();
        support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    }
    let kubeconfig = crate::sources::kubeconfig(
        directory.path(),
        &[("blue", blue.kubeconfig()), ("green", green.kubeconfig())],
        &[],
    );
    let on = |arguments: &[&str]| {
        let mut command = ucp([&["conflicts"], arguments].concat());
        command.env("KUBECONFIG", &kubeconfig);
        run(command)
    };
    // Of each alone, its own tags prove nothing.
    on(&["--context", "blue"]).expect(0);
    let document = on(&["--contexts", "blue,green", "-o", "json"]).expect(1).json();
    let item = &document["items"][0];
    assert_eq!(document["items"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(
        (&item["code"], &item["certainty"], &item["winner"]),
        (&json!("UCP801"), &json!("certain"), &json!("agreed"))
    );
    let claimants: Vec<_> = item["claimants"].as_array().unwrap().iter().map(|one| &one["source"]["context"]).collect();
    assert_eq!(claimants, ["blue", "green"], "{item}");
    let text = on(&["--contexts", "blue,green"]).expect(1).stdout;
    assert!(text.contains("deleting any of 2 deletes it for all"), "{text}");
    // One of them only looks: there is nothing to decide any more.
    let patch = json!({"spec": {"managementPolicies": ["Observe"]}}).to_string();
    let done = green
        .kubectl(["patch", "buckets.s3.aws.m.upbound.io", "quotes", "-n", "default", "--type=merge", "-p", &patch])
        .output();
    assert!(done.unwrap().status.success());
    on(&["--contexts", "blue,green"]).expect(0);
}

/// Before anything is observed, what both declare is all that there is.
#[test]
fn twins_are_suspected_before_anything_is_observed() {
    let bucket = |group: &str, namespace: Option<&str>| {
        object(
            &format!("{group}/v1beta1"),
            "Bucket",
            "logs",
            json!({"metadata": {"namespace": namespace, "uid": group}, "spec": {"forProvider": {"region": "eu-west-1"}}}),
        )
    };
    let named = |service: &str, kind: &str, name: &str, region: &str| {
        object(
            &format!("{service}.aws.upbound.io/v1beta1"),
            kind,
            name,
            json!({
                "metadata": {"uid": name, "annotations": {"crossplane.io/external-name": "acme-logs"}},
                "spec": {"forProvider": {"region": region}},
            }),
        )
    };
    let manifest = |name: &str, config: &str, version: &str, namespace: Option<&str>| {
        object(
            "kubernetes.crossplane.io/v1alpha2",
            "Object",
            name,
            json!({"metadata": {"uid": name}, "spec": {"providerConfigRef": {"name": config}, "forProvider": {
                "manifest": {"apiVersion": version, "kind": "Ingress", "metadata": {"name": "web", "namespace": namespace}},
            }}}),
        )
    };
    let here =
        |name: &str| config("kubernetes.crossplane.io", name, json!({"credentials": {"source": "InjectedIdentity"}}));
    let rule = |name: &str, port: u16| {
        object(
            "ec2.aws.upbound.io/v1beta1",
            "SecurityGroupRule",
            name,
            json!({"metadata": {"uid": name}, "spec": {"providerConfigRef": {"name": "default"}, "forProvider": {
                "region": "eu-west-1", "securityGroupId": "sg-1", "type": "ingress", "fromPort": port, "toPort": port, "cidrBlocks": ["10.0.0.0/8"],
            }}}),
        )
    };
    let policy_with = |name: &str, body: &str| {
        object(
            "s3.aws.upbound.io/v1beta1",
            "BucketPolicy",
            name,
            json!({"metadata": {"uid": name}, "spec": {"providerConfigRef": {"name": "default"}, "forProvider": {
                "region": "eu-west-1", "bucket": "logs", "policy": body,
            }}}),
        )
    };
    let policy = |name: &str| policy_with(name, "{}");
    // Each reverts the other.
    let fight = [policy_with("a", "{\"a\":1}"), policy_with("b", "{\"b\":1}"), crossplane()];
    let (_directory, ran) = conflicts(&[fight.to_vec()], &["-o", "json"]);
    let document = ran.expect(1).json();
    assert_eq!(document["items"][0]["certainty"], "suspected", "{document}");
    assert_eq!(document["items"][0]["fields"], json!(["spec.forProvider.policy"]), "{document}");
    for (objects, expected) in [
        (vec![bucket("s3.aws.upbound.io", None), bucket("s3.aws.m.upbound.io", Some("shop"))], 1),
        (vec![bucket("s3.aws.upbound.io", None)], 0),
        // The name of a bucket is taken in every region, and that of a queue in its own.
        (vec![named("s3", "Bucket", "a", "eu-west-1"), named("s3", "Bucket", "b", "us-east-1")], 1),
        (vec![named("sqs", "Queue", "a", "eu-west-1"), named("sqs", "Queue", "b", "us-east-1")], 0),
        (
            vec![
                manifest("a", "one", "networking.k8s.io/v1", None),
                manifest("b", "two", "networking.k8s.io/v1beta1", Some("default")),
                here("one"),
                here("two"),
            ],
            1,
        ),
        (vec![manifest("a", "one", "v1", None), manifest("b", "two", "v1", Some("shop")), here("one"), here("two")], 0),
        (vec![rule("a", 443), rule("b", 443)], 1),
        (vec![rule("a", 443), rule("b", 80)], 0),
        (vec![policy("a"), policy("b")], 1),
    ] {
        let (_directory, ran) = conflicts(&[[objects, vec![crossplane()]].concat()], &["-o", "json"]);
        let document = ran.expect(expected).json();
        let items = document["items"].as_array().unwrap();
        assert_eq!(items.len(), usize::try_from(expected).unwrap(), "{document}");
        assert!(items.iter().all(|item| item["certainty"] == "suspected" && item["code"] == "UCP802"), "{document}");
    }
}
