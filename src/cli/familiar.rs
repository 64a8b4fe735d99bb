//! Commands of kubectl and other tools, with the corresponding commands of this plugin.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Adds a tip to the error for an unknown command that exists in kubectl or a similar tool.
pub(super) fn add_tip(error: &mut clap::Error) {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let Some(tip) = tip(word) else { return };
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

fn tip(word: &str) -> Option<&'static str> {
    Some(match word {
        "get" | "list" | "ls" => "'kubectl ucp resources [KIND[/NAME]]' lists resources with a verdict and its cause",
        "describe" | "trace" => "'kubectl ucp tree KIND/NAME' shows an object with everything it depends on",
        "top" | "health" | "check" => "'kubectl ucp status' shows what to fix first",
        "render" | "preview" | "apply" => "'kubectl ucp plan PATH' shows what merging a checkout would change",
        "delete" | "rm" => "'kubectl ucp teardown KIND/NAME' shows the effects of a deletion",
        "adopt" => "'kubectl ucp adopt-cluster NAME' registers an app cluster",
        "release" => "'kubectl ucp release-cluster NAME' removes the registration of an app cluster",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_kubectl_leads_to_the_one_here() {
        let printed = |word: &str| {
            let mut error = crate::cli::command().try_get_matches_from(["kubectl-ucp", word]).expect_err(word);
            add_tip(&mut error);
            assert_eq!(error.exit_code(), 2);
            error.render().to_string()
        };
        for (word, command) in [("get", "resources"), ("ls", "resources"), ("describe", "tree"), ("trace", "tree")] {
            assert!(printed(word).contains(&format!("kubectl ucp {command} ")), "{}", printed(word));
        }
        assert!(printed("top").contains("kubectl ucp status"));
        assert_eq!(tip("frobnicate"), None);
    }
}
