//! Proxy selection by the rules of Go's `golang.org/x/net/http/httpproxy`, as in kubectl.

use std::net::IpAddr;

/// Returns the proxy from the environment for an `https` or `http` URL of a host, if any.
pub(crate) fn from_environment(
    scheme: &str,
    host: &str,
    port: u16,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let either = |upper: &str| {
        variable(upper).or_else(|| variable(&upper.to_ascii_lowercase())).filter(|value| !value.is_empty())
    };
    let proxy = either(if scheme == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" })?;
    let exempt = either("NO_PROXY").is_some_and(|list| is_exempt(&list, host, port));
    if exempt || is_loopback(host) {
        return None;
    }
    // Go accepts a bare host:port for an HTTP proxy.
    Some(if proxy.contains("://") { proxy } else { format!("http://{proxy}") })
}

/// Returns true for the local machine, for which Go never uses a proxy.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_exempt(list: &str, host: &str, port: u16) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
    let address = host.parse::<IpAddr>().ok();
    list.split(',').map(|entry| entry.trim().to_ascii_lowercase()).filter(|entry| !entry.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        if let Some((network, bits)) = entry.split_once('/') {
            return match (network.parse::<IpAddr>(), bits.parse::<u32>(), address) {
                (Ok(network), Ok(bits), Some(address)) => in_network(address, network, bits),
                _ => false,
            };
        }
        let (entry, wanted_port) = match entry.rsplit_once(':') {
            Some((name, digits)) if !name.contains(':') || name.ends_with(']') => match digits.parse::<u16>() {
                Ok(digits) => (name.trim_start_matches('[').trim_end_matches(']').to_owned(), Some(digits)),
                Err(_) => (entry, None),
            },
            _ => (entry, None),
        };
        if wanted_port.is_some_and(|wanted| wanted != port) {
            return false;
        }
        if let Ok(exempt) = entry.parse::<IpAddr>() {
            return address == Some(exempt);
        }
        // `foo.com` covers the host and its subdomains; `.foo.com` and `*.foo.com` only the subdomains.
        let domain = entry.trim_start_matches('*');
        match domain.strip_prefix('.') {
            Some(_) => host.ends_with(domain),
            None => host == domain || host.ends_with(&format!(".{domain}")),
        }
    })
}

fn in_network(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    let widen = |address: IpAddr| match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    };
    let ((address, width), (network, network_width)) = (widen(address), widen(network));
    if width != network_width || bits > width {
        return false;
    }
    bits == 0 || (address ^ network) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_selected_by_the_rules_of_go() {
        let proxy = |no_proxy: &'static str, host: &str| {
            from_environment("https", host, 6443, |name| match name {
                "HTTPS_PROXY" => Some("proxy.example.org:3128".to_owned()),
                "NO_PROXY" => Some(no_proxy.to_owned()),
                _ => None,
            })
        };
        assert_eq!(proxy("", "api.example.org").as_deref(), Some("http://proxy.example.org:3128"));
        for (no_proxy, host) in [
            ("*", "api.example.org"),
            ("example.org", "api.example.org"),
            (".example.org", "api.example.org"),
            ("*.example.org", "api.example.org"),
            ("a, api.example.org:6443 ,,b", "api.example.org"),
            ("10.0.0.0/8", "10.1.2.3"),
            ("10.1.2.3", "10.1.2.3"),
            ("fd00::/8", "fd12::1"),
            ("", "127.0.0.1"),
            ("", "localhost"),
        ] {
            assert_eq!(proxy(no_proxy, host), None, "{no_proxy} {host}");
        }
        for (no_proxy, host) in [
            (".example.org", "example.org"),
            ("ample.org", "example.org"),
            ("api.example.org:443", "api.example.org"),
            ("10.0.0.0/8", "11.1.2.3"),
            ("not a network/x", "10.1.2.3"),
        ] {
            assert!(proxy(no_proxy, host).is_some(), "{no_proxy} {host}");
        }
    }
}
