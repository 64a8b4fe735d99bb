//! Numbers that count no parts of an object: settings, levels, positions, quantities, and remainders.

use super::words::tokens;

/// Returns true for shares that are settings, levels, or no shares at all: weights, load, traffic, thresholds, positions.
pub(super) fn is_level(name: &str) -> bool {
    const LEVELS: [&str; 39] = [
        "cache",
        "cached",
        "weight",
        "weights",
        "load",
        "usage",
        "used",
        "utilization",
        "utilisation",
        "threshold",
        "target",
        "traffic",
        "limit",
        "limits",
        "request",
        "requests",
        "surge",
        "max",
        "min",
        "version",
        "schedule",
        "ratio",
        "since",
        "downtime",
        "date",
        "day",
        "month",
        "time",
        "partition",
        "interface",
        "port",
        "fraction",
        "sampling",
        // Identifiers of places in a log.
        "lsn",
        "gtid",
        "offset",
        "position",
        "timeline",
        "wal",
    ];
    tokens(name).iter().any(|token| LEVELS.contains(&token.as_str()))
}

/// Returns true for quantities of which some is always used, such as `bytesAvailable`.
pub(super) fn is_quantity(name: &str) -> bool {
    const QUANTITIES: [&str; 8] = ["bytes", "capacity", "cpu", "disk", "memory", "quota", "space", "storage"];
    tokens(name).iter().any(|token| QUANTITIES.contains(&token.as_str()))
}

/// Nouns of things that are used up.
const CONSUMED: [&str; 9] = ["ip", "addresse", "address", "port", "license", "seat", "slot", "token", "credit"];
/// Returns true for the names of fields that count things that are not used up: `availableIPs`.
pub(super) fn is_what_is_left(key: &str) -> bool {
    let words = tokens(key);
    let is_available = |word: &String| word == "available";
    // `IPs` is split into two words.
    let joined: String = words.iter().filter(|word| !is_available(word)).map(String::as_str).collect();
    let is_consumed = |word: &str| CONSUMED.contains(&word.strip_suffix('s').unwrap_or(word));
    words.iter().any(is_available) && words.iter().chain([&joined]).any(|word| is_consumed(word))
}
