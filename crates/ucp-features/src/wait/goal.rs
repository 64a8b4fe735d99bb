//! `--for`: the goal of a wait.

use std::fmt;
use std::str::FromStr;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::verdict::Verdict;

/// The state that objects should reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitGoal {
    /// Verdict OK at the newest generation, including everything below a composite.
    Ok,
    /// Applied, regardless of health.
    Synced,
    /// Deleted.
    Gone,
    /// A verdict.
    Verdict(Verdict),
}

impl fmt::Display for WaitGoal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => formatter.write_str("ok"),
            Self::Synced => formatter.write_str("synced"),
            Self::Gone => formatter.write_str("gone"),
            Self::Verdict(verdict) => formatter.write_str(verdict.as_str()),
        }
    }
}

impl FromStr for WaitGoal {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "ok" => return Ok(Self::Ok),
            "synced" => return Ok(Self::Synced),
            // The name in `kubectl wait`.
            "gone" | "delete" => return Ok(Self::Gone),
            _ => {}
        }
        let of_kubectl = |instead: &str| fail!("'{text}' is a value of 'kubectl wait'; use {instead}");
        // A condition that is not True is another goal.
        match lower.strip_suffix("=true").unwrap_or(&lower) {
            "condition=ready" | "condition=healthy" => return Ok(Self::Ok),
            "condition=synced" => return Ok(Self::Synced),
            _ => {}
        }
        match lower.split('=').next().unwrap_or_default() {
            "condition" => of_kubectl("--for ok, which combines Ready, Synced, health and the newest generation"),
            "create" => of_kubectl("--for ok, which also waits for what does not exist yet"),
            "jsonpath" => of_kubectl("--for ok, --for synced, --for gone or a verdict"),
            _ => match lower.parse() {
                Ok(Verdict::Ok) => Ok(Self::Ok),
                Ok(verdict) => Ok(Self::Verdict(verdict)),
                Err(_) => {
                    let verdicts = Verdict::ALL.map(Verdict::as_str).join(", ");
                    let words =
                        ["ok", "synced", "gone", "current"].into_iter().chain(Verdict::ALL.map(Verdict::as_str));
                    let meant = ucp_core::model::nearest::did_you_mean(text, words);
                    fail!("expected ok, synced, gone, current (for Secrets) or one of {verdicts}{meant}")
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_kubectl_wait_are_accepted() {
        assert_eq!("OK".parse(), Ok(WaitGoal::Ok));
        assert_eq!("delete".parse(), Ok(WaitGoal::Gone));
        assert_eq!("condition=Ready".parse(), Ok(WaitGoal::Ok));
        assert_eq!("condition=Ready=True".parse(), Ok(WaitGoal::Ok));
        assert_eq!("condition=Synced=True".parse(), Ok(WaitGoal::Synced));
        assert_eq!("paused".parse(), Ok(WaitGoal::Verdict(Verdict::Paused)));
        for (text, hint) in [
            ("condition=Ready=False", "--for ok"),
            ("condition=Available", "--for ok"),
            ("create", "does not exist yet"),
            ("jsonpath={.status.phase}=Running", "--for gone"),
            ("sinced", "did you mean 'synced'"),
        ] {
            let error = text.parse::<WaitGoal>().unwrap_err().to_string();
            assert!(error.contains(hint), "{error}");
        }
    }
}
