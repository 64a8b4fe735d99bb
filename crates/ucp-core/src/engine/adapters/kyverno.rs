//! Kyverno: policies, generate and mutate rules, and policy reports.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::adapter::Engine;
use crate::engine::code::{Code, codes};
use crate::engine::controller::description::{Controller, ControllerNeed};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ParentReference, TextLocation, verdicts,
};
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement, Problem};
use crate::graph::link::{Link, Relation};
use crate::model::body::policy_report::{PolicyReport, PolicyViolation};
use crate::model::body::reference::ObjectReference;
use crate::model::body::{Body, BodyShape, KindRequest};
use crate::model::kind::ResourceKind;
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

codes! {
    KyvernoFailed "UCP784" Failed "a policy of Kyverno is not in force" {
        "Condition Ready of a policy is False, status.conditionStatus.ready of a newer one is false, or an UpdateRequest failed: the policy does not deny, change or generate anything."
        "Read the message. If a resource cannot be generated, the background controller often does not have the required permission."
        "kubectl describe {object}"
    }
    PolicyBroken "UCP785" Failed "an object violates a policy" {
        "A PolicyReport, of wgpolicyk8s.io or openreports.io, has a result 'fail' or 'error' for the object. The policy only audits: it did not refuse the object when it was created."
        "Change the object in Git as the policy says, or the policy, or add a PolicyException."
        "kubectl get policyreports,clusterpolicyreports -A"
    }
}

/// The policies, as a declared engine.
const POLICIES: DeclaredEngine = DeclaredEngine {
    name: "Kyverno",
    part_of: "kyverno",
    kinds: &[
        KindSelector { group: "kyverno.io", which: KindFilter::Only(&["ClusterPolicy", "Policy", "UpdateRequest"]) },
        KindSelector {
            group: "policies.kyverno.io",
            which: KindFilter::Only(&[
                "ValidatingPolicy",
                "MutatingPolicy",
                "GeneratingPolicy",
                "DeletingPolicy",
                "ImageValidatingPolicy",
                "NamespacedValidatingPolicy",
                "NamespacedMutatingPolicy",
                "NamespacedGeneratingPolicy",
                "NamespacedDeletingPolicy",
                "NamespacedImageValidatingPolicy",
            ]),
        },
    ],
    codes: ALL,
    verdicts: verdicts(Code::KyvernoFailed),
    controllers: &[
        DeclaredController::all(&["kyverno-admission-controller", "kyverno"]),
        DeclaredController {
            need: ControllerNeed::WhereDeployed,
            ..DeclaredController::for_kinds(&["kyverno-background-controller"], &["UpdateRequest"])
        },
    ],
    parents: &[ParentReference {
        relation: Relation::Generates,
        group: TextLocation::Is("kyverno.io"),
        kind: TextLocation::Is("ClusterPolicy"),
        namespace: TextLocation::Nowhere,
        name: TextLocation::Label("generate.kyverno.io/policy-name"),
    }],
    ..DeclaredEngine::NEW
};

/// Returns true if a kind is a policy report.
fn is_report(kind: &ResourceKind) -> bool {
    matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        ("wgpolicyk8s.io", "PolicyReport" | "ClusterPolicyReport") | ("openreports.io", "Report" | "ClusterReport")
    )
}

/// The Kyverno engine: declared policies, and policy reports.
pub(in crate::engine) struct KyvernoEngine;

impl Engine for KyvernoEngine {
    fn name(&self) -> &'static str {
        POLICIES.name()
    }

    fn part_of(&self) -> &'static str {
        POLICIES.part_of()
    }

    fn version(&self, state: &ClusterState) -> Option<String> {
        POLICIES.version(state)
    }

    fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        if is_report(kind) { Some(KindRequest::all(BodyShape::PolicyReport)) } else { POLICIES.want(kind) }
    }

    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
        let Body::PolicyReport(report) = &resource.body else { return POLICIES.judge(resource, clock) };
        Some(match report.broken.len() {
            0 => Judgement::ok(None),
            // Violations are reported on the objects that violate the policy.
            number => Judgement::quiet(Verdict::Failed, None, format!("{number} results are fail or error")),
        })
    }

    fn codes(&self) -> &'static [Code] {
        POLICIES.codes()
    }

    fn tells_of_others(&self, kind: &ResourceKind) -> bool {
        is_report(kind)
    }

    fn links(&self, resource: &Resource) -> Vec<Link> {
        POLICIES.links(resource)
    }

    fn controllers<'state>(&self, state: &'state ClusterState) -> Vec<Controller<'state>> {
        POLICIES.controllers(state)
    }

    /// Adds the violations in reports to the judgements of the objects that they concern.
    fn reconsider(&self, judged: &mut [JudgedObject<'_>], _: &AssessmentClock) {
        let mut breaks = PolicyViolations::from_judged(judged).by_subject;
        for entry in judged.iter_mut().filter(|entry| !is_report(&entry.resource.kind)) {
            let Some(rules) = breaks.remove(&entry.resource.key()) else { continue };
            let problem = rules.problem(&[]);
            let judgement = &mut entry.judgement;
            if judgement.verdict > Verdict::Failed {
                judgement.verdict = Verdict::Failed;
                judgement.message = Some(problem.message.as_str().into());
                judgement.since = problem.since;
            }
            judgement.problems.push(problem);
        }
    }

    /// Groups objects that no engine judges: one cause per set of violated rules.
    fn causes(&self, facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        let judged: BTreeSet<ObjectKey> = facts.judged.iter().map(|entry| entry.resource.key()).collect();
        let breaks = PolicyViolations::from_judged(facts.judged);
        let mut alike: BTreeMap<BTreeSet<(&str, &str)>, Vec<&ViolatedRules<'_>>> = BTreeMap::new();
        for (key, rules) in &breaks.by_subject {
            if !judged.contains(key) {
                alike.entry(rules.rules.keys().copied().collect()).or_default().push(rules);
            }
        }
        let mut causes = POLICIES.causes(facts);
        causes.extend(alike.into_values().filter_map(|subjects| {
            let (first, others) = subjects.split_first()?;
            let mut holds_up: Vec<usize> = subjects.iter().flat_map(|rules| rules.reports.iter().copied()).collect();
            holds_up.sort_unstable();
            holds_up.dedup();
            Some(Cause { object: first.subject.clone(), problem: first.problem(others), holds_up })
        }));
        causes
    }
}

/// Policy violations by object.
struct PolicyViolations<'a> {
    by_subject: BTreeMap<ObjectKey, ViolatedRules<'a>>,
}

/// The rules that one object violates. A rule that is reported in both report APIs is counted once.
struct ViolatedRules<'a> {
    subject: ObjectName,
    rules: BTreeMap<(&'a str, &'a str), &'a PolicyViolation>,
    /// Positions of the reports in the list of judged objects.
    reports: BTreeSet<usize>,
}

impl<'a> PolicyViolations<'a> {
    fn from_judged(judged: &[JudgedObject<'a>]) -> Self {
        let mut by_subject = BTreeMap::new();
        for (index, entry) in judged.iter().enumerate() {
            let resource: &'a Resource = entry.resource;
            let Body::PolicyReport(report) = &resource.body else { continue };
            for broken in &report.broken {
                for subject in subjects(resource, report, broken) {
                    let rules = by_subject.entry(ObjectKey::from(&subject)).or_insert_with(|| ViolatedRules {
                        subject,
                        rules: BTreeMap::new(),
                        reports: BTreeSet::new(),
                    });
                    rules.rules.insert((broken.policy.as_str(), broken.rule.as_str()), broken);
                    rules.reports.insert(index);
                }
            }
        }
        Self { by_subject }
    }
}

/// Returns the objects that a result concerns: those of the result, else the scope of the report, else the report
/// itself.
fn subjects(resource: &Resource, report: &PolicyReport, broken: &PolicyViolation) -> Vec<ObjectName> {
    let name = |subject: &ObjectReference| ObjectName {
        api_version: subject.api_version.clone(),
        kind: subject.kind.clone(),
        // A report is in the namespace of its subjects.
        namespace: subject.namespace.clone().or_else(|| resource.metadata.namespace.clone()),
        name: subject.name.clone(),
    };
    let of_report = report.scope.iter();
    let mut found: Vec<ObjectName> = broken.resources.iter().map(name).collect();
    if found.is_empty() {
        found = of_report.map(name).collect();
    }
    if found.is_empty() {
        found.push(resource.name());
    }
    found
}

impl ViolatedRules<'_> {
    fn problem(&self, others: &[&Self]) -> Problem {
        const NAMED: usize = 3;
        let words = self.rules.iter().map(|((policy, rule), broken)| {
            let name = if rule.is_empty() { (*policy).to_owned() } else { format!("{policy}/{rule}") };
            match broken.message.trim() {
                "" => name,
                message => format!("{name}: {message}"),
            }
        });
        let mut message = words.collect::<Vec<_>>().join("; ");
        if !others.is_empty() {
            let named: Vec<String> = others.iter().take(NAMED).map(|other| other.subject.to_string()).collect();
            let more = if others.len() > NAMED { ", …" } else { "" };
            message.push_str(&format!(" (and {} more: {}{more})", others.len(), named.join(", ")));
        }
        let since = self.rules.values().filter_map(|broken| broken.at()).min();
        Problem::new(Code::PolicyBroken, since, message)
    }
}
