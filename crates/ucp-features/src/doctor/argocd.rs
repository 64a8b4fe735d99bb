//! Settings of Argo CD that hide changes or health problems from it: ConfigMap `argocd-cm`.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::{DoctorFacts, whole_object};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::body::Body;
use ucp_core::model::glob;
use ucp_core::model::health_rule::{self, SettingsNamespace};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::weight::from_yaml;

/// They show in which namespace Argo CD is.
const PROJECTS: RequiredData = RequiredData::IfThere("argoproj.io", "AppProject");
const SETTINGS: RequiredData = RequiredData::IfThere("", "ConfigMap");
const APPLICATIONS: RequiredData = RequiredData::IfThere("argoproj.io", "Application");

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "tracking-method",
        codes: &[Code::TrackingByLabel],
        reads: &[APPLICATIONS, SETTINGS, PROJECTS],
        run: tracking_method,
    },
    DoctorCheck {
        name: "excluded-kinds",
        codes: &[Code::KindsExcluded],
        reads: &[APPLICATIONS, SETTINGS, PROJECTS],
        run: excluded_kinds,
    },
    DoctorCheck {
        name: "health-checks",
        codes: &[Code::HealthUnchecked],
        reads: &[APPLICATIONS, SETTINGS, PROJECTS],
        run: missing_health_checks,
    },
    DoctorCheck {
        name: "git-polling",
        codes: &[Code::GitNotPolled],
        reads: &[APPLICATIONS, SETTINGS, PROJECTS],
        run: git_polling,
    },
];

/// Roles of the kinds whose state an Application should show.
const SHOWN: &[CrossplaneRole] = &[CrossplaneRole::Managed, CrossplaneRole::Composite, CrossplaneRole::Claim];

/// Returns the settings of Argo CD, or why it is not known which they are.
fn settings<'a>(facts: &'a DoctorFacts<'_>) -> (Vec<&'a Resource>, Option<String>) {
    let maps: Vec<_> =
        facts.of_kind("", "ConfigMap").filter(|map| map.metadata.name == health_rule::SETTINGS).collect();
    let namespaces = |resources: &mut dyn Iterator<Item = &Resource>| {
        resources.filter_map(|resource| resource.metadata.namespace.clone()).collect()
    };
    let projects = namespaces(&mut facts.of_kind("argoproj.io", "AppProject"));
    let home = SettingsNamespace::find(&namespaces(&mut maps.iter().copied()), &projects);
    let is_home = |map: &&Resource| home.known.is_some() && map.metadata.namespace == home.known;
    (maps.into_iter().filter(is_home).collect(), home.doubt)
}

/// Runs a check on the settings of Argo CD. If they were not read, the result is unknown.
fn check_each(facts: &DoctorFacts<'_>, ask: impl Fn(&Resource) -> Vec<CheckFinding>) -> CheckFindings {
    let (settings, doubt) = settings(facts);
    let is_there = facts.of_kind("argoproj.io", "Application").next().is_some();
    let missing = (settings.is_empty() && is_there).then(|| "ConfigMap argocd-cm was not found".to_owned());
    let unknown = doubt.or(missing);
    CheckFindings { found: settings.into_iter().flat_map(ask).collect(), unknown: unknown.into_iter().collect() }
}

fn setting<'a>(map: &'a Resource, key: &str) -> Option<&'a str> {
    whole_object(map).get("data")?.get(key)?.as_str().map(str::trim)
}

/// Parses a setting whose value is YAML.
fn parsed<T: DeserializeOwned>(map: &Resource, key: &str) -> Option<T> {
    from_yaml(setting(map, key)?).ok()
}

fn patch_command(map: &Resource, key: &str, value: &str) -> String {
    format!(r#"kubectl patch {} --type=merge -p '{{"data":{{"{key}":"{value}"}}}}'"#, map.name())
}

fn tracking_method(facts: &DoctorFacts<'_>) -> CheckFindings {
    const KEY: &str = "application.resourceTrackingMethod";
    check_each(facts, |map| {
        let found = setting(map, KEY).filter(|method| *method == "label").map(|_| {
            CheckFinding::new(Code::TrackingByLabel, FindingSeverity::Warning, map.name(), format!("{KEY} is label"))
                .with_command(patch_command(map, KEY, "annotation"))
        });
        found.into_iter().collect()
    })
}

/// An entry of `resource.exclusions` or `resource.inclusions`, with glob patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResourceFilter {
    api_groups: Vec<String>,
    kinds: Vec<String>,
    clusters: Vec<String>,
}

impl ResourceFilter {
    fn matches(&self, kind: &ResourceKind) -> bool {
        let any = |patterns: &[String], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| glob::matches(pattern, text))
        };
        let is_here = any(&self.clusters, "https://kubernetes.default.svc");
        is_here && any(&self.api_groups, &kind.group) && any(&self.kinds, &kind.kind)
    }
}

fn excluded_kinds(facts: &DoctorFacts<'_>) -> CheckFindings {
    let populated: BTreeSet<_> = facts.of_role(SHOWN).map(|resource| &resource.kind).collect();
    check_each(facts, |map| {
        let list = |key: &str| parsed::<Vec<ResourceFilter>>(map, key).unwrap_or_default();
        let (exclusions, inclusions) = (list("resource.exclusions"), list("resource.inclusions"));
        let hidden = |kind: &ResourceKind| {
            let is_excluded = exclusions.iter().any(|filter| filter.matches(kind));
            let is_included = inclusions.is_empty() || inclusions.iter().any(|filter| filter.matches(kind));
            is_excluded || !is_included
        };
        let hidden: Vec<_> = populated.iter().filter(|kind| hidden(kind)).map(|kind| kind.qualified_plural()).collect();
        if hidden.is_empty() {
            return Vec::new();
        }
        let more = hidden.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more kinds") } else { String::new() };
        let named = hidden[..hidden.len().min(3)].join(", ");
        let evidence = format!("resource.exclusions or resource.inclusions hide {named}{more}, which have objects");
        let found = CheckFinding::new(Code::KindsExcluded, FindingSeverity::Warning, map.name(), evidence);
        vec![found.with_command(format!("kubectl edit {}", map.name()))]
    })
}

/// Groups for which Argo CD has built-in health checks: `resource_customizations/_.crossplane.io` and `_.upbound.io`.
const CHECKED: [&str; 2] = ["*.crossplane.io", "*.upbound.io"];

fn missing_health_checks(facts: &DoctorFacts<'_>) -> CheckFindings {
    let composed: Vec<_> = facts
        .state
        .kinds
        .iter()
        .filter(|kind| matches!(role(kind), Some(CrossplaneRole::Composite | CrossplaneRole::Claim)))
        .filter(|kind| !CHECKED.iter().any(|pattern| glob::matches(pattern, &kind.group)))
        .collect();
    let mut deployed: BTreeSet<(&str, &str)> = BTreeSet::new();
    for application in facts.of_kind("argoproj.io", "Application") {
        let Body::Application(body) = &application.body else { continue };
        if body.spec.destination.is_this_cluster() {
            deployed.extend(body.status.resources.iter().map(|one| (one.group.as_str(), one.kind.as_str())));
        }
    }
    check_each(facts, |map| {
        let data = whole_object(map).get("data").and_then(Value::as_object);
        let customized = parsed::<Value>(map, "resource.customizations").unwrap_or_default();
        let has_check = |kind: &ResourceKind| {
            let own = format!("resource.customizations.health.{}_{}", kind.group, kind.kind);
            let path = format!("{}/{}", kind.group, kind.kind);
            let in_list = customized
                .as_object()
                .into_iter()
                .flatten()
                .any(|(pattern, value)| glob::matches(pattern, &path) && value.get("health.lua").is_some());
            in_list || data.is_some_and(|data| data.contains_key(&own))
        };
        let blind = composed
            .iter()
            .filter(|kind| deployed.contains(&(kind.group.as_str(), kind.kind.as_str())) && !has_check(kind));
        blind
            .map(|kind| {
                let key = format!("resource.customizations.health.{}_{}", kind.group, kind.kind);
                let evidence = format!("an Application deploys {}, and {key} is not set", kind.qualified_plural());
                CheckFinding::new(Code::HealthUnchecked, FindingSeverity::Warning, map.name(), evidence)
                    .with_command(format!("kubectl edit {}", map.name()))
            })
            .collect()
    })
}

fn git_polling(facts: &DoctorFacts<'_>) -> CheckFindings {
    const KEY: &str = "timeout.reconciliation";
    check_each(facts, |map| {
        let is_off = |value: &&str| ["0", "0s", "0m", "0h"].contains(value);
        let found = setting(map, KEY).filter(is_off).map(|value| {
            CheckFinding::new(Code::GitNotPolled, FindingSeverity::Info, map.name(), format!("{KEY} is {value}"))
                .with_command(patch_command(map, KEY, "180s"))
        });
        found.into_iter().collect()
    })
}
