//! cert-manager: certificates and issuers. Reports a certificate before it expires.

use jiff::{SignedDuration, Timestamp};

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ReferenceField, TextLocation,
    verdicts,
};
use crate::engine::judgement::Problem;
use crate::graph::link::Relation;
use crate::model::body::any::GenericObject;

codes! {
    CertificateFailed "UCP726" Failed "a certificate is not issued" {
        "Condition Ready of a Certificate is False and cert-manager reports that an issuance failed, or condition Ready of an Issuer or ClusterIssuer is False."
        "Read the message, then the CertificateRequest, Order and Challenge that belong to it: 'kubectl ucp tree' shows them."
        "kubectl describe {object}"
    }
    CertificateEnds "UCP727" NeedsHuman "a certificate expires soon and was not renewed" {
        "status.renewalTime has passed by more than an hour, or less than a tenth of the lifetime is left before status.notAfter, and no newer certificate was issued: clients refuse the certificate after notAfter."
        "Find out why it was not renewed: its issuer, and its newest CertificateRequest."
        "kubectl describe {object}"
    }
    CertificateEnded "UCP728" Failed "a certificate has expired" {
        "status.notAfter of a Certificate has passed: clients refuse it."
        "Find out why it was not renewed: its issuer, and its newest CertificateRequest."
        "kubectl describe {object}"
    }
}

/// The time that a renewal may take, including the catch-up of a restarted controller.
const GRACE: SignedDuration = SignedDuration::from_hours(1);

fn end(any: &GenericObject, now: Timestamp) -> Option<Problem> {
    let time = |field: &str| any.status.get(field)?.as_str()?.parse::<Timestamp>().ok();
    let not_after = time("notAfter")?;
    let left = not_after.duration_since(now);
    if left <= SignedDuration::ZERO {
        return Some(Problem::new(Code::CertificateEnded, Some(not_after), format!("it expired at {not_after}")));
    }
    let life = time("notBefore").map(|not_before| not_after.duration_since(not_before));
    let is_late = time("renewalTime").is_some_and(|renewal| now.duration_since(renewal) > GRACE);
    let is_near = life.is_some_and(|life| left < life / 10);
    (is_late || is_near).then(|| {
        let message = format!("it expires at {not_after} and was not renewed");
        Problem::new(Code::CertificateEnds, time("renewalTime").filter(|renewal| *renewal <= now), message)
    })
}

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "cert-manager",
    part_of: "cert-manager",
    // Requests, orders, and challenges are short-lived, and only explain the state of a certificate.
    kinds: &[KindSelector {
        group: "cert-manager.io",
        which: KindFilter::Only(&["Certificate", "Issuer", "ClusterIssuer"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::CertificateFailed),
    controllers: &[DeclaredController::all(&["cert-manager", "cert-manager-controller"])],
    references: &[
        ReferenceField {
            relation: Relation::ConfiguredBy,
            each: "issuerRef",
            group: TextLocation::ItemOr("group", "cert-manager.io"),
            kind: TextLocation::ItemOr("kind", "Issuer"),
            namespace: TextLocation::Nowhere,
            name: TextLocation::Item("name"),
        },
        ReferenceField {
            relation: Relation::Writes,
            each: "",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Namespace,
            name: TextLocation::Spec("secretName"),
        },
    ],
    own: |resource, any, clock| match end(any, clock.now) {
        // Ready only repeats the expiry.
        Some(ended) if resource.conditions.iter().any(|one| one.kind == "Ready" && one.reason == "Expired") => {
            EngineJudgement::only(vec![ended])
        }
        ending => EngineJudgement::Beside(ending.into_iter().collect()),
    },
    ..DeclaredEngine::NEW
};
