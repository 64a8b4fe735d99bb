//! ExternalDNS: requested DNS records. A DNSEndpoint has no conditions.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, RepresentedResource, TextLocation, verdicts,
};
use crate::engine::outside::ExternalPolicy;

codes! {
    DnsRecordFailed "UCP776" Failed "a DNS record is not created" {
        "Condition Accepted or Programmed of a DNSRecord is False. A DNSEndpoint only shows whether it was observed: the result is in the log of ExternalDNS."
        "Read the message; for a DNSEndpoint, the log of external-dns."
        "kubectl describe {object}"
    }
}

const OUTSIDE: ExternalPolicy =
    ExternalPolicy { names: &["/spec/dnsName", "/metadata/name"], ..ExternalPolicy::DELETES };

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "ExternalDNS",
    part_of: "external-dns",
    kinds: &[KindSelector { group: "externaldns.k8s.io", which: KindFilter::Only(&["DNSEndpoint", "DNSRecord"]) }],
    codes: ALL,
    verdicts: verdicts(Code::DnsRecordFailed),
    controllers: &[DeclaredController::all(&["external-dns"])],
    stands_for: RepresentedResource::Outside(&[TextLocation::Spec("dnsName"), TextLocation::Name], &OUTSIDE),
    ..DeclaredEngine::NEW
};
