//! The settings of the Argo CD of a snapshot, which may be in any of its files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::located::LocatedObject;
use crate::source::unreadable_rules;
use ucp_core::failure::Failure;
use ucp_core::model::health_rule::{HealthRules, PARAMETERS, SETTINGS, SettingsNamespace};
use ucp_core::model::state::Unreadable;

/// Settings by namespace, and what shows which of them are Argo CD's.
#[derive(Default)]
pub(super) struct SeenSettings {
    maps: BTreeMap<String, Result<HealthRules, Failure>>,
    projects: BTreeSet<String>,
    application_namespaces: BTreeMap<String, String>,
    /// The number of ConfigMaps.
    pub(super) count: usize,
}

impl SeenSettings {
    pub(super) fn see(&mut self, kind: &(String, String), document: &LocatedObject) {
        let (namespace, name) = document.full_name();
        self.count += usize::from(kind.0.is_empty() && kind.1 == "ConfigMap");
        match (kind.0.as_str(), kind.1.as_str()) {
            ("", "ConfigMap") if name == SETTINGS => {
                self.maps.insert(namespace, HealthRules::from_config_map(&document.object));
            }
            ("", "ConfigMap") if name == PARAMETERS => {
                let namespaces = document.object.pointer("/data/application.namespaces").and_then(Value::as_str);
                self.application_namespaces.insert(namespace, namespaces.unwrap_or_default().to_owned());
            }
            ("argoproj.io", "AppProject") => drop(self.projects.insert(namespace)),
            _ => {}
        }
    }

    /// Returns the rules of Argo CD, and the reasons why some were ignored.
    pub(super) fn finish(mut self) -> (HealthRules, Vec<Unreadable>) {
        let home = SettingsNamespace::find(&self.maps.keys().cloned().collect(), &self.projects);
        let found = home.known.and_then(|namespace| self.maps.remove(&namespace));
        let mut reasons: Vec<String> = home.doubt.into_iter().collect();
        let mut rules = found.unwrap_or_else(|| Ok(HealthRules::default())).unwrap_or_else(|error| {
            reasons.push(error.into());
            HealthRules::default()
        });
        rules.application_namespaces = self.application_namespaces;
        (rules, reasons.iter().map(|reason| unreadable_rules(reason)).collect())
    }
}
