//! The order in which changes of a `Plan` are shown, and equal changes as one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::render::words;
use crate::report::plan::MergePlan;
use ucp_core::model::kind::guess_plural;
use ucp_core::model::text::{columns, one_line};
use ucp_features::plan::external::ExternalEffectKind;
use ucp_features::plan::outcome::{PlanAction, PlanConsequence, PlanItem, PlannedFieldChange, ServerCheck};

/// Number of equally changed objects that are named. Deleted objects are all named.
const NAMED: usize = 20;
/// Number of fields whose values are shown in lines of their own.
const MOST_FIELDS: usize = 8;
/// The maximum width of such a line.
const LONGEST_FIELD: usize = 160;

/// The sections of a plan, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlanSection {
    Destruction,
    External,
    Refusal,
    /// All other changes, by deployer.
    Other,
}

impl PlanSection {
    fn of_item(item: &PlanItem) -> Self {
        match item.consequences().first() {
            Some(PlanConsequence::Destruction) => Self::Destruction,
            Some(PlanConsequence::External) => Self::External,
            Some(PlanConsequence::Refusal) => Self::Refusal,
            None => Self::Other,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Destruction => {
                "External resources that are destroyed or recreated, and objects deleted with their contents"
            }
            Self::External => "Other changes of external resources",
            Self::Refusal => "Changes that would be rejected, and policies that would reject others",
            Self::Other => "Other changes",
        }
    }
}

/// Which changes are shown as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeFolding {
    /// None.
    Separate,
    /// Changes that are equal.
    Equal,
    /// Equal changes, and additions of the same kind by the same deployer, whatever their content: no diffs are shown.
    Brief,
}

/// Changes that are shown as one; a single one in most cases.
pub(super) struct ChangeGroup<'plan> {
    pub(super) section: PlanSection,
    /// A change that represents all of them.
    pub(super) first: &'plan PlanItem,
    others: Vec<&'plan PlanItem>,
}

/// Returns all changes of a plan in the order in which they are shown.
pub(super) fn ordered_items(plan: &MergePlan) -> Vec<(PlanSection, &PlanItem)> {
    let mut items: Vec<_> = plan.all_items().map(|item| (PlanSection::of_item(item), item)).collect();
    items.sort_by(|(left, one), (right, other)| {
        let by_deployer = match left {
            PlanSection::Other => one.deployed_by.cmp(&other.deployed_by),
            _ => std::cmp::Ordering::Equal,
        };
        left.cmp(right).then(by_deployer)
    });
    items
}

/// Returns all changes of a plan in the order in which they are shown.
pub(super) fn change_groups(plan: &MergePlan, folding: ChangeFolding) -> Vec<ChangeGroup<'_>> {
    let mut groups: Vec<ChangeGroup<'_>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (section, first) in ordered_items(plan) {
        let likeness = match folding {
            ChangeFolding::Separate => None,
            _ => likeness(first, folding),
        };
        match likeness.as_ref().and_then(|likeness| known.get(likeness)) {
            Some(position) => groups[*position].others.push(first),
            None => {
                known.extend(likeness.map(|likeness| (likeness, groups.len())));
                groups.push(ChangeGroup { section, first, others: Vec::new() });
            }
        }
    }
    groups
}

/// Returns a text that equal changes share, or `None` if a change is always shown on its own: a destruction, a refusal, and
/// a change that is not checked.
fn likeness(item: &PlanItem, folding: ChangeFolding) -> Option<String> {
    let is_plain = item.check == ServerCheck::Accepted && item.composed.is_empty() && item.refusals.is_empty();
    if !is_plain || PlanSection::of_item(item) == PlanSection::Destruction {
        return None;
    }
    let content = match item.action {
        PlanAction::Add if folding == ChangeFolding::Brief => serde_json::to_value(&item.deployed_by).ok()?,
        PlanAction::Add => unnamed(item.after.clone()?),
        PlanAction::Change if item.differences.is_empty() => return None,
        PlanAction::Change => serde_json::to_value(&item.differences).ok()?,
        PlanAction::Remove | PlanAction::Abandon => Value::Null,
    };
    let external = item.external.as_ref().map(|external| (external.effect.as_str(), &external.reason));
    let kind = (&item.object.api_version, &item.object.kind, &item.resource, item.action);
    Some(json!([kind, content, external, item.message, item.unevaluated, item.notes]).to_string())
}

/// Returns an object without its name and namespace.
fn unnamed(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| field != "name" && field != "namespace");
    }
    object
}

impl ChangeGroup<'_> {
    /// Returns the number of changes.
    pub(super) fn len(&self) -> usize {
        self.others.len() + 1
    }

    pub(super) fn is_folded(&self) -> bool {
        !self.others.is_empty()
    }

    fn items(&self) -> impl Iterator<Item = &PlanItem> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns the object, or the number and the kind of the objects: `12 deployments.apps`.
    pub(super) fn subject(&self) -> String {
        if !self.is_folded() {
            return words::object(&self.first.object);
        }
        let (group, plural) = (self.first.object.group(), guess_plural(&self.first.object.kind.to_lowercase()));
        let dot = if group.is_empty() { "" } else { "." };
        one_line(&format!("{} {plural}{dot}{group}", self.len()))
    }

    /// Returns the names of folded objects: of all deleted ones and of all with different content, and of the first of others.
    pub(super) fn names(&self, folding: ChangeFolding) -> String {
        let name = |item: &PlanItem| {
            let namespace = item.object.namespace.as_deref().map(|name| format!("{name}/")).unwrap_or_default();
            let cluster = item.cluster.as_deref().map(|name| format!(" in {name}")).unwrap_or_default();
            one_line(&format!("{namespace}{}{cluster}", item.object.name))
        };
        let is_content_equal = match self.first.action {
            PlanAction::Change => true,
            PlanAction::Add => folding != ChangeFolding::Brief,
            PlanAction::Remove | PlanAction::Abandon => false,
        };
        let names: Vec<String> = self.items().map(name).collect();
        words::join_limited(&names, if is_content_equal { NAMED } else { names.len() })
    }

    /// Returns the cluster of a single change; empty for the core cluster, and for folded changes, whose names have it.
    pub(super) fn cluster(&self) -> String {
        match self.is_folded() {
            true => String::new(),
            false => self.first.cluster.as_deref().map(one_line).unwrap_or_default(),
        }
    }

    /// Returns the deployers of the changes, without repetition.
    pub(super) fn deployers(&self) -> String {
        let first = changing_deployer(self.first);
        let begin = if first.starts_with("by ") { "by " } else { "" };
        let name = |item: &PlanItem| changing_deployer(item).trim_start_matches("by ").to_owned();
        format!("{begin}{}", self.distinct(name))
    }

    /// Returns the text of `word` for each change, without repetition.
    pub(super) fn distinct(&self, word: impl Fn(&PlanItem) -> String) -> String {
        let mut found = Vec::new();
        for text in self.items().map(word) {
            if !found.contains(&text) {
                found.push(text);
            }
        }
        words::join_limited(&found, 3)
    }

    /// Returns the external resources in a remark, if it is about several.
    pub(super) fn external_resources(&self) -> Option<String> {
        let is_external = self.first.external.as_ref().is_some_and(|one| one.effect != ExternalEffectKind::Keep);
        (self.is_folded() && is_external).then(|| format!("{} external resources", self.len()))
    }

    /// Returns each changed field of equal changes in a line, or `None` if a diff is easier to read.
    pub(super) fn field_lines(&self) -> Option<Vec<String>> {
        let differences = &self.first.differences;
        let is_change = self.is_folded() && self.first.action == PlanAction::Change;
        if !is_change || differences.len() > MOST_FIELDS {
            return None;
        }
        let lines: Vec<String> = differences.iter().map(field_line).collect();
        lines.iter().all(|line| columns(line) <= LONGEST_FIELD).then_some(lines)
    }

    /// Returns the paths of the changed fields, if there is an object to compare with.
    pub(super) fn changed_paths(&self) -> Option<String> {
        let paths: Vec<String> =
            self.first.differences.iter().map(|entry| one_line(&entry.difference.path.to_string())).collect();
        (self.first.action == PlanAction::Change && !paths.is_empty()).then(|| words::join_limited(&paths, MOST_FIELDS))
    }
}

/// Returns the deployer that would change an object.
pub(super) fn changing_deployer(item: &PlanItem) -> String {
    match &item.resource {
        Some(resource) => format!("resource {} of {}", one_line(resource), one_line(&item.deployed_by.name)),
        None => format!("by {} {}", item.deployed_by.kind, one_line(&item.deployed_by.name)),
    }
}

fn field_line(entry: &PlannedFieldChange) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| one_line(&value.to_string()), one_line);
    let path = one_line(&entry.difference.path.to_string());
    match (&entry.difference.before, &entry.difference.after) {
        (Some(before), Some(after)) => format!("{path}: {} → {}", word(before), word(after)),
        (None, Some(after)) => format!("{path}: added, {}", word(after)),
        (Some(before), None) => format!("{path}: removed, {}", word(before)),
        (None, None) => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{DetailLevel, HeaderVisibility, Report as _, TableStyle};
    use ucp_client::prediction::difference::field_changes;
    use ucp_core::model::object::ObjectName;
    use ucp_core::model::state::Origin;
    use ucp_features::plan::external::ExternalEffect;
    use ucp_features::plan::outcome::PlanOutcome;

    fn item(kind: &str, name: &str, action: PlanAction, sides: (Value, Value)) -> PlanItem {
        let object = |kind: &str, name: &str| ObjectName {
            api_version: "apps/v1".into(),
            kind: kind.into(),
            namespace: Some("shop".into()),
            name: name.into(),
        };
        let (before, after) = sides;
        let differences = field_changes(&before, &after).into_iter();
        PlanItem {
            object: object(kind, name),
            cluster: None,
            deployed_by: object("Application", &format!("app-{name}")),
            resource: None,
            action,
            check: ServerCheck::Accepted,
            message: None,
            differences: differences
                .map(|difference| PlannedFieldChange { difference, external: false, immutable: None })
                .collect(),
            external: None,
            composed: Vec::new(),
            unevaluated: None,
            refusals: Vec::new(),
            notes: Vec::new(),
            before: (action != PlanAction::Add).then_some(before),
            after: (action != PlanAction::Remove).then_some(after),
        }
    }

    fn image(name: &str, tag: &str) -> PlanItem {
        let object = |tag: &str| json!({"metadata": {"name": name}, "spec": {"image": format!("web:{tag}")}});
        item("Deployment", name, PlanAction::Change, (object("v1"), object(tag)))
    }

    fn removed(name: &str, effect: Option<ExternalEffectKind>) -> PlanItem {
        let mut item = item("Bucket", name, PlanAction::Remove, (json!({"a": 1}), json!({})));
        item.external = effect.map(|effect| ExternalEffect { name: Some(format!("ext-{name}")), effect, reason: None });
        item
    }

    fn plan(items: Vec<PlanItem>) -> MergePlan {
        let outcome = PlanOutcome { items, ..PlanOutcome::default() };
        MergePlan::from_outcome(Origin::Snapshot { path: "-".into() }, (None, None), outcome)
    }

    fn text(plan: &MergePlan, detail: DetailLevel) -> String {
        let style = TableStyle { width: Some(120), detail, headers: HeaderVisibility::Shown };
        anstream::adapter::strip_str(&plan.table(&style)).to_string()
    }

    #[test]
    fn equal_changes_are_grouped_and_different_changes_are_listed() {
        let mut refused = image("refused", "v2");
        refused.check = ServerCheck::Rejected;
        let mut unchecked = image("unchecked", "v2");
        unchecked.check = ServerCheck::Unchecked;
        let mut noted = image("noted", "v2");
        noted.notes.push("it comes from elsewhere".into());
        let mut unknown = image("unknown", "v2");
        unknown.unevaluated = Some("its effects are not evaluated");
        let items = (0..12).map(|number| image(&format!("web-{number}"), "v2"));
        let others = [image("other", "v3"), refused, unchecked, noted, unknown];
        let plan = plan(items.chain(others).collect());
        let all = text(&plan, DetailLevel::Normal);
        assert!(
            all.contains("~ change 12 deployments.apps  by Application app-web-0, Application app-web-1, "),
            "{all}"
        );
        assert!(all.contains("\n  spec.image: web:v1 → web:v2\n"), "{all}");
        assert!(all.contains("shop/web-0, shop/web-1,") && all.contains("shop/web-9"), "{all}");
        for name in ["other", "refused", "unchecked", "noted", "unknown"] {
            assert!(all.contains(&format!("~ change deployment.apps/{name} -n shop ")), "{name}: {all}");
        }
        assert!(all.contains("its effects are not evaluated") && all.contains("it comes from elsewhere"), "{all}");
        let wide = text(&plan, DetailLevel::Wide);
        assert_eq!(wide.matches("~ change deployment.apps/").count(), 17, "{wide}");
    }

    #[test]
    fn all_deletions_are_named_and_external_deletions_come_first() {
        let changes = (0..3).map(|number| image(&format!("web-{number}"), "v2"));
        let inside = (0..40).map(|number| removed(&format!("in-{number}"), None));
        let outside = (0..3).map(|number| removed(&format!("out-{number}"), Some(ExternalEffectKind::Delete)));
        let mut external = image("external", "v2");
        external.external = Some(ExternalEffect { name: None, effect: ExternalEffectKind::Update, reason: None });
        let plan = plan(changes.chain(inside).chain([external]).chain(outside).collect());
        let text = text(&plan, DetailLevel::Normal);
        for number in 0..40 {
            assert!(text.contains(&format!("shop/in-{number}")), "{text}");
        }
        for number in 0..3 {
            assert!(text.contains(&format!("- remove bucket.apps/out-{number} -n shop")), "{text}");
            assert!(text.contains(&format!("outside, ext-out-{number} would be deleted")), "{text}");
        }
        let place = |word: &str| text.find(word).unwrap();
        let order = ["out-0", "deployment.apps/external", "Other changes\n", "40 buckets"].map(place);
        assert!(order.is_sorted(), "{order:?} {text}");
        let counts = &plan.consequences;
        assert_eq!((counts.destruction, counts.external, counts.refusal, counts.unknown), (3, 4, 0, 0));
    }

    #[test]
    fn a_change_of_a_hundred_objects_fits_a_screen() {
        let images = (0..60).map(|number| image(&format!("web-{number}"), "v2"));
        let others = (0..20).map(|number| image(&format!("other-{number}"), &format!("w{number}")));
        let added = (0..12).map(|number| {
            let mut added =
                item("Service", &format!("new-{number}"), PlanAction::Add, (json!({}), json!({"a": number})));
            added.deployed_by = image("x", "v2").deployed_by;
            added
        });
        let removed = (0..8).map(|number| removed(&format!("out-{number}"), Some(ExternalEffectKind::Delete)));
        let plan = plan(images.chain(others).chain(added).chain(removed).collect());
        let text = text(&plan, DetailLevel::Normal);
        assert!(text.lines().count() <= 60, "{} lines:\n{text}", text.lines().count());
        assert!(text.contains("+ add 12 services.apps  by Application app-x\n"), "{text}");
        for name in (0..20).map(|number| format!("other-{number}")).chain((0..12).map(|number| format!("new-{number}")))
        {
            assert!(text.contains(&name), "{name}: {text}");
        }
        assert!(text.contains("-o wide shows them"), "{text}");
    }
}
