//! Verifies that the rendered new service is the old one under new names, and that every reference in it resolves.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::cli::working_copy::RepositorySurvey;
use crate::report::service::{ServicePlan, ServiceReference};
use ucp_client::source::live;
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_features::scaffold::database::{CopiedClaim, PASSING_ON};
use ucp_features::scaffold::image::NewImage;
use ucp_features::scaffold::join::{self, copied, missing, references, writers};
use ucp_features::scaffold::likeness::{AllowedDifferences, differences, identity};
use ucp_features::scaffold::names::{NewNames, around};
use ucp_features::scaffold::subject::CopySubject;
use ucp_repo::gitops::declared;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::repository::Repository;
use ucp_repo::manifests::checkout::GitCheckout;
use ucp_repo::manifests::renderer::{ManifestRenderer, RendererPermissions};

/// The result of the copy.
pub(super) struct ServiceCopy<'a> {
    pub(super) subject: &'a CopySubject,
    pub(super) names: &'a NewNames,
    pub(super) image: Option<&'a NewImage>,
    /// Secrets that the user has to write.
    pub(super) secrets: &'a BTreeSet<String>,
    pub(super) database: Option<&'a CopiedClaim>,
    /// The repositories with the planned edits.
    pub(super) repositories: &'a [Repository],
    pub(super) unchecked: UncheckedCopy,
}

/// Handling of a copy that cannot be compared with its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UncheckedCopy {
    /// A person checks the files before they are committed.
    Warned,
    /// It would be committed at once.
    Refused,
}

/// An overlay of the existing service, and its rendered objects.
pub(super) struct RenderedOverlay<'a> {
    overlay: &'a Overlay,
    objects: Result<Vec<Value>, Failure>,
}

impl RenderedOverlay<'_> {
    /// Returns the rendered objects, if it could be rendered.
    pub(super) fn rendered(&self) -> Option<&[Value]> {
        self.objects.as_ref().ok().map(Vec::as_slice)
    }
}

/// The rendered objects of an overlay and of its copy.
struct OverlayPair<'a> {
    environment: &'a str,
    old: Vec<Value>,
    new: Vec<Value>,
}

const RENDERER: ManifestRenderer =
    ManifestRenderer { timeout: Duration::from_secs(120), reach: RendererPermissions::Checkout };

/// Renders the overlays to copy.
pub(super) fn render_old<'a>(
    survey: &'a RepositorySurvey,
    subject: &CopySubject,
    top: &Path,
) -> Result<Vec<RenderedOverlay<'a>>> {
    let its = survey.discovery.overlays.iter().filter(|overlay| overlay.service == subject.service.old);
    let tree = GitCheckout::containing(top)?.working_tree();
    let runtime = live::runtime()?;
    let old = |overlay: &'a Overlay| {
        let objects = runtime.block_on(RENDERER.render_directory(&tree, &overlay.directory));
        RenderedOverlay { overlay, objects: objects.map_err(|error| error.to_string().into()) }
    };
    Ok(its.filter(|overlay| subject.new_path(&overlay.directory).is_some()).map(old).collect())
}

/// Returns the names that the service refers to and that no file declares: these objects were written by hand, and
/// would not exist under other names.
pub(super) fn undeclared_names(old: &[RenderedOverlay<'_>], repositories: &[&Repository]) -> BTreeSet<String> {
    let declared: Vec<Value> = repositories.iter().copied().flat_map(declared_values).collect();
    let mut found = BTreeSet::new();
    for objects in old.iter().filter_map(|old| old.objects.as_ref().ok()) {
        let mut writing = writers(objects);
        writing.extend(writers(&declared));
        found.extend(missing(&references(objects), &writing, &[]).into_iter().map(|one| one.name.clone()));
    }
    found
}

/// Renders the overlays of both services, compares them, and resolves every reference.
pub(super) fn verify_copy(
    plan: &mut ServicePlan,
    made: &ServiceCopy<'_>,
    old: Vec<RenderedOverlay<'_>>,
    top: &Path,
) -> Result<()> {
    let declared: Vec<Value> = made.repositories.iter().flat_map(declared_values).collect();
    let pairs = render(plan, made, old, top)?;
    let secret = made.database.and_then(|database| database.secret.as_ref()).map(|secret| secret.new.as_str());
    let mut uses = BTreeSet::new();
    for pair in &pairs {
        compare(plan, made, pair);
        uses.extend(references(&pair.new).into_iter().filter(|one| one.kind == "Secret").map(|one| one.name));
        resolve_references(plan, made, pair, &declared);
    }
    if let (Some(secret), Some(database)) = (secret.filter(|_| !pairs.is_empty()), made.database)
        && !uses.contains(secret)
    {
        let (service, writer) = (&made.subject.service.new, format!("{} {}", database.kind, database.name.new));
        let uses = match uses.is_empty() {
            true => "it does not refer to a Secret".to_owned(),
            false => format!("it refers to {}", uses.into_iter().collect::<Vec<_>>().join(", ")),
        };
        plan.refused.push(format!("no object of {service} refers to Secret {secret}, which {writer} writes; {uses}"));
    }
    for list in [&mut plan.refused, &mut plan.warnings, &mut plan.by_hand] {
        let mut seen = BTreeSet::new();
        list.retain(|text| seen.insert(text.clone()));
    }
    Ok(())
}

fn render<'a>(
    plan: &mut ServicePlan,
    made: &ServiceCopy<'_>,
    all: Vec<RenderedOverlay<'a>>,
    top: &Path,
) -> Result<Vec<OverlayPair<'a>>> {
    if all.is_empty() {
        let like = &made.subject.service.old;
        plan.warnings.push(format!("{like} has no overlays, so nothing was rendered and no name was followed"));
    }
    let tree = GitCheckout::containing(top)?.working_tree();
    let runtime = live::runtime()?;
    let mut pairs = Vec::new();
    for RenderedOverlay { overlay, objects } in all {
        let directory = made.subject.new_path(&overlay.directory).unwrap_or_default();
        match (objects, runtime.block_on(RENDERER.render_directory(&tree, &directory))) {
            (Ok(old), Ok(new)) => pairs.push(OverlayPair { environment: &overlay.environment, old, new }),
            (Ok(_), Err(reason)) => plan.refused.push(format!("{directory} cannot be rendered: {reason}")),
            (Err(reason), _) => {
                let text = format!("{} cannot be rendered, so its copy was not checked: {reason}", overlay.directory);
                match made.unchecked {
                    UncheckedCopy::Warned => plan.warnings.push(text),
                    UncheckedCopy::Refused => plan.refused.push(format!("{text}; write the files without a commit")),
                }
            }
        }
    }
    Ok(pairs)
}

/// Checks that the copy is the old service under new names, and that no object is deployed by both.
fn compare(plan: &mut ServicePlan, made: &ServiceCopy<'_>, pair: &OverlayPair<'_>) {
    let is_left_out = |object: &Value| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        ["Secret", "SealedSecret"].contains(&text("/kind"))
            && is_by_hand(made, &made.names.in_text(text("/metadata/name"), &[]))
    };
    let allowed = AllowedDifferences { names: made.names, image: made.image, is_left_out: &is_left_out };
    let environment = pair.environment;
    plan.refused.extend(
        differences(&pair.old, &pair.new, &allowed)
            .into_iter()
            .map(|difference| format!("in {environment}, {difference}")),
    );
    let old: BTreeSet<String> = pair.old.iter().map(|object| identity(object, None)).collect();
    let (like, name) = (&made.subject.service.old, &made.subject.service.new);
    for object in pair.new.iter().map(|object| identity(object, None)).filter(|object| old.contains(object)) {
        let told = format!(
            "in {environment}, {object} is deployed by both {like} and {name}: its name does not contain the name of the service"
        );
        match object.starts_with("Namespace ") {
            true => plan.warnings.push(told),
            false => plan.refused.push(told),
        }
    }
}

fn is_by_hand(made: &ServiceCopy<'_>, name: &str) -> bool {
    made.secrets.iter().any(|secret| around(name, secret).is_some())
}

/// Resolves every reference of the copy.
fn resolve_references(plan: &mut ServicePlan, made: &ServiceCopy<'_>, pair: &OverlayPair<'_>, declared: &[Value]) {
    let environment = pair.environment;
    let (like, name) = (&made.subject.service.old, &made.subject.service.new);
    let asked = references(&pair.new);
    let mut writing = writers(&pair.new);
    writing.extend(writers(declared));
    let before: BTreeSet<(&str, String)> = references(&pair.old).into_iter().map(|one| (one.kind, one.name)).collect();
    let passed_on = copied(declared);
    for reference in &asked {
        let title = format!("{} {}", reference.kind, reference.name);
        let mut by: Vec<&join::DeclaredWriter> =
            writing.iter().filter(|one| one.kind == reference.kind && one.name == reference.name).collect();
        // The original writer takes precedence over objects that pass the Secret on.
        by.sort_by_key(|one| PASSING_ON.iter().any(|kind| one.by.starts_with(&format!("{kind} "))));
        let mut written_by = by.first().map(|one| one.by.clone());
        let is_as_before = before.contains(&(reference.kind, reference.name.clone()));
        if written_by.is_none() && reference.kind == "Secret" && is_by_hand(made, &reference.name) {
            written_by = Some("a person".to_owned());
        }
        if is_as_before && reference.kind != "ServiceAccount" {
            plan.warnings.push(match &written_by {
                Some(by) => format!("{name} and {like} both use {title}, which {by} writes"),
                None => format!("{name} and {like} both use {title}, which no file declares"),
            });
        } else if written_by.is_none() {
            plan.refused.push(format!("in {environment}, {} refers to {title}, which nothing writes", reference.by));
        }
        let is_own =
            made.database.and_then(|database| database.secret.as_ref()).is_some_and(|one| one.new == reference.name);
        if is_own && made.repositories.len() > 1 && !passed_on.iter().any(|one| one.name == reference.name) {
            plan.warnings.push(format!(
                "{title} is written on the core cluster, and no file declares how it is copied to {environment}"
            ));
        }
        plan.joins.push(ServiceReference {
            environment: environment.to_owned(),
            kind: reference.kind.to_owned(),
            name: reference.name.clone(),
            by: reference.by.clone(),
            written_by,
        });
    }
    let copies: BTreeSet<join::NamedReference> = passed_on
        .into_iter()
        .filter(|copy| asked.iter().any(|one| one.kind == "Secret" && one.name == copy.name))
        .collect();
    for copy in missing(&copies, &writing, &PASSING_ON) {
        let told = format!("{} copies Secret {}, which nothing writes", copy.by, copy.name);
        match before.contains(&("Secret", copy.name.clone())) {
            true => plan.warnings.push(told),
            false => plan.refused.push(told),
        }
    }
}

/// Returns all objects that a repository declares, without rendering.
fn declared_values(repository: &Repository) -> Vec<Value> {
    let objects = declared::objects(repository);
    declared::values(repository, &objects).into_iter().map(|(_, value)| value).collect()
}
