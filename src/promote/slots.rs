//! Pairs of slots in two environments: the same artifact of the same service.

use std::collections::{BTreeMap, BTreeSet};

use crate::promote::facts::PlanningFacts;
use crate::promote::kustomized::{KustomizedImages, is_pinned};
use crate::promote::plan::PlanDraft;
use crate::promote::policy::MutableTags;
use crate::promote::reconcile::PlanRows;
use crate::promote::refusal::VersionRefusal;
use crate::promote::repositories::other_repository;
use crate::promote::request::PromotionRequest;
use crate::promote::wanted::{VersionTarget, WantedVersion};
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::items::ItemNames;
use ucp_repo::gitops::catalog::naming::without_environment;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::slot::VersionPrecision;
use ucp_repo::slot::artifact::{ArtifactKind, short_name};

/// The places of two environments, by service, and then by kind and name of the artifact.
pub(crate) struct SlotPairs<'a> {
    services: BTreeMap<&'a str, BTreeMap<(ArtifactKind, &'a str), SlotSides<'a>>>,
    /// The files and lines of Git references that change with the image that they are pinned to.
    pinned: BTreeSet<(&'a str, usize)>,
}

#[derive(Default)]
struct SlotSides<'a> {
    from: Vec<&'a CatalogPlace>,
    to: Vec<&'a CatalogPlace>,
}

impl<'a> SlotSides<'a> {
    /// Splits places of one pattern, such as those of several documents, by their artifacts if both sides have these.
    fn by_artifact(&self, request: &PromotionRequest) -> Vec<SlotSides<'a>> {
        let name = |place: &CatalogPlace, environment: &str| {
            place.slot.artifact.as_deref().map(|artifact| without_environment(short_name(artifact), environment))
        };
        let mut parts: BTreeMap<Option<String>, SlotSides<'a>> = BTreeMap::new();
        for place in &self.from {
            parts.entry(name(place, &request.from)).or_default().from.push(place);
        }
        for place in &self.to {
            parts.entry(name(place, &request.to)).or_default().to.push(place);
        }
        let (whole, rest): (Vec<_>, Vec<_>) =
            parts.into_values().partition(|part| !part.from.is_empty() && !part.to.is_empty());
        let one_sided = rest.into_iter().reduce(|mut all, part| {
            all.from.extend(part.from);
            all.to.extend(part.to);
            all
        });
        whole.into_iter().chain(one_sided).flat_map(SlotSides::by_item).collect()
    }

    /// Splits places of several list items or objects by their names: the position in a list or file is no name.
    fn by_item(self) -> Vec<SlotSides<'a>> {
        let names_artifact = self.from.iter().chain(&self.to).any(|place| place.slot.artifact.is_some());
        if let ([from], [to]) = (self.from.as_slice(), self.to.as_slice()) {
            let (from, to) = (ItemNames::of_place(from), ItemNames::of_place(to));
            let are_others = from.has_item() && to.has_item() && !from.has_same_items(&to);
            return if are_others && !names_artifact { self.apart() } else { vec![self] };
        }
        if self.from.is_empty() || self.to.is_empty() {
            return vec![self];
        }
        let mut parts: BTreeMap<ItemNames, SlotSides<'a>> = BTreeMap::new();
        for place in &self.from {
            parts.entry(ItemNames::of_place(place)).or_default().from.push(place);
        }
        for place in &self.to {
            parts.entry(ItemNames::of_place(place)).or_default().to.push(place);
        }
        let is_on_both = |part: &SlotSides<'_>| !part.from.is_empty() && !part.to.is_empty();
        // Names that never match are of the environments, and an artifact is a name itself.
        match parts.values().any(is_on_both) || !names_artifact && parts.keys().any(ItemNames::has_item) {
            true => parts.into_values().collect(),
            false => vec![self],
        }
    }

    /// Returns the two sides as different things.
    fn apart(self) -> Vec<SlotSides<'a>> {
        vec![SlotSides { from: self.from, to: Vec::new() }, SlotSides { from: Vec::new(), to: self.to }]
    }

    /// Returns true if it is not known which of several versions belongs to which place.
    fn is_unnamed(&self) -> bool {
        let versions: BTreeSet<String> = self.from.iter().map(|place| place.slot.full_version()).collect();
        versions.len() > 1 && self.from.iter().chain(&self.to).all(|place| place.slot.artifact.is_none())
    }
}

impl<'a> SlotPairs<'a> {
    /// Returns the pairs of all places, except those that kustomizations determine, which are handled there.
    pub(crate) fn from_places(facts: &PlanningFacts<'a>, from: &str, to: &str) -> Self {
        let mut built = KustomizedImages::default();
        [from, to].iter().for_each(|environment| built.add(facts, environment));
        // Values named by a rule are copied by the rule, in any file.
        let followed = |place: &CatalogPlace| place.stays || built.has(facts, place) && !place.is_named_by_rule();
        let mut pinned = BTreeSet::new();
        let mut services: BTreeMap<&str, BTreeMap<(ArtifactKind, &str), SlotSides<'a>>> = BTreeMap::new();
        let catalog = facts.catalog;
        for place in catalog.places.iter().filter(|place| !followed(place) && !place.is_metadata()) {
            let (in_from, in_to) = (catalog.is_in(place, from), catalog.is_in(place, to));
            if in_from == in_to {
                continue;
            }
            if is_pinned(facts, place) {
                pinned.insert((place.file.as_str(), place.slot.line));
            }
            let key = (place.slot.what, place.pattern.as_str());
            let sides = services.entry(&place.service).or_default().entry(key).or_default();
            if in_from { sides.from.push(place) } else { sides.to.push(place) }
        }
        Self { services, pinned }
    }

    /// Returns the services that either environment has.
    pub(crate) fn services(&self) -> impl Iterator<Item = &'a str> {
        self.services.keys().copied()
    }

    /// Returns true if any artifact of a service is in both environments.
    pub(crate) fn has(&self, service: &str) -> bool {
        self.services
            .get(service)
            .is_some_and(|things| things.values().any(|sides| !sides.from.is_empty() && !sides.to.is_empty()))
    }

    /// Plans the values that differ.
    pub(crate) fn copy(
        &self,
        draft: &mut PlanDraft<'a>,
        service: &str,
        request: &PromotionRequest,
        rows: Option<&PlanRows>,
        whole: &BTreeSet<String>,
    ) {
        let all = self.services.get(service).into_iter().flat_map(BTreeMap::values);
        for sides in all.flat_map(|sides| sides.by_artifact(request)) {
            let Some(first) = sides.from.first().or(sides.to.first()) else { continue };
            let artifact = first.artifact();
            let is_shown =
                |place: &CatalogPlace| rows.is_none_or(|rows| rows.contains(&(service.to_owned(), place.artifact())));
            if !request.selects(&artifact) || sides.to.iter().any(|place| whole.contains(&place.file)) {
                continue;
            }
            match (sides.from.as_slice(), sides.to.as_slice()) {
                ([], _) => draft.keep_one_sided(service, &artifact, &request.to),
                (_, []) => draft.keep_one_sided(service, &artifact, &request.from),
                (_, [to, ..]) if sides.is_unnamed() => {
                    draft.refuse(service, &artifact, &VersionRefusal::Unnamed { file: to.file.clone() });
                }
                (from, to) if from.len() == to.len() => {
                    for (from, to) in from.iter().zip(to).filter(|(_, to)| is_shown(to)) {
                        self.copy_one(draft, from, to, request);
                    }
                }
                (from, to) => match from.iter().map(|place| place.slot.full_version()).collect::<BTreeSet<_>>().len() {
                    1 => to.iter().filter(|to| is_shown(to)).for_each(|to| self.copy_one(draft, from[0], to, request)),
                    _ => {
                        let (service, file) = (service.to_owned(), to[0].file.clone());
                        let (from, to) = (request.from.clone(), request.to.clone());
                        draft.refuse(&service.clone(), &artifact, &VersionRefusal::Uneven { service, from, to, file });
                    }
                },
            }
        }
    }
}

impl<'a> SlotPairs<'a> {
    /// Plans one value, unless it changes with an image.
    fn copy_one(
        &self,
        draft: &mut PlanDraft<'a>,
        from: &CatalogPlace,
        to: &'a CatalogPlace,
        request: &PromotionRequest,
    ) {
        let is_pinned = |place: &CatalogPlace| self.pinned.contains(&(place.file.as_str(), place.slot.line));
        match (is_pinned(from), is_pinned(to)) {
            _ if to.is_named_by_rule() => copy_one(draft, from, to, request),
            (true, true) => {}
            (one, other)
                if one != other && from.slot.version != to.slot.version && !request.selects_by_name(&to.artifact()) =>
            {
                let (with, without) = if one { (&request.from, &request.to) } else { (&request.to, &request.from) };
                let reason = format!("is pinned to the tag of an image in {with}, and not in {without}");
                draft.keep(&to.service, &to.artifact(), reason);
            }
            _ => copy_one(draft, from, to, request),
        }
    }
}

fn copy_one<'a>(draft: &mut PlanDraft<'a>, from: &CatalogPlace, to: &'a CatalogPlace, request: &PromotionRequest) {
    let (artifact, service) = (to.artifact(), to.service.as_str());
    let named = |place: &CatalogPlace| place.slot.artifact.as_deref().map(short_name).map(str::to_owned);
    if let (Some(left), Some(right)) = (named(from), named(to))
        && without_environment(&left, &request.from) != without_environment(&right, &request.to)
    {
        return draft.keep(
            service,
            &artifact,
            format!("{} has {left} there, and {} has {right}", request.from, request.to),
        );
    }
    if to.purpose == Purpose::Generated && from.slot.version != to.slot.version {
        return draft.keep(service, &artifact, VersionRefusal::Generated { file: to.file.clone() }.to_string());
    }
    // The tag is not sufficient if a digest next to it takes precedence and is not copied as well.
    let name = |place: &CatalogPlace| place.slot.digest_beside.as_deref()?.rsplit('.').next().map(str::to_owned);
    if let Some(path) = to.slot.digest_beside.clone().filter(|_| name(from) != name(to)) {
        return draft.refuse(service, &artifact, &VersionRefusal::Digest { path });
    }
    let (before, after) = (to.slot.full_version(), &from.slot.full_version());
    if before == *after {
        return draft.add_declared(service, &artifact, after);
    }
    // A range or a branch describes an environment's update policy, not a tested version.
    let other = other_repository(from, to, request);
    let loose = [(from, &request.from), (to, &request.to)].into_iter().find_map(|(place, environment)| {
        let what = match place.slot.precision() {
            VersionPrecision::Exact => return None,
            VersionPrecision::Constraint => "a range of versions",
            VersionPrecision::Moving => "a branch or a mutable tag",
        };
        let advice = match &other {
            Some((from, to)) => format!("its repository is {from} there and {to} here"),
            None => format!("promote it with --only {}", short_name(&artifact)),
        };
        Some(format!("{} in {environment} is {what}; {advice}", place.slot.version))
    });
    match (loose.filter(|_| !request.selects_by_name(&artifact)), other) {
        (Some(reason), _) => draft.keep(service, &artifact, reason),
        (None, Some((from, to))) => draft.refuse(service, &artifact, &VersionRefusal::Repository { from, to }),
        (None, None) => {
            let asked = if request.selects_by_name(&artifact) { MutableTags::Warned } else { MutableTags::Refused };
            draft.plan_version(&WantedVersion {
                target: VersionTarget::Place(to),
                version: after.clone(),
                mutable_tags: asked,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promote::copy;
    use crate::promote::request::ServiceSelection;
    use crate::promote::small::with_facts;
    use crate::report::promotion::PromotionPlan;

    /// Promotes everything from stage to prod, each of which has one file.
    fn promoted(name: &str, stage: &str, prod: &str) -> PromotionPlan {
        let files = [(format!("envs/stage/{name}"), stage), (format!("envs/prod/{name}"), prod)];
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), *text)).collect();
        let request = PromotionRequest {
            from: "stage".to_owned(),
            to: "prod".to_owned(),
            services: ServiceSelection::All,
            only: Vec::new(),
        };
        with_facts(&files, |facts| copy::plan(facts, &request, None, None))
    }

    fn written(plan: &PromotionPlan) -> Vec<&str> {
        plan.files.iter().map(|file| file.after.as_str()).collect()
    }

    #[test]
    fn items_are_paired_by_their_names_and_not_by_their_positions() {
        let stage = "services:\n- {name: api, version: 1.5.0}\n- {name: web, version: 1.9.0}\n";
        let prod = "services:\n- {name: web, version: 1.2.0}\n- {name: api, version: 1.1.0}\n";
        let plan = promoted("values.yaml", stage, prod);
        let after = "services:\n- {name: web, version: 1.9.0}\n- {name: api, version: 1.5.0}\n";
        assert_eq!(written(&plan), [after]);
        let rows: Vec<&str> = plan.changes.iter().map(|change| change.image.as_str()).collect();
        assert_eq!(rows, ["services[api].version", "services[web].version"]);
        // A name may be under any key.
        let [stage_of_parts, prod_of_parts, parts] = [stage, prod, after].map(|text| text.replace("name:", "part:"));
        assert_eq!(written(&promoted("values.yaml", &stage_of_parts, &prod_of_parts)), [parts]);
        let plan = promoted("values.yaml", stage, &prod.replace("web", "job").replace("api", "cron"));
        assert!(written(&plan).is_empty());
    }

    #[test]
    fn objects_of_a_file_are_paired_by_their_names() {
        let release = |name: &str, tag: &str| {
            format!(
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec: {{values: {{image: \
                 {{tag: {tag}}}}}}}\n"
            )
        };
        let file = |one: (&str, &str), other: (&str, &str)| {
            format!("{}---\n{}", release(one.0, one.1), release(other.0, other.1))
        };
        let plan = promoted(
            "releases.yaml",
            &file(("api-stage", "1.5.0"), ("web-stage", "1.9.0")),
            &file(("web-prod", "1.2.0"), ("api-prod", "1.1.0")),
        );
        assert_eq!(written(&plan), [file(("web-prod", "1.9.0"), ("api-prod", "1.5.0"))]);
        let list = |name: &str, version: &str| format!("parts:\n- {{name: {name}, version: {version}}}\n");
        let plan = promoted("values.yaml", &list("api-stg", "1.5.0"), &list("api-prd", "1.4.0"));
        assert_eq!(written(&plan), [list("api-prd", "1.5.0")]);
    }

    #[test]
    fn several_items_without_names_are_not_paired() {
        let plan = promoted(
            "values.yaml",
            "jobs:\n- {version: 1.5.0}\n- {version: 1.9.0}\n",
            "jobs:\n- {version: 1.2.0}\n- {version: 1.1.0}\n",
        );
        assert!(written(&plan).is_empty());
        assert!(plan.refused[0].reason.contains("no names to pair"), "{:?}", plan.refused);
        let plan = promoted("values.yaml", "jobs:\n- {version: 1.5.0}\n", "jobs:\n- {version: 1.2.0}\n");
        assert_eq!(written(&plan), ["jobs:\n- {version: 1.5.0}\n"]);
    }

    #[test]
    fn a_tag_is_copied_only_within_its_repository() {
        let values = |repository: &str, tag: &str| format!("image: {{repository: {repository}, tag: {tag}}}\n");
        let prod = values("r.example.org/o/web", "1.0.0");
        let plan = promoted("values.yaml", &values("r.test.example.org/o/web", "1.1.0"), &prod);
        assert!(written(&plan).is_empty());
        assert!(plan.refused[0].reason.contains("only within one repository"), "{:?}", plan.refused);
        // Nor does the message advise it for a mutable tag.
        let plan = promoted("values.yaml", &values("r.test.example.org/o/web", "develop"), &prod);
        let reasons: Vec<&str> = plan.kept.iter().map(|left| left.reason.as_str()).collect();
        assert!(written(&plan).is_empty() && reasons.iter().all(|reason| !reason.contains("--only")), "{reasons:?}");
        // The names of the environments are no difference.
        for (stage, prod) in [("stage.example.org/o/web", "prod.example.org/o/web"), ("r/stage/web", "r/prod/web")] {
            let plan = promoted("values.yaml", &values(stage, "1.1.0"), &values(prod, "1.0.0"));
            assert_eq!(written(&plan), [values(prod, "1.1.0")]);
        }
    }

    #[test]
    fn a_value_with_aliases_is_not_promoted() {
        let values =
            |tag: &str, more: &str| format!("web: {{image: &image r/o/web:{tag}}}\nworker: {{image: *image}}\n{more}");
        let plan = promoted("values.yaml", &values("1.1.0", ""), &values("1.0.0", ""));
        assert!(plan.refused.iter().any(|left| left.reason.contains("aliases (*)")), "{:?}", plan.refused);
        assert!(written(&plan).is_empty());
        // Another service of the file is promoted.
        let api = |tag: &str| format!("api: {{image: 'r/o/api:{tag}'}}\n");
        let plan = promoted("values.yaml", &values("1.1.0", &api("1.1.0")), &values("1.0.0", &api("1.0.0")));
        assert_eq!(written(&plan), [values("1.0.0", &api("1.1.0"))]);
    }
}
