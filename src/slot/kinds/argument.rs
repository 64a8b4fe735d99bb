//! Version in a command line argument, an environment variable, or a generator's literal: `--version=v1.2`, `TAG=v1`.

use super::conventions::folded;
use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "argument", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let listed = ["args", "command", "literals", "arguments", "env", "environment", "extraArgs", "set"];
    if !listed.iter().any(|list| site.is_at(&["**", list, "[]"])) {
        return None;
    }
    let text = site.text().trim_end();
    let (name, value) = text.split_once('=')?;
    let key = folded(name.trim_start_matches('-'));
    let start = name.len() + 1;
    if let Some(part) = version::image(value).filter(|_| key.contains("image")) {
        let claim = Claim::whole(site, What::Image, part.artifact.as_deref()).text();
        return Some(Claim { range: part.range.start + start..part.range.end + start, ..claim });
    }
    let what = if key.ends_with("tag") { What::Image } else { What::Package };
    let said = ["version", "tag", "revision"].iter().any(|ending| key.ends_with(ending));
    (said && !key.ends_with("apiversion") && version::may_be_version(value)).then(|| {
        // A variable names its artifact; an option does not.
        let variable = Some(name).filter(|name| !name.starts_with('-'));
        let claim = Claim::whole(site, what, variable).text().named(Some(name.trim_start_matches('-')));
        Claim { range: start..text.len(), ..claim }
    })
}
