//! The scope of a change: the services and the environment that its pull request is about. It is stored in the text of the
//! pull request, so that a later run finds the pull requests that it replaces.

mod marker;

use std::collections::BTreeSet;

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::pull_request::PullRequest;
use ucp_core::model::hash::hexadecimal;

/// Prefix of the branches of all pull requests of this tool.
pub const BRANCHES: &str = "ucp/pr/";
/// The lines around the part of a text that this tool writes: link definitions, which no forge shows.
const BEGIN: &str = "[//]: # (kubectl-ucp:begin)";
const END: &str = "[//]: # (kubectl-ucp:end ";
/// The part of a branch name for changes without an environment.
const NO_ENVIRONMENT: &str = "change";
/// Longest readable part of a branch name.
const READABLE: usize = 60;

/// The scope of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeScope {
    /// The environment that changes; absent if the request named none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub environment: Option<String>,
    /// The services that change; with `all`, those of this time.
    #[serde(default)]
    pub services: BTreeSet<String>,
    /// True if the request was for all services of the environment.
    #[serde(default)]
    pub all: bool,
    /// True if the text has no room for the services of a request for all.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unnamed: bool,
    /// The files that change, if there is no environment.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub files: BTreeSet<String>,
}

impl ChangeScope {
    /// Returns the branch for changes with this scope. It depends on nothing else, so that later runs use it again.
    pub fn branch(&self, target: &str) -> String {
        // A request for all services has the same branch whichever of them change.
        let identity = Self {
            services: if self.all { BTreeSet::new() } else { self.services.clone() },
            unnamed: false,
            ..self.clone()
        };
        let identity = serde_json::json!([target, identity]).to_string();
        let hash: String = hexadecimal(&digest(&SHA256, identity.as_bytes()).as_ref()[..4]);
        let environment = self.environment.as_deref().map(slug).filter(|name| !name.is_empty());
        let mut services = self.services.iter();
        let what = match (self.all, services.next(), services.next()) {
            (true, ..) => "all".to_owned(),
            (false, Some(only), None) => slug(only),
            (false, None, _) => format!("{}-files", self.files.len()),
            _ => format!("{}-services", self.services.len()),
        };
        format!("{BRANCHES}{}/{what}-{hash}", environment.unwrap_or_else(|| NO_ENVIRONMENT.to_owned()))
    }

    /// Returns true if two changes are about the same service in the same environment.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.environment, &other.environment) {
            (Some(mine), Some(theirs)) if mine != theirs => return false,
            (Some(_), Some(_)) if self.all || other.all => return true,
            (Some(_), Some(_)) => {}
            (None, None) => return !self.files.is_disjoint(&other.files),
            // One of the two names no environment: it may be any.
            _ => {}
        }
        self.unnamed || other.unnamed || !self.services.is_disjoint(&other.services)
    }

    /// Returns true if a service changes, or may change.
    pub fn may_change(&self, service: &str) -> bool {
        self.unnamed || self.services.contains(service)
    }

    /// Returns true if this change replaces all of another one.
    pub fn covers(&self, other: &Self) -> bool {
        let (services, files) = (self.services.is_superset(&other.services), self.files.is_superset(&other.files));
        self.environment == other.environment && (self.all || (!other.all && services)) && (self.all || files)
    }

    /// Returns a text for a pull request: `old` with the part of this tool replaced, or added if a person removed it. The table
    /// is cut to `longest` characters.
    pub fn write_body(&self, old: &str, description: &str, longest: usize) -> String {
        let marker = self.marker(longest);
        let (before, after) = split_body(old).unwrap_or((old, ""));
        let (before, after) = (before.trim(), after.trim());
        let fixed =
            [before, after, BEGIN, END, marker.as_str()].iter().map(|part| part.chars().count() + 3).sum::<usize>();
        let description = cut(description.trim(), longest.saturating_sub(fixed));
        let own = format!("{BEGIN}\n\n{description}\n\n{END}{marker})");
        [before, own.as_str(), after].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n\n")
    }

    /// Reads the scope of a pull request of this tool: by its branch in the same repository, and the marker in its text.
    pub fn of_pull_request(found: &PullRequest) -> Option<Self> {
        if !is_of_this_tool(found) {
            return None;
        }
        let line = found.body.lines().map(str::trim).rfind(|line| line.starts_with(END))?;
        Self::of_marker(line.strip_prefix(END)?.strip_suffix(')')?)
    }

    /// Returns a phrase for messages, such as `echo in prod`.
    pub fn phrase(&self) -> String {
        let services: Vec<&str> = self.services.iter().map(String::as_str).collect();
        let services = match (self.all, services.as_slice()) {
            (true, _) => "all services".to_owned(),
            (false, names) if names.len() > 3 => {
                format!("{} and {} more services", names[..3].join(", "), names.len() - 3)
            }
            (false, []) => self.files.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", "),
            (false, names) => names.join(", "),
        };
        match &self.environment {
            Some(environment) => format!("{services} in {environment}"),
            None => services,
        }
    }
}

/// The scope of a pull request of this tool whose text no longer has it, because a person replaced the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmarkedScope {
    /// The environment as the name of the branch has it; absent if it has none.
    pub environment: Option<String>,
}

impl UnmarkedScope {
    /// Reads the environment in the branch of such a pull request; `None` for all others.
    pub fn of_pull_request(found: &PullRequest) -> Option<Self> {
        if !is_of_this_tool(found) || ChangeScope::of_pull_request(found).is_some() {
            return None;
        }
        let (environment, _) = found.source.strip_prefix(BRANCHES)?.split_once('/').unwrap_or((NO_ENVIRONMENT, ""));
        Some(Self { environment: Some(environment.to_owned()).filter(|name| name != NO_ENVIRONMENT) })
    }

    /// Returns true if it may be about the environment of a change.
    pub fn may_concern(&self, scope: &ChangeScope) -> bool {
        match (&self.environment, &scope.environment) {
            (Some(theirs), Some(mine)) => *theirs == slug(mine),
            _ => true,
        }
    }
}

/// Returns true if the branch of a pull request is one of this tool, in the same repository.
fn is_of_this_tool(found: &PullRequest) -> bool {
    found.is_own_repository && found.source.starts_with(BRANCHES)
}

/// Returns the text before and after the part of this tool.
fn split_body(body: &str) -> Option<(&str, &str)> {
    let begin = body.find(BEGIN)?;
    let end = begin + body[begin..].find(END)?;
    let end = body[end..].find('\n').map_or(body.len(), |length| end + length);
    Some((&body[..begin], &body[end..]))
}

/// Cuts a text at a line, with a note.
fn cut(text: &str, longest: usize) -> String {
    const NOTE: &str = "\n\n… and more; see the commit";
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut length = 0;
    let room = longest.saturating_sub(NOTE.len());
    let lines = text.lines().take_while(|line| {
        length += line.chars().count() + 1;
        length <= room
    });
    format!("{}{NOTE}", lines.collect::<Vec<_>>().join("\n"))
}

/// Returns a text as a part of a branch name.
fn slug(text: &str) -> String {
    let words = text.split(|one: char| !one.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").to_ascii_lowercase().chars().take(READABLE).collect();
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(environment: Option<&str>, services: &[&str]) -> ChangeScope {
        ChangeScope {
            environment: environment.map(str::to_owned),
            services: services.iter().map(|name| (*name).to_owned()).collect(),
            ..ChangeScope::default()
        }
    }

    fn all(environment: &str, services: &[&str]) -> ChangeScope {
        ChangeScope { all: true, ..scope(Some(environment), services) }
    }

    fn in_files(services: &[&str], files: &[&str]) -> ChangeScope {
        ChangeScope { files: files.iter().map(|name| (*name).to_owned()).collect(), ..scope(None, services) }
    }

    fn opened(source: &str, body: &str) -> PullRequest {
        PullRequest::opened(1, source, body.to_owned())
    }

    #[test]
    fn a_branch_depends_on_the_scope_only() {
        let one = scope(Some("prod"), &["echo"]);
        assert!(one.branch("main").starts_with("ucp/pr/prod/echo-"), "{}", one.branch("main"));
        assert_eq!(all("prod", &["a"]).branch("main"), all("prod", &["b", "c"]).branch("main"));
        let scopes = [
            one,
            scope(Some("stage"), &["echo"]),
            scope(Some("prod"), &["Echo"]),
            all("prod", &[]),
            in_files(&["echo"], &["f"]),
        ];
        let names: BTreeSet<String> =
            scopes.iter().flat_map(|scope| [scope.branch("main"), scope.branch("release")]).collect();
        assert_eq!(names.len(), 10, "{names:?}");
        let hostile = scope(Some("../.."), &["x..y@{-1}.lock"]).branch("main");
        assert!(hostile.starts_with("ucp/pr/change/x-y-1-lock-"), "{hostile}");
    }

    #[test]
    fn overlaps_and_replacements() {
        let (echo, web, both) =
            (scope(Some("prod"), &["echo"]), scope(Some("prod"), &["web"]), scope(Some("prod"), &["echo", "web"]));
        assert!(!echo.overlaps(&web) && !echo.overlaps(&scope(Some("stage"), &["echo"])));
        assert!(echo.overlaps(&both) && both.overlaps(&echo) && both.covers(&echo) && !echo.covers(&both));
        let everything = all("prod", &["web"]);
        assert!(everything.covers(&both) && !both.covers(&everything) && echo.overlaps(&everything));
        assert!(!all("stage", &["echo"]).overlaps(&echo));
        // Without an environment, it may be the same place.
        let somewhere = in_files(&["echo"], &["base.yaml"]);
        assert!(somewhere.overlaps(&echo) && !somewhere.covers(&echo) && !echo.covers(&somewhere));
        assert!(somewhere.overlaps(&in_files(&["other"], &["base.yaml"])));
        assert!(!somewhere.overlaps(&in_files(&["echo"], &["other.yaml"])));
    }

    #[test]
    fn the_scope_survives_the_text_and_edits_of_people_remain() {
        let mine = scope(Some("prod"), &["echo", "--> ) \n]"]);
        let body = mine.write_body("", "| table |", 60_000);
        assert_eq!(ChangeScope::of_pull_request(&opened(&mine.branch("main"), &body)), Some(mine.clone()));
        // A forge may use other line ends.
        let edited = format!("Please look.\r\n\r\n{}\r\n\r\nThanks", body.replace('\n', "\r\n"));
        let updated = mine.write_body(&edited, "| new |", 60_000);
        assert!(updated.starts_with("Please look.") && updated.ends_with("Thanks"), "{updated}");
        assert!(updated.contains("| new |") && !updated.contains("| table |"));
        assert_eq!(ChangeScope::of_pull_request(&opened("ucp/pr/x", &updated)), Some(mine.clone()));
        assert_eq!(mine.write_body(&updated, "| new |", 60_000), updated);
    }

    #[test]
    fn only_branches_of_this_tool_in_this_repository_are_ours() {
        let mine = scope(Some("prod"), &["echo"]);
        let body = mine.write_body("", "", 60_000);
        let fork = PullRequest { is_own_repository: false, ..opened("ucp/pr/prod/echo", &body) };
        assert_eq!(ChangeScope::of_pull_request(&fork), None);
        assert_eq!(ChangeScope::of_pull_request(&opened("feature", &body)), None);
        assert_eq!(ChangeScope::of_pull_request(&opened("ucp/pr/prod/echo", "no marker")), None);
        assert_eq!(UnmarkedScope::of_pull_request(&fork), None);
        assert_eq!(UnmarkedScope::of_pull_request(&opened("feature", "no marker")), None);
        assert_eq!(UnmarkedScope::of_pull_request(&opened(&mine.branch("main"), &body)), None);
    }

    #[test]
    fn the_scope_of_an_unmarked_branch_is_its_environment() {
        let unmarked =
            |scope: &ChangeScope| UnmarkedScope::of_pull_request(&opened(&scope.branch("main"), "By hand")).unwrap();
        let (prod, stage) = (scope(Some("Prod_EU"), &["echo"]), scope(Some("stage"), &["web"]));
        assert!(unmarked(&prod).may_concern(&all("prod-eu", &[])) && !unmarked(&prod).may_concern(&stage));
        assert!(unmarked(&in_files(&["x"], &["f"])).may_concern(&stage));
        assert!(unmarked(&prod).may_concern(&in_files(&["x"], &["f"])));
    }

    #[test]
    fn a_persons_replacement_of_the_text_is_kept() {
        let mine = scope(Some("prod"), &["echo"]);
        let body = mine.write_body("Look at the graphs first.", "| table |", 60_000);
        assert!(body.starts_with("Look at the graphs first.") && body.contains("| table |"), "{body}");
        assert_eq!(mine.write_body(&body, "| table |", 60_000), body);
    }

    #[test]
    fn a_long_table_is_cut_and_the_scope_is_not() {
        let mine = scope(Some("prod"), &["echo"]);
        let body = mine.write_body("", &"| a line |\n".repeat(1000), 4000);
        assert!(body.chars().count() <= 4000 && body.contains("and more"), "{}", body.chars().count());
        assert!(ChangeScope::of_pull_request(&opened("ucp/pr/x", &body)).is_some());
    }
}
