//! Versions in a single file without a repository: `set-version --file`, `set-image --file`.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::promote::plan::refused;
use crate::promote::policy::{Policy, owner_warning};
use crate::report::promotion::{PromotionPlan, ReasonImportance, RepositoryPath, UnchangedValue, VersionUpdate};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::ImageVersion;
use ucp_core::model::shell::quote_word;
use ucp_repo::gitops::catalog::layout::stem;
use ucp_repo::gitops::catalog::likeness::{can_follow, common_numbers, is_next};
use ucp_repo::gitops::catalog::naming::normalize_name;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::path::parent;
use ucp_repo::slot::artifact::ArtifactKind;
use ucp_repo::slot::kinds::METADATA;
use ucp_repo::slot::request::{FoundSlot, MissingSlot, SlotNames, SlotTarget, VersionAssignment, fit_version};
use ucp_repo::slot::{EditedFile, FileSlot, SlotEdit, VersionFile};
use ucp_repo::yaml::YamlError;

/// The slots that a command may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotScope {
    /// All slots.
    Everything,
    /// Only images; new images can be added to a kustomization.
    Images,
}

/// The reason why there is no plan.
#[derive(Debug)]
pub enum SingleFileError {
    /// The format of the file is not supported.
    Unknown,
    /// The file cannot be read or edited.
    File(YamlError),
    /// A target matches nothing.
    Target(String),
    /// A target matches several places.
    Several {
        /// The places, as a phrase.
        reason: String,
        /// The assignments that select one of the places.
        assignments: Vec<String>,
    },
}

impl From<YamlError> for SingleFileError {
    fn from(error: YamlError) -> Self {
        Self::File(error)
    }
}

/// Plans to set versions in a file with the content `source`. `path` is the name of the file in the plan.
///
/// # Errors
/// Fails when the file cannot be read or edited, or a target is not found.
pub fn plan(
    path: &str,
    source: &str,
    assignments: &[VersionAssignment],
    policy: Policy,
    scope: SlotScope,
) -> Result<PromotionPlan, SingleFileError> {
    let file = VersionFile::read(path, source)?.ok_or(SingleFileError::Unknown)?;
    if file.roots().next().is_none() {
        return Err(YamlError::new(0, "the file is empty").into());
    }
    let all = file.slots();
    let slots: Vec<FileSlot> = match scope {
        SlotScope::Everything => all,
        SlotScope::Images => all.into_iter().filter(|slot| slot.what == ArtifactKind::Image).collect(),
    };
    let names = SlotNames::new(&file, &slots);
    let mut draft = SingleFileDraft {
        plan: PromotionPlan::new(RepositoryPath { path: path.to_owned() }),
        policy,
        edits: Vec::new(),
        assigned: assignments.iter().filter_map(VersionAssignment::path).collect(),
        halves: Vec::new(),
    };
    let takes_entries = scope == SlotScope::Images && is_kustomization(&file);
    for assignment in assignments {
        let likeness = |slot: &FileSlot| likeness(slot, &assignment.version);
        match names.find(&assignment.target, &likeness) {
            Ok(FoundSlot::One(slot)) => {
                let found = draft.at_path(&names, slot, &assignment.version);
                draft.set(found, &assignment.version);
            }
            Ok(found) => draft.set(found, &assignment.version),
            Err(MissingSlot::None(_)) if takes_entries && matches!(assignment.target, SlotTarget::Name(_)) => {
                draft.add(&file, assignment);
            }
            Err(missing) => {
                let reason = missing.reason(&assignment.target);
                let mut slots = match (missing, &assignment.target) {
                    (MissingSlot::Several(slots), _) => slots,
                    (MissingSlot::None(_), SlotTarget::Path(_)) => Vec::new(),
                    (MissingSlot::None(_), SlotTarget::Name(_)) => {
                        let all: Vec<FileSlot> = slots.iter().filter(|slot| slot.by != METADATA).cloned().collect();
                        let fitting: Vec<FileSlot> =
                            all.iter().filter(|slot| likeness(slot).is_some()).cloned().collect();
                        if fitting.is_empty() && all.len() <= FEW { all } else { fitting }
                    }
                };
                if let Some(slot) = located(path, &assignment.target, &slots, &assignment.version) {
                    let found = names.with_digest(slot);
                    draft.set(found, &assignment.version);
                    continue;
                }
                slots.sort_by_key(|slot| Reverse(likeness(slot)));
                let assignment_of = |slot: &FileSlot| format!(".{}={}", slot.path, assignment.version);
                return Err(match slots.as_slice() {
                    [] => SingleFileError::Target(reason),
                    slots => {
                        let assignments = slots.iter().map(assignment_of).collect();
                        SingleFileError::Several { reason, assignments }
                    }
                });
            }
        }
    }
    draft.refuse_halves();
    let EditedFile { text: after, followers } = file.apply_edits(&draft.edits)?;
    let mut plan = draft.plan;
    plan.warnings.extend(followers.into_iter().map(|aliases| aliases.description));
    if after != source {
        plan.files.push(FileEdit { path: path.to_owned(), before: Some(source.to_owned()), after });
    }
    Ok(plan)
}

/// Returns the command that makes an assignment by a path, and the line that it changes, if it changes one value and nothing
/// is refused.
pub fn command(file: &str, source: &str, assignment: &str, policy: Policy) -> Option<(String, usize)> {
    let parsed = assignments(&[assignment.to_owned()], SlotScope::Everything).ok()?;
    let plan = plan(file, source, &parsed, policy, SlotScope::Everything).ok()?;
    let [change] = plan.changes.as_slice() else { return None };
    if !plan.refused.is_empty() || plan.files.len() != 1 {
        return None;
    }
    // A file may be called like a flag.
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    Some((format!("kubectl ucp set-version --file {} {}", quote_word(&file), quote_word(assignment)), change.line))
}

/// Number of versions of a file that are listed for an unknown name even if the new one fits none of them.
const FEW: usize = 3;

/// Most commands that are listed, for each of which the file is read once more.
const COMMANDS: usize = 12;

/// Returns the commands for the first assignments, one a line.
pub fn commands(file: &str, source: &str, assignments: &[String], policy: Policy) -> String {
    let commands = assignments.iter().take(COMMANDS).filter_map(|assignment| command(file, source, assignment, policy));
    commands.map(|(command, _)| command).collect::<Vec<_>>().join("\n")
}

/// A plan under construction.
struct SingleFileDraft {
    plan: PromotionPlan,
    policy: Policy,
    edits: Vec<SlotEdit>,
    /// The paths of all assignments.
    assigned: HashSet<String>,
    /// Tags or digests that were given alone, for artifacts that have both.
    halves: Vec<PinnedHalf>,
}

/// A tag or a digest for a tag with a digest next to it: another assignment may give the other one.
struct PinnedHalf {
    tag: Box<FileSlot>,
    digest: Box<FileSlot>,
    version: String,
}

impl PinnedHalf {
    fn is_digest(&self) -> bool {
        is_digest(&self.version)
    }
}

fn is_digest(version: &str) -> bool {
    version.starts_with("sha256:")
}

impl SingleFileDraft {
    /// Returns the values that the path of a tag selects: the tag alone, with a warning if a digest has precedence over it; with
    /// TAG@DIGEST, the digest beside it too.
    fn at_path(&mut self, names: &SlotNames<'_>, slot: Box<FileSlot>, version: &str) -> FoundSlot {
        let found = names.with_digest(&slot);
        let digest = match &found {
            FoundSlot::Pinned { digest, .. } => Some(digest.path.clone().without_numbers().to_string()),
            FoundSlot::One(_) | FoundSlot::Repeated(_) => slot.digest_beside.clone(),
        };
        let Some(path) = digest.filter(|path| !self.assigned.contains(path)) else { return FoundSlot::One(slot) };
        if version.split_once('@').is_some_and(|(tag, _)| !tag.is_empty()) {
            return found;
        }
        let warning = format!("{}: .{path} pins a digest, which takes precedence over the tag", name_of(&slot));
        self.plan.warnings.push(warning);
        FoundSlot::One(slot)
    }

    fn set(&mut self, found: FoundSlot, version: &str) {
        match found {
            FoundSlot::One(slot) => self.set_value(&slot, version),
            FoundSlot::Repeated(slots) => slots.iter().for_each(|slot| self.set_value(slot, version)),
            FoundSlot::Pinned { tag, digest } => match version.split_once('@') {
                Some((new_tag, new_digest)) => {
                    self.set_value(&tag, new_tag);
                    self.set_value(&digest, new_digest);
                }
                None if tag.entry.is_some() => {
                    if self.accept(&tag, &tag.full_version(), version) {
                        self.edits.push(SlotEdit::set_version(&tag, version));
                    }
                }
                None => self.set_half(PinnedHalf { tag, digest, version: version.to_owned() }),
            },
        }
    }

    /// Sets a tag and its digest once both are given.
    fn set_half(&mut self, half: PinnedHalf) {
        let is_other = |other: &PinnedHalf| other.tag.path == half.tag.path && other.is_digest() != half.is_digest();
        let Some(index) = self.halves.iter().position(is_other) else { return self.halves.push(half) };
        for half in [self.halves.remove(index), half] {
            let slot = if half.is_digest() { &half.digest } else { &half.tag };
            self.set_value(slot, &half.version);
        }
    }

    /// Refuses tags without a digest for artifacts that have one, and digests without a tag.
    fn refuse_halves(&mut self) {
        for PinnedHalf { tag, digest, .. } in std::mem::take(&mut self.halves) {
            let (path, place) = (&digest.path, &tag.path);
            let reason = format!(
                ".{path} pins a digest, which takes precedence over the tag: pass TAG@DIGEST, or set .{place} and .{path}"
            );
            self.plan.refused.push(left(&name_of(&tag), reason, ReasonImportance::Telling));
        }
    }

    fn set_value(&mut self, slot: &FileSlot, version: &str) {
        let version = fit_version(slot, version);
        if self.accept(slot, &slot.version, version) {
            self.edits.push(SlotEdit::set_value(slot, version));
        }
    }

    fn add(&mut self, file: &VersionFile, assignment: &VersionAssignment) {
        let name = assignment.target.to_string();
        let version = ImageVersion::parse(&assignment.version);
        match self.policy.judge(&ImageVersion::default(), &version) {
            Err(refusal) => self.plan.refused.push(refused(None, name, &refusal)),
            Ok(judgement) => {
                self.plan.warnings.extend(judgement.warning.map(|warning| format!("{name}: {warning}")));
                self.plan.warnings.push(format!("{name} has no entry yet: an entry is added"));
                self.plan.changes.push(VersionUpdate {
                    service: None,
                    image: name.clone(),
                    file: self.plan.source.path.clone(),
                    line: file.text().lines().count() + 1,
                    before: String::new(),
                    after: version.to_string(),
                    direction: judgement.direction,
                    pulled: None,
                });
                self.edits.push(SlotEdit::Entry { name, version });
            }
        }
    }

    /// Returns true if a version differs from the current one and is allowed. Adds the corresponding row and warnings.
    fn accept(&mut self, slot: &FileSlot, before: &str, version: &str) -> bool {
        let name = name_of(slot);
        if before == version {
            self.plan.kept.push(left(&name, format!("is {version} already"), ReasonImportance::Level));
            return false;
        }
        match self.policy.judge_slot(slot, version) {
            Err(refusal) => {
                self.plan.refused.push(refused(None, name, &refusal));
                false
            }
            Ok(judgement) => {
                self.plan.warnings.extend(judgement.warning.map(|warning| format!("{name}: {warning}")));
                self.plan.warnings.extend(owner_warning(&name, slot));
                self.plan.changes.push(VersionUpdate {
                    service: None,
                    image: name,
                    file: self.plan.source.path.clone(),
                    line: slot.line,
                    before: before.to_owned(),
                    after: version.to_owned(),
                    direction: judgement.direction,
                    pulled: None,
                });
                true
            }
        }
    }
}

/// Returns the only slot of a file that can have a version, if the name is that of the file or of a directory above it. Such a
/// name takes only a version that is close.
fn located<'s>(path: &str, target: &SlotTarget, fitting: &'s [FileSlot], version: &str) -> Option<&'s FileSlot> {
    let SlotTarget::Name(name) = target else { return None };
    let wanted = normalize_name(name);
    let is_in_path =
        normalize_name(stem(path)) == wanted || parent(path).split('/').any(|part| normalize_name(part) == wanted);
    let [slot] = fitting else { return None };
    let is_possible = likeness(slot, version).is_some() && is_next(&slot.version, version) && slot.version != version;
    (is_in_path && is_possible).then_some(slot)
}

/// Returns the number of leading numbers that a slot has in common with a version; `None` if it cannot have it.
fn likeness(slot: &FileSlot, version: &str) -> Option<usize> {
    let before = slot.version.as_str();
    let is_unpinned = slot.what != ArtifactKind::Image && version.contains("@sha");
    let is_possible = before == version || !is_unpinned && can_follow(before, version, slot.what);
    is_possible.then(|| common_numbers(before, version))
}

/// Returns the name of a slot in a plan: its artifact, or else its path.
fn name_of(slot: &FileSlot) -> String {
    slot.artifact.clone().unwrap_or_else(|| format!(".{}", slot.path))
}

fn left(name: &str, reason: String, weight: ReasonImportance) -> UnchangedValue {
    UnchangedValue { service: None, image: name.to_owned(), reason, help: None, weight }
}

fn is_kustomization(file: &VersionFile) -> bool {
    file.roots().next().is_some_and(|root| {
        let listed = root.get("images").or_else(|| root.get("imageTags")).is_some();
        match root.text_at("kind") {
            Some(kind) => ["Kustomization", "Component"].contains(&kind) && root.get("spec").is_none(),
            None => listed || root.get("resources").is_some() || root.get("bases").is_some(),
        }
    })
}

/// Parses the assignments of a command line, each with a version and no duplicates: `NAME=VERSION`, and for images also
/// `NAME:TAG`, `NAME@DIGEST` and `NAME:TAG@DIGEST`.
///
/// # Errors
/// Fails with the argument that is invalid.
pub fn assignments(arguments: &[String], scope: SlotScope) -> Result<Vec<VersionAssignment>, Failure> {
    let mut assignments: Vec<VersionAssignment> = Vec::new();
    let mut seen = HashSet::new();
    for argument in arguments {
        let assignment = match scope {
            SlotScope::Images if !argument.contains('=') => reference(argument)?,
            SlotScope::Images | SlotScope::Everything => argument.parse()?,
        };
        if !seen.insert(assignment.target.to_string()) {
            return fail!("{} is named twice", assignment.target);
        }
        assignments.push(assignment);
    }
    Ok(assignments)
}

/// Parses a reference in which the name may contain a tag, as in `alpine:3:3.20`, since an entry's `name` may.
fn reference(argument: &str) -> Result<VersionAssignment, Failure> {
    let (left, digest) = argument.split_once('@').map_or((argument, None), |(left, digest)| (left, Some(digest)));
    let colon = left.rfind(':').filter(|colon| !left[*colon..].contains('/'));
    let (name, tag) = colon.map_or((left, None), |colon| (&left[..colon], Some(&left[colon + 1..])));
    let version = ImageVersion { tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) };
    if version == ImageVersion::default() || name.is_empty() {
        return fail!("{argument:?} contains no version; expected IMAGE:TAG, IMAGE@DIGEST or IMAGE:TAG@DIGEST");
    }
    if let Some(fault) = version.fault() {
        return Err(fault.into());
    }
    let version = version.to_string();
    let version = version.strip_prefix('@').unwrap_or(&version).to_owned();
    Ok(VersionAssignment { target: SlotTarget::Name(name.to_owned()), version })
}
