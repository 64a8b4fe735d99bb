//! ExternalDNS: requested DNS records. A DNSEndpoint has no conditions.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::Outside;

codes! {
    DnsRecordFailed "UCP776" Failed "a DNS record is not made" {
        "Condition Accepted or Programmed of a DNSRecord is False. A DNSEndpoint only tells whether it was looked at: ExternalDNS logs what became of it."
        "Read the message; for a DNSEndpoint, the log of external-dns."
        "kubectl describe {object}"
    }
}

const OUTSIDE: Outside = Outside { names: &["/spec/dnsName", "/metadata/name"], ..Outside::DELETES };

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "ExternalDNS",
    part_of: "external-dns",
    kinds: &[Kinds { group: "externaldns.k8s.io", which: Which::Only(&["DNSEndpoint", "DNSRecord"]) }],
    codes: ALL,
    verdicts: verdicts(Code::DnsRecordFailed),
    controllers: &[Runs::all(&["external-dns"])],
    stands_for: StandsFor::Outside(&[Text::Spec("dnsName"), Text::Name], &OUTSIDE),
    ..Declared::NEW
};
