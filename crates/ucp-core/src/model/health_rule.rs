//! Health rules of Argo CD: scripts in Lua that a hub's `argocd-cm` defines for kinds, and files in the same form.

pub mod ownership;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::failure::{Failure, fail};
use crate::model::git_ops::{ARGO_CD_NAMESPACE, argo_cd_namespace};
use crate::model::glob;
use crate::model::health_check::HealthCheck;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectKey;
use crate::model::time::parse_duration;
use crate::model::weight::from_yaml;
use ownership::OwnershipSettings;

/// The name of the ConfigMap with the settings of Argo CD.
pub const SETTINGS: &str = "argocd-cm";
/// The name of the ConfigMap with the flags of Argo CD's controllers.
pub const PARAMETERS: &str = "argocd-cmd-params-cm";
/// The key with rules of several kinds, by `group/kind` with wildcards.
const ALL: &str = "resource.customizations";
/// The prefix of keys with the rule of one kind, `<group>_<kind>`.
const HEALTH: &str = "resource.customizations.health.";
/// The prefix of keys that give the libraries of Lua to the rule of one kind.
const LIBRARIES: &str = "resource.customizations.useOpenLibs.";

/// Where a rule is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleOrigin {
    /// `argocd-cm` of the cluster.
    Hub,
    /// A file of the user: its path.
    File(String),
}

impl RuleOrigin {
    /// Returns the words for reports.
    pub fn words(&self) -> String {
        match self {
            Self::Hub => "health rule of this hub's Argo CD".to_owned(),
            Self::File(path) => format!("health rule of {path}"),
        }
    }
}

/// The libraries of Lua that a rule may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLibraries {
    /// Tables and times.
    Restricted,
    /// Also texts and mathematics.
    Open,
}

/// The rule for a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthRule {
    /// `group/kind`, which may contain wildcards; only the kind for the core group.
    pattern: String,
    /// The script.
    pub script: String,
    /// Its libraries.
    pub libraries: RuleLibraries,
    /// Where it is from.
    pub origin: RuleOrigin,
}

/// The key with the time between two comparisons of an Application.
const COMPARISONS: &str = "timeout.reconciliation";

/// Rules, in order of precedence, and the other settings of a hub's engines that verdicts depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthRules {
    rules: Vec<HealthRule>,
    /// Health checks of Flux, each for the objects of its Kustomization.
    checks: Vec<HealthCheck>,
    /// The longest time between two comparisons of an Application that an Argo CD of the cluster sets; zero if one of
    /// them only compares when it is asked to.
    pub comparison_interval: Option<Duration>,
    /// The settings of the Argo CD of the cluster about its objects, with its namespace; `None` if they were not read.
    pub ownership: Option<Arc<(String, OwnershipSettings)>>,
    /// `application.namespaces` of `argocd-cmd-params-cm`, by the namespace of the ConfigMap; only from snapshots.
    pub application_namespaces: BTreeMap<String, String>,
    /// The time that the rules and checks took.
    time: RuleTime,
}

/// The limit for the time of all rules and checks of one state together.
const LONGEST: Duration = Duration::from_secs(30);

/// The time that rules and checks took for the objects of a state, which is known by its moment.
#[derive(Debug, Clone, Default)]
struct RuleTime(Arc<Mutex<(Timestamp, Duration)>>);

impl PartialEq for RuleTime {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RuleTime {}

/// The namespace with the settings of Argo CD, among those with a ConfigMap of that name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SettingsNamespace {
    /// The namespace; `None` if there are no settings, or which are Argo CD's is not known.
    pub known: Option<String>,
    /// The reason why settings are ignored that may be Argo CD's.
    pub doubt: Option<String>,
}

impl SettingsNamespace {
    /// Finds the namespace. A tenant may create a ConfigMap of this name in its own namespace, so the settings count in
    /// the default namespace, or in the only one with AppProjects, which Argo CD reads in its own namespace alone.
    pub fn find(maps: &BTreeSet<String>, projects: &BTreeSet<String>) -> Self {
        let projects: BTreeSet<&str> = projects.iter().map(String::as_str).collect();
        let home = match projects.is_empty() {
            true => maps.contains(ARGO_CD_NAMESPACE).then_some(ARGO_CD_NAMESPACE),
            false => argo_cd_namespace(&projects),
        };
        let others: Vec<&str> = match projects.is_empty() {
            true => maps.iter().filter(|_| home.is_none()).map(String::as_str).collect(),
            false => {
                let all = maps.iter().map(String::as_str);
                all.filter(|map| projects.contains(map) && Some(*map) != home).collect()
            }
        };
        let doubt = (!others.is_empty()).then(|| {
            let shown = others.iter().take(3).copied().collect::<Vec<_>>().join(", ");
            format!("whether the {SETTINGS} in {shown} is that of an Argo CD is not known")
        });
        Self { known: home.filter(|home| maps.contains(*home)).map(str::to_owned), doubt }
    }
}

impl HealthRules {
    /// Runs a rule or check for an object of the state with this moment.
    ///
    /// # Errors
    /// Fails when all of them together took too long, or with the error of the rule.
    pub fn timed<T>(&self, moment: Timestamp, run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let spent = |more: Duration| {
            let mut time = self.time.0.lock().unwrap_or_else(PoisonError::into_inner);
            if time.0 != moment {
                *time = (moment, Duration::ZERO);
            }
            time.1 += more;
            time.1
        };
        if spent(Duration::ZERO) > LONGEST {
            return fail!("all rules and checks together took more than {}s", LONGEST.as_secs());
        }
        let begun = std::time::Instant::now();
        let result = run();
        spent(begun.elapsed());
        result
    }

    /// Reads the text of a file: `argocd-cm` as a manifest, or only its `data`.
    ///
    /// # Errors
    /// Fails with a message if the file is malformed, or contains no rule.
    pub fn from_file(path: &str, text: &str) -> Result<Self, Failure> {
        let document: Value = from_yaml(text).map_err(|error| error.without_snippet().to_string())?;
        let data = document.get("data").unwrap_or(&document).as_object();
        let rules = Self::from_data(data.unwrap_or(&Map::new()), &RuleOrigin::File(path.to_owned()))?;
        match rules.is_empty() {
            true => fail!("it has no key {HEALTH}GROUP_KIND, and no health.lua in {ALL}"),
            false => Ok(rules),
        }
    }

    /// Reads `argocd-cm` of a cluster; other objects contain no rules.
    ///
    /// # Errors
    /// Fails with a message if the rules are malformed.
    pub fn from_config_map(object: &Value) -> Result<Self, Failure> {
        let is_settings = object.pointer("/metadata/name").and_then(Value::as_str) == Some(SETTINGS);
        let namespace = || object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default().to_owned();
        match object.get("data").and_then(Value::as_object).filter(|_| is_settings) {
            Some(data) => {
                let interval = data.get(COMPARISONS).and_then(Value::as_str).and_then(|text| parse_duration(text).ok());
                let ownership = Some(Arc::new((namespace(), OwnershipSettings::from_data(data))));
                Ok(Self { comparison_interval: interval, ownership, ..Self::from_data(data, &RuleOrigin::Hub)? })
            }
            None if is_settings => {
                let ownership = Some(Arc::new((namespace(), OwnershipSettings::from_data(&Map::new()))));
                Ok(Self { ownership, ..Self::default() })
            }
            None => Ok(Self::default()),
        }
    }

    fn from_data(data: &Map<String, Value>, origin: &RuleOrigin) -> Result<Self, Failure> {
        let listed: Option<Value> = match data.get(ALL).and_then(Value::as_str).filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(from_yaml(text).map_err(|error| format!("{ALL}: {}", error.without_snippet()))?),
            None => None,
        };
        let rule = |pattern: String, script: &Value, is_open: bool| {
            let script = script.as_str().filter(|script| !script.trim().is_empty())?.to_owned();
            let libraries = if is_open { RuleLibraries::Open } else { RuleLibraries::Restricted };
            Some(HealthRule { pattern, script, libraries, origin: origin.clone() })
        };
        let is_true = |value: Option<&Value>| value.is_some_and(|value| value == true || value == "true");
        let keyed = data.iter().filter_map(|(key, script)| {
            let kind = key.strip_prefix(HEALTH)?;
            let is_open = is_true(data.get(&format!("{LIBRARIES}{kind}")));
            let pattern = if kind == "all" { "*/*".to_owned() } else { kind.replacen('_', "/", 1) };
            rule(pattern, script, is_open)
        });
        let listed = listed.iter().filter_map(Value::as_object).flatten().filter_map(|(pattern, fields)| {
            rule(pattern.clone(), fields.get("health.lua")?, is_true(fields.get("health.lua.useOpenLibs")))
        });
        Ok(Self { rules: keyed.chain(listed).collect(), ..Self::default() })
    }

    /// Reads the health checks of a Kustomization of Flux; other objects contain none.
    pub fn from_kustomization(object: &Value) -> Self {
        Self { checks: HealthCheck::list_of_kustomization(object), ..Self::default() }
    }

    /// Returns true if there are no rules and no checks.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.checks.is_empty()
    }

    /// Returns true if a rule or check may decide for objects of a kind.
    pub fn may_decide_for(&self, kind: &ResourceKind) -> bool {
        self.rule_for(kind).is_some() || self.checks.iter().any(|check| check.is_for_kind(kind))
    }

    /// Returns the health checks for an object: those of all Kustomizations that applied it.
    pub fn checks_for<'rules>(&'rules self, object: &'rules ObjectKey) -> impl Iterator<Item = &'rules HealthCheck> {
        self.checks.iter().filter(move |check| check.decides_for(object))
    }

    /// Adds settings: rules that are only used if these contain none for a kind.
    pub fn extend(&mut self, more: Self) {
        self.rules.extend(more.rules);
        self.checks.extend(more.checks);
        self.ownership = self.ownership.take().or(more.ownership);
        self.application_namespaces.extend(more.application_namespaces);
        // Of several instances, the one that compares least often decides; zero means never.
        self.comparison_interval = match (self.comparison_interval, more.comparison_interval) {
            (Some(one), Some(other)) if one.is_zero() || other.is_zero() => Some(Duration::ZERO),
            (one, other) => one.max(other),
        };
    }

    /// Returns the rule for a kind. A rule without wildcards has precedence.
    pub fn rule_for(&self, kind: &ResourceKind) -> Option<&HealthRule> {
        let key = match kind.group.as_str() {
            "" => kind.kind.clone(),
            group => format!("{group}/{}", kind.kind),
        };
        let exact = self.rules.iter().find(|rule| rule.pattern == key);
        exact.or_else(|| self.rules.iter().find(|rule| glob::matches(&rule.pattern, &key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_rules_together_have_a_limit_for_each_state() {
        let rules = HealthRules::default();
        let moment: Timestamp = "2026-11-20T09:10:00Z".parse().unwrap();
        assert_eq!(rules.timed(moment, || Ok(1)), Ok(1));
        rules.time.0.lock().unwrap().1 = LONGEST + Duration::from_millis(1);
        assert!(rules.clone().timed(moment, || Ok(1)).unwrap_err().as_str().contains("together"));
        assert_eq!(rules.timed(Timestamp::UNIX_EPOCH, || Ok(2)), Ok(2), "the next state");
    }

    #[test]
    fn only_the_settings_of_argo_cd_count() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        for (maps, projects, known, is_certain) in [
            (&["argocd"][..], &[][..], Some("argocd"), true),
            (&["argocd", "tenant"], &[], Some("argocd"), true),
            (&["argocd", "tenant"], &["argocd"], Some("argocd"), true),
            (&["gitops", "tenant"], &["gitops"], Some("gitops"), true),
            (&["tenant"], &["gitops"], None, true),
            (&["tenant"], &["argocd"], None, true),
            (&["tenant"], &[], None, false),
            (&["argocd", "other"], &["argocd", "other"], Some("argocd"), false),
            (&["gitops", "other"], &["gitops", "other"], None, false),
            (&[], &["argocd"], None, true),
        ] {
            let found = SettingsNamespace::find(&set(maps), &set(projects));
            assert_eq!((found.known.as_deref(), found.doubt.is_none()), (known, is_certain), "{maps:?} {projects:?}");
        }
    }

    #[test]
    fn rules_are_found_by_kind_and_exact_rules_come_first() {
        let rules = HealthRules::from_config_map(&json!({"metadata": {"name": "argocd-cm"}, "data": {
            "resource.customizations": "'*.example.org/*':\n  health.lua: wide\nexample.com/Widget:\n  health.lua: one\n  health.lua.useOpenLibs: true\n",
            "resource.customizations.health.a.example.org_Widget": "exact",
            "resource.customizations.useOpenLibs.a.example.org_Widget": "true",
            "resource.customizations.health.ConfigMap": "core",
            "resource.customizations.ignoreDifferences.all": "{}",
        }}))
        .unwrap();
        let found = |group: &str, kind: &str| {
            let rule = rules.rule_for(&ResourceKind::guess(group, kind))?;
            Some((rule.script.clone(), rule.libraries))
        };
        assert_eq!(found("a.example.org", "Widget"), Some(("exact".to_owned(), RuleLibraries::Open)));
        assert_eq!(found("b.example.org", "Widget"), Some(("wide".to_owned(), RuleLibraries::Restricted)));
        assert_eq!(found("example.com", "Widget"), Some(("one".to_owned(), RuleLibraries::Open)));
        assert_eq!(found("", "ConfigMap"), Some(("core".to_owned(), RuleLibraries::Restricted)));
        assert_eq!(found("example.org", "Widget"), None);
        assert!(HealthRules::from_config_map(&json!({"metadata": {"name": "other"}, "data": {}})).unwrap().is_empty());
        let interval = |text: &str| {
            let map = json!({"metadata": {"name": "argocd-cm"}, "data": {"timeout.reconciliation": text}});
            HealthRules::from_config_map(&map).unwrap()
        };
        let mut several = interval("6h");
        several.extend(interval("180s"));
        assert_eq!(several.comparison_interval, Some(Duration::from_hours(6)));
        several.extend(interval("0s"));
        several.extend(interval("soon"));
        assert_eq!(several.comparison_interval, Some(Duration::ZERO));
        assert!(HealthRules::from_file("f", "data: {}").unwrap_err().as_str().contains("no key"));
        assert!(HealthRules::from_file("f", "resource.customizations.health.Widget: return 1").is_ok());
    }
}
