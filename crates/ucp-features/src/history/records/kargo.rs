//! Records of Kargo: promotions of freight to a stage.

use serde_json::Value;

use super::{Record, short, text};
use crate::history::occurrence::{ChangeSort, Occurrence};

impl Record<'_> {
    /// A Promotion, which is not read for the whole control plane.
    pub(super) fn promotion(&self) -> Vec<Occurrence> {
        let (stage, phase) = (self.text("/spec/stage"), self.text("/status/phase"));
        let freight = Some(self.text("/spec/freight")).filter(|freight| !freight.is_empty());
        let freight = freight.map(|freight| format!(" of freight {}", short(freight))).unwrap_or_default();
        let started = format!("promotion{freight} to {stage} was started");
        let started = self.at("/status/startedAt", ChangeSort::Deployed, &started);
        let (change, message) = match phase {
            "Failed" | "Errored" | "Aborted" => (ChangeSort::TurnedBad, self.text("/status/message")),
            _ => (ChangeSort::Noted, ""),
        };
        let colon = if message.is_empty() { "" } else { ": " };
        let what = format!("promotion to {stage} {phase}{colon}{message}");
        started.into_iter().chain(self.at("/status/finishedAt", change, &what)).collect()
    }

    /// The last promotion to a Stage, with the freight before it.
    pub(super) fn last_promotion(&self) -> Option<Occurrence> {
        let promotion = self.value.pointer("/status/lastPromotion")?;
        let finished = ["/finishedAt", "/status/finishedAt"].iter().find_map(|path| super::time(promotion, path))?;
        let (phase, message) = (text(promotion, "/status/phase"), text(promotion, "/status/message"));
        let after = promotion.get("freight").map(contents);
        let name = text(promotion, "/name");
        if phase != "Succeeded" {
            let colon = if message.is_empty() { "" } else { ": " };
            let what = format!("promotion {name} {phase}{colon}{message}");
            return Some(self.occurrence(finished, ChangeSort::TurnedBad, what).with_values(None, after));
        }
        // The newest entry is the first one.
        let before = self.list("/status/freightHistory").get(1).map(|entry| {
            let items = entry.get("items").and_then(Value::as_object);
            items.into_iter().flat_map(|items| items.values()).map(contents).collect::<Vec<_>>().join(", ")
        });
        let promoted = self.occurrence(finished, ChangeSort::Deployed, format!("got freight by promotion {name}"));
        Some(promoted.with_values(before.filter(|before| !before.is_empty()), after))
    }
}

/// Returns what a piece of freight contains; its name if that is nothing.
fn contents(freight: &Value) -> String {
    let list = |field: &str| freight.get(field).and_then(Value::as_array).into_iter().flatten();
    let images = list("images").map(|image| format!("{}:{}", text(image, "/repoURL"), text(image, "/tag")));
    let charts = list("charts").map(|chart| {
        let name = [text(chart, "/name"), text(chart, "/repoURL")].into_iter().find(|name| !name.is_empty());
        format!("{} {}", name.unwrap_or_default(), text(chart, "/version"))
    });
    let commits = list("commits").map(|commit| short(text(commit, "/id")));
    let all: Vec<String> = images.chain(charts).chain(commits).collect();
    if all.is_empty() { short(text(freight, "/name")) } else { all.join(", ") }
}
