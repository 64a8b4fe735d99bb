//! Features that Crossplane 2 removes: the checks of `crossplane beta upgrade check`, which only the CLI of 1.20 has,
//! for clusters of any version.

use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::{DoctorFacts, text, whole_object};
use super::minor_version::MinorVersion;
use super::versions;
use ucp_core::engine::code::Code;
use ucp_core::engine::controller::workload_name;
use ucp_core::engine::crossplane::CrossplaneRole;
use ucp_core::model::body::Body;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::uid::Uid;

const INSTANCES: RequiredData =
    RequiredData::Roles(&[CrossplaneRole::Managed, CrossplaneRole::Composite, CrossplaneRole::Claim]);
const COMPOSITIONS: RequiredData = RequiredData::Roles(&[CrossplaneRole::Composition]);
const PACKAGES: RequiredData = RequiredData::Roles(&[CrossplaneRole::Package]);

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "native-patch-and-transform",
        codes: &[Code::NativePatches],
        reads: &[COMPOSITIONS],
        run: native_patches,
    },
    DoctorCheck {
        name: "controller-config",
        codes: &[Code::ControllerConfigUsed],
        reads: &[PACKAGES, RequiredData::IfThere("pkg.crossplane.io", "ControllerConfig")],
        run: controller_config,
    },
    DoctorCheck {
        name: "external-secret-stores",
        codes: &[Code::SecretStoreUsed],
        reads: &[COMPOSITIONS, INSTANCES, RequiredData::IfThere("secrets.crossplane.io", "StoreConfig")],
        run: secret_stores,
    },
    DoctorCheck {
        name: "unqualified-package-source",
        codes: &[Code::PackageUnqualified],
        reads: &[PACKAGES],
        run: unqualified_sources,
    },
    DoctorCheck {
        name: "composite-connection-details",
        codes: &[Code::ConnectionDetailsComposed],
        reads: &[
            COMPOSITIONS,
            RequiredData::Roles(&[CrossplaneRole::Composite, CrossplaneRole::Claim]),
            RequiredData::IfThere("apiextensions.crossplane.io", "CompositeResourceDefinition"),
        ],
        run: connection_details,
    },
    DoctorCheck { name: "upgrade-path", codes: &[Code::UpgradePath], reads: &[PACKAGES], run: upgrade_path },
];

const TWO: MinorVersion = MinorVersion { major: 2, minor: 0 };
const LAST_OF_ONE: MinorVersion = MinorVersion { major: 1, minor: 20 };

/// Returns the severity of features that Crossplane 2 removes: an error if it is the target or is already running.
fn removal_severity(facts: &DoctorFacts<'_>) -> FindingSeverity {
    match (facts.target, facts.crossplane) {
        (Some(target), _) if target < TWO => FindingSeverity::Info,
        (Some(_), _) => FindingSeverity::Error,
        (None, Some(runs)) if runs >= TWO => FindingSeverity::Error,
        (None, _) => FindingSeverity::Warning,
    }
}

fn upgrade_finding(facts: &DoctorFacts<'_>, code: Code, resource: &Resource, evidence: &str) -> CheckFinding {
    CheckFinding::new(code, removal_severity(facts), resource.name(), evidence)
}

fn native_patches(facts: &DoctorFacts<'_>) -> CheckFindings {
    let compositions = facts.of_role(&[CrossplaneRole::Composition]);
    compositions
        .filter_map(|composition| {
            let is_list = |pointer: &str| {
                whole_object(composition).pointer(pointer).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
            };
            let mode = text(composition, "/spec/mode");
            let mut fields = Vec::new();
            if mode != Some("Pipeline") {
                fields.push(match mode {
                    Some(mode) => format!("spec.mode is {mode}"),
                    None => "spec.mode is absent, which means Resources".to_owned(),
                });
            }
            fields.extend(is_list("/spec/resources").then(|| "spec.resources is set".to_owned()));
            fields.extend(is_list("/spec/patchSets").then(|| "spec.patchSets is set".to_owned()));
            let name = quote_word(&composition.metadata.name);
            (!fields.is_empty()).then(|| {
                upgrade_finding(facts, Code::NativePatches, composition, &fields.join(", ")).with_command(format!(
                    "kubectl get composition {name} -o yaml | crossplane beta convert pipeline-composition - -o {name}.yaml"
                ))
            })
        })
        .collect()
}

fn controller_config(facts: &DoctorFacts<'_>) -> CheckFindings {
    let configs = facts.of_kind("pkg.crossplane.io", "ControllerConfig").map(|config| {
        let name = quote_word(&config.metadata.name);
        upgrade_finding(facts, Code::ControllerConfigUsed, config, "Crossplane 2 has no ControllerConfig").with_command(format!(
            "kubectl get controllerconfig {name} -o yaml | crossplane beta convert deployment-runtime - -o {name}.yaml"
        ))
    });
    let users = facts.of_role(&[CrossplaneRole::Package]).filter_map(|package| {
        let name = text(package, "/spec/controllerConfigRef/name")?;
        let evidence = format!("spec.controllerConfigRef names {name}");
        Some(upgrade_finding(facts, Code::ControllerConfigUsed, package, &evidence))
    });
    configs.chain(users).collect()
}

fn secret_stores(facts: &DoctorFacts<'_>) -> CheckFindings {
    let is_empty = |value: Option<&Value>| value.is_none_or(|value| value.as_object().is_none_or(|map| map.is_empty()));
    let stores = facts.of_kind("secrets.crossplane.io", "StoreConfig").filter(|store| {
        // Crossplane 1 creates a default one, which only has a scope.
        let spec = whole_object(store).get("spec").unwrap_or(&Value::Null);
        let is_plain = spec.get("type").is_none_or(|kind| kind == "Kubernetes")
            && is_empty(spec.get("kubernetes"))
            && is_empty(spec.get("plugin"));
        store.metadata.name != "default" || !is_plain
    });
    let stores = stores.map(|store| upgrade_finding(facts, Code::SecretStoreUsed, store, "a StoreConfig of your own"));
    let compositions = facts.of_role(&[CrossplaneRole::Composition]).filter_map(|composition| {
        let name = text(composition, "/spec/publishConnectionDetailsWithStoreConfigRef/name")?;
        let evidence = format!("spec.publishConnectionDetailsWithStoreConfigRef names {name}");
        (name != "default").then(|| upgrade_finding(facts, Code::SecretStoreUsed, composition, &evidence))
    });
    let instances = facts
        .of_role(&[CrossplaneRole::Managed, CrossplaneRole::Composite, CrossplaneRole::Claim])
        .filter_map(|object| {
            let to = whole_object(object).pointer("/spec/publishConnectionDetailsTo")?;
            // Crossplane sets it for composites, with their UID as name.
            let is_own = to.get("name").and_then(Value::as_str).map(Uid::from).as_ref() == Some(&object.metadata.uid);
            (!is_empty(Some(to)) && !is_own).then(|| {
                upgrade_finding(facts, Code::SecretStoreUsed, object, "spec.publishConnectionDetailsTo is set")
            })
        });
    let cores = facts.state.resources.iter().filter(|resource| {
        matches!(resource.body, Body::Workload(_))
            && is_flag_enabled(whole_object(resource), "--enable-external-secret-stores")
    });
    let cores = cores.map(|core| {
        upgrade_finding(facts, Code::SecretStoreUsed, core, "it runs with --enable-external-secret-stores")
    });
    stores.chain(compositions).chain(instances).chain(cores).collect()
}

/// Returns true if a container of a workload has a flag that is not set to `false`.
fn is_flag_enabled(workload: &Value, flag: &str) -> bool {
    let containers = workload.pointer("/spec/template/spec/containers").and_then(Value::as_array);
    containers.into_iter().flatten().any(|container| {
        let arguments = container.get("args").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let words: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
        words.iter().enumerate().any(|(at, word)| match word.strip_prefix(flag) {
            Some("") => words.get(at + 1).is_none_or(|next| !next.eq_ignore_ascii_case("false")),
            Some(rest) => rest.strip_prefix('=').is_some_and(|value| !value.eq_ignore_ascii_case("false")),
            None => false,
        })
    })
}

fn unqualified_sources(facts: &DoctorFacts<'_>) -> CheckFindings {
    facts
        .of_role(&[CrossplaneRole::Package])
        .filter_map(|package| {
            let Body::Package(body) = &package.body else { return None };
            let source = body.image.as_deref()?;
            (!has_registry(source)).then(|| {
                let evidence = format!("spec.package is {source}");
                let registry = default_registry(facts.crossplane);
                let patch = serde_json::json!({"spec": {"package": format!("{registry}/{source}")}}).to_string();
                upgrade_finding(facts, Code::PackageUnqualified, package, &evidence).with_command(format!(
                    "kubectl patch {} --type=merge -p {}",
                    package.name(),
                    quote_word(&patch)
                ))
            })
        })
        .collect()
}

/// Returns true if the first part of an image's name is a host, by `ParseReference` of go-containerregistry: it has a
/// dot or a port.
fn has_registry(source: &str) -> bool {
    source.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']))
}

/// Returns the default registry of packages in this version of Crossplane.
fn default_registry(runs: Option<MinorVersion>) -> &'static str {
    if runs.is_some_and(|runs| runs < LAST_OF_ONE) { "xpkg.upbound.io" } else { "xpkg.crossplane.io" }
}

fn connection_details(facts: &DoctorFacts<'_>) -> CheckFindings {
    let info = |resource: &Resource, evidence: &str| {
        CheckFinding::new(Code::ConnectionDetailsComposed, FindingSeverity::Info, resource.name(), evidence)
    };
    let has_items = |value: Option<&Value>| value.and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let definitions = facts.of_kind("apiextensions.crossplane.io", "CompositeResourceDefinition");
    let definitions = definitions
        .filter(|definition| has_items(whole_object(definition).pointer("/spec/connectionSecretKeys")))
        .map(|definition| info(definition, "spec.connectionSecretKeys is set"));
    let compositions = facts.of_role(&[CrossplaneRole::Composition]).filter_map(|composition| {
        let whole = whole_object(composition);
        let publishes = |resources: Option<&Value>| {
            let resources = resources.and_then(Value::as_array).into_iter().flatten();
            resources.into_iter().any(|resource| has_items(resource.get("connectionDetails")))
        };
        let steps = whole.pointer("/spec/pipeline").and_then(Value::as_array).into_iter().flatten();
        let mut inputs = steps.filter_map(|step| step.get("input")).filter(|input| {
            let version = input.get("apiVersion").and_then(Value::as_str);
            version.is_some_and(|version| version.starts_with("pt.fn.crossplane.io/"))
        });
        let mut fields = Vec::new();
        if text(composition, "/spec/writeConnectionSecretsToNamespace").is_some_and(|name| !name.is_empty()) {
            fields.push("spec.writeConnectionSecretsToNamespace is set");
        }
        if publishes(whole.pointer("/spec/resources")) || inputs.any(|input| publishes(input.get("resources"))) {
            fields.push("its resources have connectionDetails");
        }
        (!fields.is_empty()).then(|| info(composition, &fields.join(", ")))
    });
    let instances = facts.of_role(&[CrossplaneRole::Composite, CrossplaneRole::Claim]).filter(|object| {
        whole_object(object).pointer("/spec/writeConnectionSecretToRef").is_some_and(|reference| !reference.is_null())
    });
    let instances = instances.map(|object| info(object, "spec.writeConnectionSecretToRef is set"));
    definitions.chain(compositions).chain(instances).collect()
}

fn upgrade_path(facts: &DoctorFacts<'_>) -> CheckFindings {
    let Some(target) = facts.target else { return CheckFindings::default() };
    let Some(runs) = facts.crossplane else {
        return CheckFindings {
            unknown: vec!["no workload of Crossplane shows its version".to_owned()],
            ..CheckFindings::default()
        };
    };
    let mut answer = CheckFindings::default();
    if target.major > TWO.major {
        answer.unknown.push(format!("this version of kubectl ucp does not know what Crossplane {target} removes"));
    }
    if let Some(steps) = upgrade_obstacle(runs, target) {
        let object = versions::core_workload(facts).unwrap_or_else(|| workload_name("Deployment", None, "crossplane"));
        answer.found.push(CheckFinding::new(Code::UpgradePath, FindingSeverity::Error, object, steps));
    }
    answer
}

/// Returns the obstacle to an upgrade between two versions of Crossplane, or the versions between them.
fn upgrade_obstacle(runs: MinorVersion, target: MinorVersion) -> Option<String> {
    Some(if target < runs {
        format!("{target} is older than the running version {runs}")
    } else if runs < LAST_OF_ONE && target >= TWO {
        format!("{runs} is running, and an upgrade to {target} requires {LAST_OF_ONE}")
    } else if runs.major == target.major && target.minor > runs.minor + 1 {
        let between: Vec<String> =
            (runs.minor + 1..target.minor).map(|minor| MinorVersion { minor, ..runs }.to_string()).collect();
        format!("{runs} is running; upgrade to {} before {target}", between.join(", "))
    } else if runs < TWO && target > TWO {
        format!("{runs} is running; upgrade to {TWO} before {target}")
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn registries_are_distinguished_from_owners() {
        for (source, expected) in [
            ("xpkg.crossplane.io/crossplane-contrib/provider-nop:v0.4.0", true),
            ("localhost/provider:v1", false),
            ("registry:5000/provider:v1", true),
            ("crossplane-contrib/provider-nop:v0.4.0", false),
            ("provider-nop:v0.4.0", false),
        ] {
            assert_eq!(has_registry(source), expected, "{source}");
        }
    }

    #[test]
    fn all_steps_between_two_versions_are_listed_and_none_is_invented() {
        let release = |text: &str| MinorVersion::parse(text).unwrap();
        for (runs, target, expected) in [
            ("1.18", "2.0", Some("1.18 is running, and an upgrade to 2.0 requires 1.20")),
            ("1.20", "2.0", None),
            ("1.20", "2.1", Some("1.20 is running; upgrade to 2.0 before 2.1")),
            ("2.1", "2.4", Some("2.1 is running; upgrade to 2.2, 2.3 before 2.4")),
            ("2.1", "2.2", None),
            ("2.3", "2.1", Some("2.1 is older than the running version 2.3")),
            ("2.3", "3.0", None),
        ] {
            assert_eq!(upgrade_obstacle(release(runs), release(target)).as_deref(), expected, "{runs} to {target}");
        }
    }

    #[test]
    fn flags_are_read_as_the_cli_reads_them() {
        let workload = |args: &[&str]| json!({"spec": {"template": {"spec": {"containers": [{"args": args}]}}}});
        let flag = "--enable-external-secret-stores";
        for (args, expected) in [
            (&["core", "start", flag][..], true),
            (&[flag, "--debug"], true),
            (&[flag, "false"], false),
            (&["--enable-external-secret-stores=false"], false),
            (&["--enable-external-secret-stores=true"], true),
            (&["--enable-external-secret-stores-of-mine"], false),
        ] {
            assert_eq!(is_flag_enabled(&workload(args), flag), expected, "{args:?}");
        }
    }
}
