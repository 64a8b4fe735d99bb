//! Environments to which a service is in flight: they are in open pull requests.

use std::collections::BTreeSet;

use crate::forge::pull_request::PullRequest;
use crate::forge::scope::{ChangeScope, UnmarkedScope};

/// An open pull request that changes a service in another environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentInFlight {
    /// The number of the pull request.
    pub number: u64,
    /// The environment; absent if the pull request names none.
    pub environment: Option<String>,
}

impl EnvironmentInFlight {
    /// Returns a phrase for messages, such as `prod-eu (#7)`.
    fn phrase(&self) -> String {
        format!("{} (#{})", self.environment.as_deref().unwrap_or("an environment that is not named"), self.number)
    }
}

/// Returns the reason why a change of a service has to wait for others: as many environments as `most` are in flight already.
pub fn too_many_in_flight(open: &[PullRequest], scope: &ChangeScope, most: usize) -> Option<String> {
    scope.services.iter().find_map(|service| {
        let others = in_flight(open, scope, service);
        (others.len() >= most).then(|| {
            let others: Vec<String> = others.iter().map(EnvironmentInFlight::phrase).collect();
            format!("{service} is in flight to {}, and inFlight in .ucp.yaml is {most}", others.join(", "))
        })
    })
}

/// Returns the other environments to which a service is in flight, each with its oldest pull request.
fn in_flight(open: &[PullRequest], scope: &ChangeScope, service: &str) -> Vec<EnvironmentInFlight> {
    let environment = |found: &PullRequest| match UnmarkedScope::of_pull_request(found) {
        // It may change the service.
        Some(theirs) => (theirs.environment.is_none() || !theirs.may_concern(scope)).then_some(theirs.environment),
        None => ChangeScope::of_pull_request(found)
            .filter(|theirs| theirs.environment != scope.environment && theirs.may_change(service))
            .map(|theirs| theirs.environment),
    };
    let others = open
        .iter()
        .filter_map(|found| Some(EnvironmentInFlight { number: found.number, environment: environment(found)? }));
    let mut others: Vec<EnvironmentInFlight> = others.collect();
    others.sort_by_key(|other| other.number);
    let mut known = BTreeSet::new();
    others.retain(|other| known.insert(other.environment.clone()));
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(environment: &str, services: &[&str]) -> ChangeScope {
        ChangeScope {
            environment: Some(environment.to_owned()),
            services: services.iter().map(|name| (*name).to_owned()).collect(),
            ..ChangeScope::default()
        }
    }

    fn opened(number: u64, scope: &ChangeScope) -> PullRequest {
        PullRequest::opened(number, &scope.branch("main"), scope.write_body("", "", 60_000))
    }

    #[test]
    fn environments_in_flight_are_counted_for_each_service() {
        let (eu, us) = (scope("eu", &["echo"]), scope("us", &["echo", "web"]));
        let open = vec![opened(1, &eu), opened(2, &us), opened(3, &us)];
        let waits = |scope: &ChangeScope, most: usize| too_many_in_flight(&open, scope, most);
        let asia = scope("asia", &["echo"]);
        let reason = waits(&asia, 2).unwrap();
        assert!(reason.contains("echo is in flight to eu (#1), us (#2)"), "{reason}");
        assert_eq!(waits(&asia, 3), None);
        // Its own environment does not count, nor do others services.
        assert_eq!(waits(&eu, 2), None);
        assert!(waits(&eu, 1).is_some());
        assert!(waits(&scope("asia", &["web"]), 1).is_some() && waits(&scope("asia", &["web"]), 2).is_none());
        assert_eq!(waits(&scope("asia", &["api"]), 1), None);
        // A pull request without an environment may be for any.
        let any = ChangeScope { services: BTreeSet::from(["echo".to_owned()]), ..ChangeScope::default() };
        assert!(too_many_in_flight(&[opened(9, &any)], &asia, 1).is_some());
        // One whose text was replaced may change any service.
        let unmarked = PullRequest { body: String::new(), ..opened(9, &eu) };
        assert!(too_many_in_flight(std::slice::from_ref(&unmarked), &asia, 1).is_some());
        assert_eq!(too_many_in_flight(&[unmarked], &eu, 1), None);
    }
}
