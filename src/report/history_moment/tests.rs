//! Tests of the problems at one time.

use super::*;

fn time(clock: &str) -> Timestamp {
    format!("2026-11-28T{clock}:00Z").parse().unwrap()
}

fn object(kind: &str) -> ObjectName {
    ObjectName { api_version: "example.org/v1".into(), kind: kind.into(), namespace: None, name: "orders".into() }
}

fn occurrence(from: &str, until: Option<&str>, kind: &str, change: ChangeSort) -> Occurrence {
    Occurrence {
        until: until.map(time),
        certainty: until.map_or(OccurrenceCertainty::Exact, |_| OccurrenceCertainty::Between),
        ..Occurrence::at(time(from), object(kind), change, "turned")
    }
}

fn states(findings: Vec<Finding>) -> [FindingsAt; 3] {
    let state = |clock: &str, findings| FindingsAt { moment: time(clock), findings, good: HashSet::new() };
    [state("09:00", Vec::new()), state("10:00", findings), state("11:00", Vec::new())]
}

fn wrong(clock: &str, states: &[FindingsAt], occurrences: &[Occurrence]) -> Vec<(String, OccurrenceCertainty)> {
    let moment = HistoryMoment::at(time(clock), states, occurrences, &[]);
    moment.wrong.into_iter().map(|problem| (problem.object.kind, problem.certainty)).collect()
}

#[test]
fn a_failure_between_two_snapshots_is_uncertain_in_that_period_and_certain_after_it() {
    let healed = occurrence("10:26", None, "Claim", ChangeSort::TurnedGood);
    let all = [occurrence("09:00", Some("10:00"), "Claim", ChangeSort::TurnedBad), healed.clone()];
    let at = |clock: &str| wrong(clock, &states(Vec::new()), &all);
    assert_eq!(at("09:15"), [("Claim".to_owned(), OccurrenceCertainty::AtLatest)]);
    assert_eq!(at("10:10"), [("Claim".to_owned(), OccurrenceCertainty::Exact)]);
    assert_eq!(at("10:50"), []);
    let exact = [occurrence("09:31", None, "Claim", ChangeSort::TurnedBad), healed];
    assert_eq!(wrong("09:15", &states(Vec::new()), &exact), [], "it was good at nine, and failed later");
}

#[test]
fn a_failure_has_ended_when_a_later_state_shows_that_its_object_is_good() {
    let failed = [occurrence("09:30", None, "Claim", ChangeSort::TurnedBad)];
    let mut all = states(Vec::new());
    let certain = [("Claim".to_owned(), OccurrenceCertainty::Exact)];
    assert_eq!(wrong("10:30", &all, &failed), certain);
    all[2].good.insert(ObjectKey::from(&object("Claim")));
    assert_eq!(wrong("10:30", &all, &failed), [("Claim".to_owned(), OccurrenceCertainty::AtLatest)]);
    assert_eq!(wrong("11:00", &all, &failed), []);
}

#[test]
fn a_finding_that_is_as_old_as_its_object_is_uncertain_before_the_first_report() {
    let mut finding = finding("Claim");
    finding.since = Some(time("08:00"));
    let reported = [occurrence("10:20", None, "Claim", ChangeSort::TurnedBad)];
    let last = [FindingsAt { moment: time("11:00"), findings: vec![finding], good: HashSet::new() }];
    assert_eq!(wrong("09:00", &last, &reported), [("Claim".to_owned(), OccurrenceCertainty::AtLatest)]);
    assert_eq!(wrong("10:30", &last, &reported), [("Claim".to_owned(), OccurrenceCertainty::Exact)]);
}

#[test]
fn a_finding_that_ended_between_two_states_is_not_seen_after_the_second_one() {
    let healed = [occurrence("10:00", Some("11:00"), "Claim", ChangeSort::TurnedGood)];
    let states = states(vec![finding("Claim")]);
    assert_eq!(wrong("11:00", &states[..2], &healed), []);
    assert_eq!(wrong("10:30", &states[..2], &healed), [("Claim".to_owned(), OccurrenceCertainty::Between)]);
}

fn finding(kind: &str) -> Finding {
    Finding {
        code: "UCP105".to_owned(),
        verdict: Verdict::Failed,
        object: object(kind),
        since: Some(time("09:31")),
        after: None,
        message: "refused".to_owned(),
        hint: None,
        also: Vec::new(),
        holds_up: Vec::new(),
    }
}

#[test]
fn a_finding_ends_when_all_objects_that_it_blocked_are_good() {
    let holds_up = vec![object("Claim"), object("Instance")];
    let finding = Finding { holds_up, ..finding("ProviderConfig") };
    let states = states(vec![finding]);
    let good = |kind: &str| occurrence("10:26", None, kind, ChangeSort::TurnedGood);
    assert_eq!(wrong("10:50", &states, &[good("Claim"), good("Instance")]), []);
    let seen = ("ProviderConfig".to_owned(), OccurrenceCertainty::Between);
    assert_eq!(wrong("10:50", &states, &[good("Claim")]), [seen]);
}
