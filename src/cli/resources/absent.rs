//! Kinds and named objects that do not exist.

use std::collections::BTreeSet;

use crate::cli::asked::ObjectChoice;
use ucp_core::engine::{JudgedObject, is_selected_by};
use ucp_core::error::{Error, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::{did_you_mean, did_you_mean_name};
use ucp_core::model::state::ClusterState;

/// Returns an error for an unknown kind; `known` has the names of the existing kinds.
pub(super) fn check_kinds(judged: &[&ResourceKind], choices: &[ObjectChoice], known: &BTreeSet<String>) -> Result<()> {
    for ObjectChoice { kind: word, .. } in choices {
        if !judged.iter().any(|kind| is_selected_by(kind, word)) {
            let meant = did_you_mean(word, known.iter().map(String::as_str));
            let complaint =
                format!("no managed resource, composite, claim or kind of an engine is called '{word}'{meant}");
            return Err(Error::usage(complaint).hint("'kubectl api-resources --categories=managed' lists the kinds"));
        }
    }
    Ok(())
}

/// Returns an error message for each named object that does not exist. If its kind could not be read, that is unknown.
pub(super) fn missing_objects(
    choices: &[ObjectChoice],
    state: &ClusterState,
    judged: &[JudgedObject<'_>],
) -> Vec<(ObjectChoice, String)> {
    let is_unknown = |word: &str| {
        let unread = |kind: &ResourceKind| {
            let name = kind.qualified_plural();
            state.unreadable.iter().any(|entry| entry.what == name || entry.what.starts_with(&format!("{name} ")))
        };
        state.kinds.iter().any(|kind| is_selected_by(kind, word) && unread(kind))
    };
    let absent = choices.iter().filter(|choice| {
        choice.exact_name().is_some_and(|name| {
            let is_there = judged.iter().any(|entry| {
                is_selected_by(&entry.resource.kind, &choice.kind) && entry.resource.metadata.name == name
            });
            // The object of `a,b NAME` may be of either kind.
            let is_elsewhere = choices.iter().any(|other| {
                other.name == choice.name
                    && judged.iter().any(|entry| other.includes(&entry.resource.kind, &entry.resource.metadata.name))
            });
            !is_there && !is_elsewhere && !is_unknown(&choice.kind)
        })
    });
    absent
        .map(|choice| {
            let name = choice.name.as_deref().unwrap_or_default();
            let of_kind = judged.iter().filter(|entry| is_selected_by(&entry.resource.kind, &choice.kind));
            let meant = did_you_mean_name(name, of_kind.map(|entry| entry.resource.metadata.name.as_str()));
            (choice.clone(), format!("{} \"{name}\" not found{meant}", choice.kind))
        })
        .collect()
}
