//! The command line that shows the same as a view, for the core clusters and the namespace on the screen.

use super::{Browser, ObjectPlace, View};
use crate::report::command::command_at;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::Origin;

impl Browser {
    /// Returns the command for what is on the screen.
    pub(super) fn shown_command(&self) -> String {
        if let Some(page) = self.pages.last() {
            return page.command.clone();
        }
        let list = self.list();
        let command = match self.view {
            View::Findings => "kubectl ucp status --full".to_owned(),
            View::Resources => match list.order {
                super::list::RowOrder::Worst => "kubectl ucp resources".to_owned(),
                super::list::RowOrder::Name => "kubectl ucp resources --sort-by name".to_owned(),
                super::list::RowOrder::Kind => "kubectl ucp resources --sort-by kind".to_owned(),
                super::list::RowOrder::Age => "kubectl ucp resources --sort-by age".to_owned(),
            },
            View::Deployments => {
                "kubectl ucp resources applications,applicationsets,kustomizations.kustomize.toolkit.fluxcd.io,helmreleases"
                    .to_owned()
            }
            View::Tree => match &self.tree_place {
                Some(place) => return self.object_command("kubectl ucp tree", place, ""),
                None => "kubectl ucp tree KIND/NAME".to_owned(),
            },
            View::Versions => return "kubectl ucp images".to_owned(),
            View::AppClusters => "kubectl ucp clusters".to_owned(),
            View::Drift => "kubectl ucp drift".to_owned(),
            View::History => "kubectl ucp history".to_owned(),
        };
        let namespace = self.namespace.as_ref().map(|name| format!(" -n {}", quote_word(name))).unwrap_or_default();
        let selector = self.start.selector.as_ref().map(|text| format!(" -l {}", quote_word(text))).unwrap_or_default();
        self.with_sources(&format!("{command}{namespace}{selector}"))
    }

    /// Returns a command about an object in its source.
    pub(super) fn object_command(&self, command: &str, place: &ObjectPlace, more: &str) -> String {
        let object = &place.object;
        let origin = self.origin_of(place);
        // The flags of a `kubectl` command come before `--`, and those of this program anywhere.
        let command = format!("{command} {object}{more}");
        origin.map_or_else(|| command.clone(), |origin| command_at(&command, origin))
    }

    /// Returns the command that prints an object as YAML: kubectl's, except for a snapshot.
    pub(super) fn yaml_command(&self, place: &ObjectPlace) -> String {
        match self.origin_of(place) {
            Some(Origin::Snapshot { .. }) => {
                self.object_command("kubectl ucp resources", place, " --any --whole -o yaml")
            }
            _ => self.object_command("kubectl get", place, " -o yaml"),
        }
    }

    fn origin_of<'a>(&'a self, place: &'a ObjectPlace) -> Option<&'a Origin> {
        let only = || self.sources.first().map(|source| source.origin.as_ref());
        place.source.as_deref().or_else(only)
    }

    /// Adds the flags for the sources on the screen.
    fn with_sources(&self, command: &str) -> String {
        let shown: Vec<&Origin> = match self.only {
            Some(only) => self.sources.get(only).map(|source| source.origin.as_ref()).into_iter().collect(),
            None => self.sources.iter().map(|source| source.origin.as_ref()).collect(),
        };
        if let [one] = shown.as_slice() {
            return command_at(command, one);
        }
        let mut contexts = Vec::new();
        let mut text = command.to_owned();
        for origin in shown {
            match origin {
                Origin::Snapshot { path } => text.push_str(&format!(" --from {}", quote_word(path))),
                Origin::Cluster { context, .. } => contexts.push(context.as_str()),
            }
        }
        if !contexts.is_empty() {
            text.push_str(&format!(" --contexts {}", quote_word(&contexts.join(","))));
        }
        text
    }
}
