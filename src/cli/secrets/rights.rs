//! `secrets sync --watch --print-rbac`: the rights for the current declarations.

use super::look::look;
use super::sync::Args;
use crate::cli::Context;
use crate::render::yaml;
use ucp_core::error::{Outcome, Result};
use ucp_core::model::text::one_line;
use ucp_features::distribution::intent;
use ucp_features::distribution::live::named;
use ucp_features::distribution::rights;

pub(super) fn print(context: &Context, args: &Args) -> Result<Outcome> {
    args.check()?;
    let look_args = args.look.declarations_only();
    let seen = look(context, &look_args)?;
    let homes = look_args.reach.access.view(context).engine_namespaces(&seen.state);
    let mut sources = seen.sources();
    sources.extend(intent::kubeconfig_secrets(&seen.state));
    let kinds = seen.state.kinds.iter().map(AsRef::as_ref).filter(|kind| named::want(kind).is_some());
    let mut text =
        "# In the core cluster, for what is declared now. Print it again after declarations are added.\n".to_owned();
    for role in rights::core_roles(kinds, &homes.in_use, &sources) {
        text.push_str(&format!("---\n{}", yaml(&role)?));
    }
    for (position, cluster) in seen.inventory.clusters.iter().enumerate() {
        for role in rights::app_roles(&seen.targets(position)) {
            text.push_str(&format!("---\n# In the app cluster {}\n{}", one_line(&cluster.name), yaml(&role)?));
        }
    }
    context.ui.data(&text)?;
    Ok(Outcome::Clean)
}
