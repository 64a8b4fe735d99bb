//! Renders an `AdoptionPlan`.

use crate::render::{Report, TableStyle, words};
use crate::report::adoption::{AdoptionItem, AdoptionPlan, AdoptionState, CORE};
use crate::ui::{style, styled};
use ucp_core::model::text::one_line;

impl Report for AdoptionPlan {
    fn table(&self, _style: &TableStyle) -> String {
        self.items.iter().map(cluster_block).collect()
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.cluster)).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Cluster | Engine | State | Actions | Reason |\n|---|---|---|---|---|\n");
        for item in &self.items {
            let actions: Vec<_> = item
                .actions
                .iter()
                .map(|action| format!("{} {} ({})", action.verb.as_str(), action.object, action.cluster))
                .collect();
            let cells = [
                item.cluster.as_str(),
                access_holder(item).unwrap_or_default(),
                item.state.as_str(),
                &actions.join(", "),
                item.reason.as_deref().unwrap_or_default(),
            ];
            text.push_str(&format!("| {} |\n", cells.map(words::markdown_cell).join(" | ")));
        }
        text
    }
}

/// Returns the engine or purpose that gets access.
fn access_holder(item: &AdoptionItem) -> Option<&'static str> {
    item.engine.map(|engine| engine.as_str()).or(item.purpose)
}

/// Renders one cluster: a heading, the actions in each cluster, the granted permissions, and the reason for its state.
fn cluster_block(item: &AdoptionItem) -> String {
    let look = match item.state {
        AdoptionState::Failed | AdoptionState::Refused => style::BAD,
        AdoptionState::Planned => style::BUSY,
        AdoptionState::Adopted | AdoptionState::Released => style::GOOD,
        AdoptionState::Unchanged => style::FAINT,
    };
    let engine = access_holder(item).map(|holder| format!(" ({holder})")).unwrap_or_default();
    let mut text =
        format!("{}{engine} {}\n", styled(style::STRONG, &one_line(&item.cluster)), styled(look, item.state.as_str()));
    let mut line = |line: String| text.push_str(&format!("  {line}\n"));
    if let Some(change) = &item.server_change {
        line(format!("server  {} → {}", one_line(&change.from), one_line(&change.to)));
        if let Some(reason) = &change.unproven {
            line(format!(
                "risk    the identity of the new server is not proven ({}); anyone who can write its Secret may have \
                 changed it, and the engine would deploy everything to it",
                one_line(reason)
            ));
        }
    }
    for action in &item.actions {
        let place = if action.cluster == CORE { String::from("core") } else { one_line(&action.cluster) };
        line(format!("{:<8}{}, in {place}", action.verb.as_str(), words::object(&action.object)));
    }
    if let Some(grants) = &item.grants {
        line(format!("grants  {}", one_line(grants)));
    }
    if let Some(reason) = &item.reason {
        line(format!("reason  {}", one_line(reason)));
    }
    if let Some(hint) = &item.hint {
        line(format!("hint    {}", one_line(hint)));
    }
    for object in &item.left {
        line(format!("left    kubectl delete {}, in {}", words::object(object), one_line(&item.cluster)));
    }
    text
}
