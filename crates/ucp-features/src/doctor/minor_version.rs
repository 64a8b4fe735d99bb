//! Versions of programs, without their patch.

use std::fmt;
use std::str::FromStr;

use ucp_core::failure::Failure;

/// A minor version of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MinorVersion {
    /// The major number.
    pub major: u64,
    /// The minor number.
    pub minor: u64,
}

impl MinorVersion {
    /// Parses `2.1`, `v2.1.3`, `2.1.3-rc.1`, `v3.1.9+a1b2c3d`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().trim_start_matches('v').split(['.', '-', '+']);
        let major = parts.next()?.parse().ok()?;
        Some(Self { major, minor: parts.next().map_or(Some(0), |minor| minor.parse().ok())? })
    }
}

impl FromStr for MinorVersion {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text).ok_or_else(|| format!("'{text}' is not a version such as 2.1").into())
    }
}

impl fmt::Display for MinorVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}
