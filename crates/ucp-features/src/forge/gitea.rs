//! The REST API of Gitea and Forgejo, version 1.
//!
//! - <https://docs.gitea.com/api/> (tags `repository` and `issue`), <https://codeberg.org/api/swagger>: the requirements are those
//!   of `repoGetBranch`, `repoListPullReviews`, `repoGetCombinedStatusByRef` and `repoListBranchProtection`, the methods of merging those of `repoGet`

use http::Method;
use serde_json::{Value, json};

use super::adapter::{Forge, PAGE, ReviewRequest, Supported};
use super::address::RemoteAddress;
use super::merging::{MergeSchedule, ScheduleState, allowed_method};
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, ResponseReading, UnmetRequirements, missing_approvals};
use super::response::{list_at, text_at, texts_of, time_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::glob;
use ucp_core::model::request_path::encode;

/// The fields of a repository that allow a method of merging.
const METHODS: &[(&str, &str)] = &[
    ("allow_merge_commits", "merge"),
    ("allow_rebase", "rebase"),
    ("allow_rebase_explicit", "rebase-merge"),
    ("allow_squash_merge", "squash"),
    ("allow_fast_forward_only_merge", "fast-forward-only"),
];

/// A repository on Gitea or Forgejo.
pub(super) struct GiteaRepository {
    base: String,
}

impl GiteaRepository {
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        // The server may be below a path.
        let [.., owner, name] = remote.path.as_slice() else {
            return fail!("{} is not OWNER/REPOSITORY", remote.path.join("/"));
        };
        Ok(Self { base: format!("/repos/{}/{}", encode(owner), encode(name)) })
    }

    fn pull(&self, number: u64) -> String {
        format!("{}/pulls/{number}", self.base)
    }

    fn issue(&self, number: u64, what: &str) -> String {
        format!("{}/issues/{number}/{what}", self.base)
    }
}

/// Whether approvals of earlier commits count.
enum StaleApprovals {
    Count,
    AreIgnored,
    MayBeIgnored,
}

/// Returns whether the rule of a branch ignores approvals of earlier commits, which only administrators may read.
fn stale_approvals(branch: &Value, protections: &Value) -> StaleApprovals {
    let name = text_at(branch, "/effective_branch_protection_name").filter(|name| !name.is_empty());
    let is_its = |rule: &&Value| name.is_some() && text_at(rule, "/rule_name") == name;
    let rule = protections.as_array().and_then(|rules| rules.iter().find(is_its));
    match rule.and_then(|rule| rule.get("ignore_stale_approvals")?.as_bool()) {
        Some(true) => StaleApprovals::AreIgnored,
        Some(false) => StaleApprovals::Count,
        None => StaleApprovals::MayBeIgnored,
    }
}

impl Forge for GiteaRepository {
    /// There is no filter for the source branch, so that the caller selects it.
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest {
        let (state, target, sort) = match query {
            // A new one is on the last page, and moves no other.
            PullRequestQuery::Open { target } => ("open", target, "oldest"),
            PullRequestQuery::Closed { target, .. } => ("closed", target, "recentupdate"),
        };
        let target = encode(target);
        ApiRequest::get(format!(
            "{}/pulls?state={state}&base_branch={target}&sort={sort}&limit={PAGE}&page={page}",
            self.base
        ))
    }

    fn show(&self, number: u64) -> ApiRequest {
        ApiRequest::get(self.pull(number))
    }

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let repository = item.pointer("/head/repo_id").and_then(Value::as_i64);
        Some(PullRequest {
            number: item.get("number")?.as_u64()?,
            url: text_at(item, "/html_url")?,
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/body").unwrap_or_default(),
            author: text_at(item, "/user/login"),
            opened_at: time_at(item, "/created_at"),
            // The label is the branch, also after the branch was deleted; `ref` is then a hidden one.
            source: text_at(item, "/head/label").or_else(|| text_at(item, "/head/ref"))?,
            target: text_at(item, "/base/ref")?,
            head: text_at(item, "/head/sha"),
            is_own_repository: repository.is_some()
                && repository == item.pointer("/base/repo_id").and_then(Value::as_i64),
            state: match (item.get("merged")?.as_bool()?, text_at(item, "/state")? == "closed") {
                (true, _) => PullRequestState::Merged,
                (false, true) => PullRequestState::Closed,
                (false, false) => PullRequestState::Open,
            },
            merge_commit: text_at(item, "/merge_commit_sha"),
            labels: texts_of(item.get("labels"), "name"),
            merge_id: None,
            project_id: None,
        })
    }

    /// Labels are added by [`Forge::label`], since only that request takes names.
    fn create(&self, draft: &PullRequestDraft, _labels: &[String], reviewers: &[Value]) -> ApiRequest {
        let PullRequestDraft { source, target, title, body } = draft;
        let body = json!({"title": title, "body": body, "head": source, "base": target, "reviewers": reviewers});
        ApiRequest::post(format!("{}/pulls", self.base), body)
    }

    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest {
        let body = json!({"title": draft.title, "body": draft.body});
        ApiRequest::with_body(Method::PATCH, self.pull(number), body)
    }

    fn close(&self, number: u64) -> ApiRequest {
        ApiRequest::with_body(Method::PATCH, self.pull(number), json!({"state": "closed"}))
    }

    fn comment(&self, number: u64, text: &str) -> ApiRequest {
        ApiRequest::post(self.issue(number, "comments"), json!({"body": text}))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<Vec<ApiRequest>, &'static str> {
        Ok(vec![ApiRequest::post(self.issue(number, "labels"), json!({"labels": labels}))])
    }

    fn review_request(&self, number: u64, reviewer: &Value) -> ReviewRequest {
        let body = json!({"reviewers": [reviewer]});
        ReviewRequest::Again(ApiRequest::post(format!("{}/requested_reviewers", self.pull(number)), body))
    }

    fn cancel_merge(&self, opened: &PullRequest) -> Supported {
        let path = format!("{}/merge", self.pull(opened.number));
        Ok(ApiRequest { method: Method::DELETE, path, body: None })
    }

    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str> {
        let head = opened.head.as_deref().ok_or("the response has no commit")?;
        Ok(vec![
            RequirementRequest::whole(format!("{}/branches/{}", self.base, encode(&opened.target))),
            RequirementRequest::get(
                format!("{}/reviews?limit={PAGE}", self.pull(opened.number)),
                ResponseReading::Pages(""),
            ),
            RequirementRequest::get(
                format!("{}/commits/{}/status?limit={PAGE}", self.base, encode(head)),
                ResponseReading::Pages("/statuses"),
            ),
            // For administrators only.
            RequirementRequest::get(format!("{}/branch_protections", self.base), ResponseReading::IfAllowed),
        ])
    }

    fn unmet(&self, _opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements> {
        let [branch, reviews, status, protections] = responses else { return None };
        let is = |review: &Value, field: &str| review.get(field).and_then(Value::as_bool) == Some(true);
        let official = |state: &str| {
            let counts = |review: &&Value| {
                is(review, "official")
                    && !is(review, "dismissed")
                    && text_at(review, "/state").as_deref() == Some(state)
            };
            Some(reviews.as_array()?.iter().filter(counts).collect::<Vec<_>>())
        };
        let required = branch.get("required_approvals")?.as_u64()?;
        let approved = official("APPROVED")?;
        let newest = approved.iter().filter(|review| !is(review, "stale")).count() as u64;
        let all = approved.len() as u64;
        let missing = match stale_approvals(branch, protections) {
            StaleApprovals::Count => missing_approvals(all, required),
            StaleApprovals::AreIgnored => missing_approvals(newest, required),
            StaleApprovals::MayBeIgnored => missing_approvals(all, required).or_else(|| {
                let missing = missing_approvals(newest, required)?;
                Some(format!("{missing} of the newest commit, and it is not known whether older ones count"))
            }),
        };
        let mut approvals: Vec<String> = missing.into_iter().collect();
        if !official("REQUEST_CHANGES")?.is_empty() {
            approvals.push("changes are requested".to_owned());
        }
        let (mut checks, mut failed) = (Vec::new(), Vec::new());
        if branch.get("enable_status_check")?.as_bool()? {
            let statuses = list_at(status, "/statuses").map(Vec::as_slice).unwrap_or_default();
            let contexts = branch.get("status_check_contexts").and_then(Value::as_array);
            // Without contexts, all statuses count.
            let any = [Value::from("*")];
            let contexts = contexts.filter(|contexts| !contexts.is_empty()).map_or(&any[..], Vec::as_slice);
            for context in contexts.iter().filter_map(Value::as_str) {
                let of = |one: &&Value| text_at(one, "/context").is_some_and(|name| glob::matches(context, &name));
                let states: Vec<_> = statuses.iter().filter(of).map(|one| text_at(one, "/status")).collect();
                if states.iter().flatten().any(|state| matches!(state.as_str(), "failure" | "error")) {
                    failed.push(format!("{context:?} has failed"));
                }
                if states.is_empty() || states.iter().any(|state| state.as_deref() != Some("success")) {
                    checks.push(format!("{context:?} has not succeeded"));
                }
            }
        }
        Some(UnmetRequirements::from_reasons(&approvals, &checks, &failed))
    }

    /// Gitea accepts a method that the repository does not allow, and does not merge by it.
    fn merge_settings(&self, _opened: &PullRequest) -> Option<ApiRequest> {
        Some(ApiRequest::get(self.base.clone()))
    }

    fn read_schedule(&self, response: &Value) -> MergeSchedule {
        let method = allowed_method(response, text_at(response, "/default_merge_style"), METHODS);
        MergeSchedule { state: ScheduleState::Unknown, method }
    }

    fn merge_when_ready(&self, opened: &PullRequest, method: Option<&str>) -> Supported {
        let method = method.unwrap_or("merge");
        let body = json!({"Do": method, "merge_when_checks_succeed": true, "head_commit_id": opened.head});
        Ok(ApiRequest::post(format!("{}/merge", self.pull(opened.number)), body))
    }

    fn is_scheduled_before(&self, status: u16, reason: &str) -> bool {
        status == 409 && reason.contains("already scheduled")
    }

    fn is_none_to_cancel(&self, status: u16) -> bool {
        status == 404
    }
}
