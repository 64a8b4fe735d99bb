//! The addresses to which a host name may lead. A name says nothing about its address, which its owner chooses.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A kind of addresses in the network of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocalAddress {
    /// An address of this machine itself.
    Loopback,
    /// A link-local address, or the address of a metadata service.
    LinkLocal,
}

/// The kinds of addresses to which no name may lead; none for a connection that the user configured.
pub type ForbiddenAddresses = BTreeSet<LocalAddress>;

/// Addresses of metadata services outside of 169.254.0.0/16: Alibaba Cloud, Azure, Oracle Cloud.
const METADATA_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];
/// The first segments of private IPv6 networks with metadata and credential services: AWS, Google Cloud, Oracle Cloud,
/// Scaleway, Akamai, Alibaba Cloud.
const METADATA_V6: [[u16; 2]; 6] =
    [[0xfd00, 0xec2], [0xfd20, 0xce], [0xfd00, 0xc1], [0xfd00, 0x42], [0xfd00, 0xa9fe], [0xfd00, 0x100]];

impl LocalAddress {
    /// Returns the kind of an address; `None` for one in another network.
    pub fn from_address(address: IpAddr) -> Option<Self> {
        let address = address.to_canonical();
        if address.is_loopback() || address.is_unspecified() {
            return Some(Self::Loopback);
        }
        let is_link_local = match address {
            IpAddr::V4(address) => address.is_link_local() || METADATA_V4.contains(&address),
            IpAddr::V6(address) => {
                let [first, second, ..] = address.segments();
                address.is_unicast_link_local() || METADATA_V6.contains(&[first, second])
            }
        };
        match address {
            _ if is_link_local => Some(Self::LinkLocal),
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => embedded_v4(address).and_then(|inner| Self::from_address(inner.into())),
        }
    }
}

/// Returns the IPv4 address to which a translator or tunnel forwards an IPv6 address: NAT64 (RFC 6052, RFC 8215), 6to4
/// (RFC 3056), ISATAP (RFC 5214), IPv4-compatible and IPv4-translated addresses (RFC 4291, RFC 2765).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let pair = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // Networks choose their own prefix of 96 bits below this one.
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(pair(high, low)),
        _ => None,
    }
}

/// Fails when an address of a host is forbidden: a name with several addresses could lead to any of them.
pub(in crate::source) fn check_addresses(
    host: &str,
    addresses: &[SocketAddr],
    forbidden: &ForbiddenAddresses,
) -> io::Result<()> {
    for address in addresses.iter().map(SocketAddr::ip) {
        let flag = match LocalAddress::from_address(address).filter(|kind| forbidden.contains(kind)) {
            None => continue,
            Some(LocalAddress::Loopback) => "this machine, and needs --allow-localhost",
            Some(LocalAddress::LinkLocal) => "a link-local address, and needs --allow-link-local",
        };
        return Err(io::Error::other(format!("the name {host} leads to {address}: {flag}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_forbidden_addresses_are_refused() {
        let addresses = |texts: &[&str]| texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 443)).collect();
        let check = |texts: &[&str], forbidden: &[LocalAddress]| {
            let addresses: Vec<_> = addresses(texts);
            check_addresses("name", &addresses, &forbidden.iter().copied().collect()).map_err(|error| error.to_string())
        };
        let all = [LocalAddress::Loopback, LocalAddress::LinkLocal];
        for address in [
            "127.0.0.1",
            "::1",
            "0.0.0.0",
            "::",
            "::ffff:127.0.0.1",
            "169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:c1::a9fe:a9fe",
            "fd00:42::42",
            "fd00:a9fe:a9fe::1",
            "fd00:100::100:200",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1:7::169.254.169.254",
            "64:ff9b::127.0.0.1",
            "2002:a9fe:a9fe::1",
            "2002:7f00:1::",
            "::169.254.169.254",
            "::ffff:0:169.254.169.254",
            "2001:db8::5efe:169.254.169.254",
        ] {
            assert!(check(&["192.0.2.1", address], &all).is_err(), "{address}");
            assert_eq!(check(&["192.0.2.1", address], &[]), Ok(()));
        }
        assert_eq!(
            check(
                &["192.0.2.1", "10.0.0.1", "2001:db8::1", "fd00:ec3::254", "64:ff9b::192.0.2.1", "2002:c000:201::1"],
                &all
            ),
            Ok(())
        );
        assert_eq!(check(&["127.0.0.1"], &[LocalAddress::LinkLocal]), Ok(()));
        let reason = check(&["169.254.169.254"], &all).unwrap_err();
        assert!(reason.contains("169.254.169.254") && reason.contains("--allow-link-local"), "{reason}");
    }
}
