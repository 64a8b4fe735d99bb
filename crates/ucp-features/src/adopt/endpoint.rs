//! Endpoints of API servers, and the identity their servers have to prove: the part of an access that decides who
//! receives a credential.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use ring::digest::{SHA256, digest};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::adopt::hazard::{AllowedHazards, Hazard, Obstacle};
use ucp_client::source::addresses::LocalAddress;
use ucp_core::model::hash::hexadecimal;
use ucp_core::model::server::{ServerUrlProblem, canonical_url, check_server_url, url_path};

/// The endpoint of a cluster's API server, and how its identity is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterEndpoint {
    /// URL, without a trailing slash.
    pub server: String,
    /// Certificates of the trusted authorities, in PEM; those of the system if absent.
    pub authority: Option<String>,
    /// Name to expect in the server's certificate, if it differs from the URL's host.
    pub server_name: Option<String>,
    /// The verification of the server's certificate.
    pub verification: Verification,
    /// URL of the proxy.
    pub proxy: Option<String>,
}

/// The verification of a server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// The certificate is verified.
    Full,
    /// Any server is accepted: `insecure-skip-tls-verify`.
    Skipped,
}

impl ClusterEndpoint {
    /// The first obstacle to connecting to this endpoint, with any credential.
    pub fn obstacle(&self, allowed: &AllowedHazards) -> Option<Obstacle> {
        self.hazards().find(|hazard| !allowed.contains(hazard)).map(Obstacle::NotAllowed)
    }

    /// The hazards of this endpoint, which flags have to allow.
    pub fn hazards(&self) -> impl Iterator<Item = Hazard> + use<> {
        let hazards = [
            (self.is_localhost(), Hazard::Localhost),
            (self.is_link_local(), Hazard::LinkLocal),
            (self.is_clear_text(), Hazard::Http),
            (self.proxy.is_some(), Hazard::Proxy),
            (self.verification == Verification::Skipped, Hazard::InsecureTls),
        ];
        hazards.into_iter().filter_map(|(is_present, hazard)| is_present.then_some(hazard))
    }

    /// Returns true if the server is on the local machine.
    pub fn is_localhost(&self) -> bool {
        let host = host(&self.server);
        host == "localhost"
            || host.ends_with(".localhost")
            || address(&host).and_then(LocalAddress::from_address) == Some(LocalAddress::Loopback)
    }

    /// Returns true if the server is in the network of the local machine: a metadata service or another link-local
    /// address.
    fn is_link_local(&self) -> bool {
        let host = host(&self.server);
        METADATA_HOSTS.contains(&host.as_str())
            || address(&host).and_then(LocalAddress::from_address) == Some(LocalAddress::LinkLocal)
    }

    fn is_clear_text(&self) -> bool {
        canonical_url(&self.server).starts_with("http://")
    }

    /// Returns true if the server has to prove its identity before anything is sent to it.
    pub fn is_verified(&self) -> bool {
        !self.is_clear_text() && self.verification == Verification::Full
    }

    /// The name that the server's certificate must have.
    fn certificate_name(&self) -> String {
        let name = self.server_name.clone().unwrap_or_else(|| host(&self.server));
        name.trim_end_matches('.').to_ascii_lowercase()
    }

    /// The certificates of the trusted authorities, without any other text in the file; `None` for those of the system.
    fn authorities(&self) -> Option<BTreeSet<Vec<u8>>> {
        let pem = self.authority.as_ref()?;
        let certificates = CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok);
        Some(certificates.map(|certificate| certificate.to_vec()).collect())
    }

    /// Returns true for the same endpoint: scheme, host, port, path, certificate name, authority, and verification.
    pub fn is_same_as(&self, other: &Self) -> bool {
        same_server(&self.server, &other.server)
            && self.certificate_name() == other.certificate_name()
            && self.verification == other.verification
            && self.authorities() == other.authorities()
            // Without verification, a proxy can answer in place of the server.
            && (self.is_verified() || self.proxy == other.proxy)
    }

    /// Returns true if the servers of both endpoints must prove the same identity: the same name, by the same
    /// authority. The path is a part of it, since a proxy serves many clusters below one name.
    pub fn has_identity_of(&self, other: &Self) -> bool {
        self.is_verified()
            && other.is_verified()
            && self.has_path_of(other)
            && self.certificate_name() == other.certificate_name()
            && self.authorities() == other.authorities()
    }

    fn has_path_of(&self, other: &Self) -> bool {
        url_path(&self.server) == url_path(&other.server)
    }

    /// The same address, where the server must prove the identity of the `known` endpoint; `None` if one of the two is
    /// not verified, or their paths differ.
    ///
    /// The name is checked in every later connection as well. Otherwise, a server could relay the first connection to
    /// the known server, and answer the next one itself under another name.
    pub fn with_identity_of(&self, known: &Self) -> Option<Self> {
        if !known.is_verified() || self.is_clear_text() || !self.has_path_of(known) {
            return None;
        }
        let name = known.certificate_name();
        let server_name = (host(&self.server) != name).then_some(name);
        let (authority, verification) = (known.authority.clone(), Verification::Full);
        Some(Self { server_name, authority, verification, ..self.clone() })
    }

    /// Returns true if it may be another address of the same cluster. The result only decides which objects are left
    /// unchanged, never where a credential is sent: it is true for every server whose certificate the cluster's
    /// authority signed.
    pub fn may_be_same_cluster(&self, other: &Self) -> bool {
        let is_shared = self.authority.is_some() && self.authorities() == other.authorities();
        is_shared || same_server(&self.server, &other.server)
    }

    /// A short hash of the endpoint: server, authority, server name, verification, and proxy.
    pub fn version(&self) -> String {
        let text = format!(
            "{}\n{}\n{}\n{:?}\n{}",
            canonical_url(&self.server),
            self.authority.as_deref().unwrap_or_default().trim(),
            self.server_name.as_deref().unwrap_or_default(),
            self.verification,
            self.proxy.as_deref().unwrap_or_default(),
        );
        let digest = digest(&SHA256, text.as_bytes());
        hexadecimal(&digest.as_ref()[..8])
    }
}

/// Returns true if two URLs are those of the same API server.
pub fn same_server(left: &str, right: &str) -> bool {
    canonical_url(left) == canonical_url(right)
}

/// A server's URL without a trailing slash, if it is nothing but scheme, host, port, and path.
///
/// # Errors
/// Returns the reason why it is none, without quoting it.
pub(crate) fn plain_url(server: &str) -> Result<String, ServerUrlProblem> {
    check_server_url(server)?;
    let server = server.trim().trim_end_matches('/');
    match server.parse::<http::Uri>().is_ok_and(|url| url.authority().is_some()) {
        true => Ok(server.to_owned()),
        false => Err(ServerUrlProblem::NotHttps),
    }
}

/// Names of metadata services of clouds.
const METADATA_HOSTS: [&str; 3] = ["metadata", "metadata.google.internal", "instance-data"];

/// The host of a URL, without port, brackets, and user name.
fn host(server: &str) -> String {
    let canonical = canonical_url(server);
    let authority = canonical.split_once("://").map_or(canonical.as_str(), |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split([']', '%']).next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_owned()
}

/// The IP address of a host, in every form that resolvers accept: `127.1`, `0x7f000001`, `::ffff:127.0.0.1`.
fn address(host: &str) -> Option<IpAddr> {
    match host.parse::<IpAddr>() {
        Ok(address) => Some(address.to_canonical()),
        Err(_) => numbers(host).map(IpAddr::V4),
    }
}

/// An IPv4 address as `inet_aton` reads it: one to four numbers, the last of which fills the remaining bytes.
fn numbers(host: &str) -> Option<Ipv4Addr> {
    let number = |text: &str| -> Option<u32> {
        match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
            None => text.parse().ok(),
        }
    };
    let parts: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 4)?;
    let left = 32 - 8 * u32::try_from(first.len()).ok()?;
    if first.iter().any(|part| *part > 255) || u64::from(*last) >= 1_u64 << left {
        return None;
    }
    let head = first.iter().zip([24, 16, 8]).fold(0, |sum, (part, shift)| sum | part << shift);
    Some(Ipv4Addr::from(head | last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(server: &str, server_name: Option<&str>, authority: Option<&str>) -> ClusterEndpoint {
        ClusterEndpoint {
            server: server.to_owned(),
            authority: authority.map(|der| format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n")),
            server_name: server_name.map(str::to_owned),
            verification: Verification::Full,
            proxy: None,
        }
    }

    #[test]
    fn another_address_must_prove_the_known_name_with_the_known_authority() {
        let known = endpoint("https://prod:6443", None, Some("bWluZQ=="));
        for other in [
            endpoint("https://evil", None, Some("bWluZQ==")),
            endpoint("https://prod:6443", Some("node-1"), Some("bWluZQ==")),
            endpoint("https://prod:6443", None, Some("b3RoZXI=")),
            endpoint("https://prod:6443", None, None),
            endpoint("http://prod:6443", None, Some("bWluZQ==")),
            ClusterEndpoint { verification: Verification::Skipped, ..known.clone() },
        ] {
            assert!(!other.has_identity_of(&known) && !other.is_same_as(&known), "{other:?}");
            match other.with_identity_of(&known) {
                Some(pinned) => assert!(pinned.has_identity_of(&known), "{pinned:?}"),
                None => assert!(other.is_clear_text(), "{other:?}"),
            }
        }
        let behind_proxy = endpoint("https://prod:6443/k8s/clusters/c-1", None, Some("bWluZQ=="));
        let next = endpoint("https://prod:6443/k8s/clusters/c-2", None, Some("bWluZQ=="));
        for (one, other) in [(&behind_proxy, &next), (&behind_proxy, &known), (&known, &behind_proxy)] {
            assert!(!one.has_identity_of(other) && !one.is_same_as(other), "{one:?}");
            assert_eq!(one.with_identity_of(other), None, "one proxy serves both");
            assert_ne!(one.version(), other.version());
        }
        let moved = endpoint("https://moved", Some("prod"), Some("bWluZQ=="));
        assert!(moved.has_identity_of(&known) && !moved.is_same_as(&known));
        assert_eq!(endpoint("https://PROD", None, None).with_identity_of(&known).unwrap().server_name, None);
        let unverified = ClusterEndpoint { verification: Verification::Skipped, ..known.clone() };
        assert_eq!(known.with_identity_of(&unverified), None, "it proved nothing before");
    }

    #[test]
    fn every_form_of_an_address_is_recognized() {
        let hazards = |server: &str| endpoint(server, None, None).hazards().collect::<Vec<_>>();
        for server in [
            "https://localhost.",
            "https://127.1",
            "https://0x7f000001",
            "https://2130706433",
            "https://017700000001",
            "https://[::ffff:127.0.0.1]:6443",
            "https://0",
            "https://[::]",
            "https://a.localhost:1",
            "https://[::1]",
        ] {
            assert_eq!(hazards(server), [Hazard::Localhost], "{server}");
        }
        for server in [
            "https://169.254.169.254",
            "https://2852039166",
            "https://0xA9FEA9FE",
            "https://[fe80::1%25eth0]",
            "https://[::ffff:169.254.169.254]",
            "https://169.254.43518",
            "https://metadata.google.internal.",
            "https://[fd00:ec2::254]",
            "https://100.100.100.200",
            "https://168.63.129.16",
        ] {
            assert_eq!(hazards(server), [Hazard::LinkLocal], "{server}");
        }
        assert_eq!(hazards("HTTP://a"), [Hazard::Http]);
        for server in ["https://34.155.201.14", "https://a.example.org", "https://1.2.3.4.5", "https://10.0.0.256", "a"]
        {
            assert_eq!(hazards(server), [], "{server}");
        }
    }

    #[test]
    fn urls_of_the_same_server_are_equal() {
        assert!(same_server("https://A.example.org:443/", "https://a.example.org"));
        assert!(same_server("34.155.201.14", "https://34.155.201.14"));
        assert!(!same_server("https://a.example.org/k8s/clusters/c-1", "https://a.example.org/k8s/clusters/c-2"));
        assert!(!same_server("https://a.example.org:6443", "https://a.example.org"));
        assert!(!same_server("http://a.example.org", "https://a.example.org"));
        assert_eq!(plain_url("https://u:p@a"), Err(ServerUrlProblem::UserName));
        assert_eq!(plain_url(" https://a/k8s/ "), Ok("https://a/k8s".to_owned()));
    }
}
