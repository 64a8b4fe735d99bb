//! List items that belong to one environment: `- env: prod` with a version beside it, elements of an ApplicationSet.

use crate::gitops::environment::{EnvironmentWord, environment_word};
use crate::slot::path::PathStep;
use crate::slot::{FileSlot, VersionFile};
use crate::yaml::tree::YamlNode;

/// List item that contains a version, with its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EnvironmentItem {
    pub(super) environment: String,
    /// Reason, for `--explain`.
    pub(super) because: String,
    /// Index of the item in the steps of the version's path.
    pub(super) step: usize,
}

/// Keys that contain the environment of an item.
const KEYS: [&str; 5] = ["environment", "env", "cluster", "stage", "destination"];

impl EnvironmentItem {
    /// Finds the innermost list item around a version, if it belongs to an environment.
    pub(super) fn around(file: &VersionFile, slot: &FileSlot) -> Option<Self> {
        let route = &slot.place.route;
        let outside = slot.path.steps.len().checked_sub(route.len())?;
        let position = slot.path.steps[outside..].iter().rposition(|step| matches!(step, PathStep::Index(_)))?;
        let item = file.node(&slot.place.at(&route[..=position]))?;
        let list = file.node(&slot.place.at(&route[..position]))?;
        let root = file.node(&slot.place.at(&[]))?;
        let element = (root.text_at("kind") == Some("ApplicationSet")).then(|| destination_key(root)).flatten();
        let key = match element.filter(|key| item.text_at(key).is_some()) {
            Some(key) => key,
            None => named_key(item, list)?,
        };
        let environment = item.text_at(key)?.to_owned();
        let because = format!("it is next to {key}: {environment}");
        Some(Self { environment, because, step: outside + position })
    }
}

/// Returns the key that names the environment: a dedicated key, or `name` if other items have environments as names.
fn named_key(item: &YamlNode, list: &YamlNode) -> Option<&'static str> {
    let is_environment = |item: &YamlNode, key: &str| {
        item.text_at(key).is_some_and(|text| environment_word(text) == EnvironmentWord::Exact)
    };
    let key = KEYS.into_iter().find(|key| is_environment(item, key));
    key.or_else(|| {
        let others = || list.items().iter().filter(|item| is_environment(item, "name")).take(2).count();
        (is_environment(item, "name") && others() > 1).then_some("name")
    })
}

/// Returns the key of an element that names the destination cluster: `env` in `destination: {name: '{{env}}'}`.
fn destination_key(set: &YamlNode) -> Option<&str> {
    let destination = set.get("spec")?.get("template")?.get("spec")?.get("destination")?;
    let text = destination.text_at("name").or_else(|| destination.text_at("server"))?;
    let (_, rest) = text.split_once("{{")?;
    let (key, _) = rest.split_once("}}")?;
    Some(key.trim().trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environments(text: &str) -> Vec<Option<String>> {
        let file = VersionFile::read("a.yaml", text).unwrap().unwrap();
        file.slots().iter().map(|slot| EnvironmentItem::around(&file, slot).map(|item| item.environment)).collect()
    }

    #[test]
    fn environments_are_read_from_items_of_lists() {
        let some = |names: &[&str]| names.iter().map(|name| Some((*name).to_owned())).collect::<Vec<_>>();
        assert_eq!(environments("a:\n- {env: stage, tag: v1}\n- {env: prod, tag: v2}\n"), some(&["stage", "prod"]));
        assert_eq!(environments("a:\n- {name: stage, tag: v1}\n- {name: prod, tag: v2}\n"), some(&["stage", "prod"]));
        assert_eq!(environments("containers:\n- {name: test, image: 'a/b:v1'}\n"), [None]);
        assert_eq!(environments("a:\n- {env: [prod], tag: v1}\n"), [None]);
        let set = "kind: ApplicationSet\nspec:\n  generators:\n  - list:\n      elements:\n      - {where: eu1, chartVersion: 1.0.0}\n      - \
                   {where: us1, chartVersion: 1.1.0}\n  template: {spec: {destination: {name: '{{ .where }}'}}}\n";
        assert_eq!(environments(set), some(&["eu1", "us1"]));
    }
}
