//! Fields that the user asks to ignore, after the change was predicted.

use crate::plan::external::ExternalEffectKind;
use crate::plan::outcome::{PlanAction, PlanItem, PlanOutcome, ServerCheck};
use ucp_core::model::path::FieldPattern;

impl PlanOutcome {
    /// Removes the differences that a pattern covers, and the changes without any other difference. Additions, deletions,
    /// refusals, fields whose change looks like a replacement, and changes with effects that are not evaluated remain.
    pub fn ignore_paths(&mut self, ignored: &[FieldPattern]) {
        let mut count = 0;
        let mut keep = |item: &mut PlanItem| {
            let is_kept = keep_rest(item, ignored);
            count += usize::from(!is_kept);
            is_kept
        };
        self.items.retain_mut(&mut keep);
        for composite in &mut self.composites {
            composite.items.retain_mut(&mut keep);
        }
        let composites = self.composites.len();
        self.composites.retain(|composite| !composite.items.is_empty() || !composite.warnings.is_empty());
        self.composites_unchanged += composites - self.composites.len();
        self.ignored += count;
    }
}

/// Removes the ignored differences of a change; returns false if there is no other one.
fn keep_rest(item: &mut PlanItem, ignored: &[FieldPattern]) -> bool {
    let has_effects = item.unevaluated.is_some() || !item.refusals.is_empty();
    if item.action != PlanAction::Change || item.check != ServerCheck::Accepted || has_effects {
        return true;
    }
    let is_ignored = |pattern: &FieldPattern, item: &PlanItem| {
        let mut covered = item.differences.iter().filter(|entry| pattern.covers(&entry.difference.path)).peekable();
        covered.peek().is_some() && covered.all(|entry| entry.immutable.is_none())
    };
    for pattern in ignored {
        if !is_ignored(pattern, item) {
            continue;
        }
        item.differences.retain(|entry| !pattern.covers(&entry.difference.path));
        for side in [&mut item.before, &mut item.after].into_iter().flatten() {
            pattern.remove_from(side);
        }
    }
    let is_update = item.external.as_ref().is_some_and(|external| external.effect == ExternalEffectKind::Update);
    if is_update && !item.differences.iter().any(|entry| entry.external) {
        item.external = None;
    }
    // Notes may be about effects that the fields do not show, such as those of a definition.
    !item.differences.is_empty() || !item.notes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::external::ExternalEffect;
    use crate::plan::immutable::{ImmutableReason, ImmutableSource};
    use crate::plan::outcome::PlannedFieldChange;
    use serde_json::{Value, json};
    use ucp_client::prediction::difference::field_changes;
    use ucp_core::model::object::ObjectName;

    fn bucket(before: &Value, after: &Value, immutable: Option<&str>) -> PlanItem {
        let object =
            ObjectName { api_version: "a/v1".into(), kind: "Bucket".into(), namespace: None, name: "b".into() };
        let differences = field_changes(before, after).into_iter().map(|difference| PlannedFieldChange {
            external: difference.path.starts_with(&["spec"]),
            immutable: immutable
                .filter(|path| difference.path.to_string() == *path)
                .map(|_| ImmutableReason { by: ImmutableSource::Server, text: "x".into() }),
            difference,
        });
        PlanItem {
            deployed_by: object.clone(),
            object,
            cluster: None,
            resource: None,
            action: PlanAction::Change,
            check: ServerCheck::Accepted,
            message: None,
            differences: differences.collect(),
            external: Some(ExternalEffect { name: None, effect: ExternalEffectKind::Update, reason: None }),
            composed: Vec::new(),
            unevaluated: None,
            refusals: Vec::new(),
            notes: Vec::new(),
            before: Some(before.clone()),
            after: Some(after.clone()),
        }
    }

    fn left(mut outcome: PlanOutcome, patterns: &[&str]) -> (Vec<PlanItem>, usize) {
        let patterns: Vec<FieldPattern> = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
        outcome.ignore_paths(&patterns);
        (outcome.items, outcome.ignored)
    }

    fn outcome(items: Vec<PlanItem>) -> PlanOutcome {
        PlanOutcome { items, ..PlanOutcome::default() }
    }

    #[test]
    fn only_accepted_changes_of_replaceable_fields_are_ignored() {
        let (before, after) =
            (json!({"spec": {"tags": {"a": 1}}, "x": 1}), json!({"spec": {"tags": {"a": 2}}, "x": 2}));
        let (kept, ignored) = left(outcome(vec![bucket(&before, &after, None)]), &["spec.tags"]);
        assert_eq!((kept.len(), ignored), (1, 0));
        assert_eq!((&kept[0].external, &kept[0].after), (&None, &Some(json!({"spec": {}, "x": 2}))));
        let (kept, ignored) = left(outcome(vec![bucket(&before, &after, None)]), &["spec.tags", "x"]);
        assert_eq!((kept.len(), ignored), (0, 1));
        let immutable = bucket(&before, &after, Some("spec.tags.a"));
        let (kept, _) = left(outcome(vec![immutable]), &["spec", "x"]);
        assert_eq!((kept.len(), kept[0].differences.len()), (1, 1), "a replacement is not ignored");
        for change in [
            |item: &mut PlanItem| item.check = ServerCheck::Rejected,
            |item: &mut PlanItem| item.action = PlanAction::Remove,
            |item: &mut PlanItem| item.action = PlanAction::Add,
            |item: &mut PlanItem| item.unevaluated = Some("x"),
        ] {
            let mut item = bucket(&before, &after, None);
            change(&mut item);
            assert_eq!(left(outcome(vec![item]), &["spec", "x"]).0[0].differences.len(), 2);
        }
    }
}
