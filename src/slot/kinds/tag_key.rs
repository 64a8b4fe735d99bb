//! `image: {repository: …, tag: …}` and the other ways of charts to write name and tag apart.

use super::conventions::{folded, label, repository};
use super::{Claim, Kind};
use crate::slot::artifact::What;
use crate::slot::site::Site;
use crate::slot::version;

pub(super) const KIND: Kind = Kind { name: "Helm values", claim };

fn claim(site: &Site<'_, '_>) -> Option<Claim> {
    let key = folded(label(site)?);
    let text = site.text();
    let image = key.ends_with("tag") || (key == "digest" && text.contains(':'));
    if !image || !version::may_be_version(text.trim()) {
        return None;
    }
    let artifact = site.mapping().and_then(repository);
    Some(Claim::whole(site, What::Image, artifact.as_deref()))
}
