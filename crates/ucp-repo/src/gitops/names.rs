//! Adds a name for the command line to `.ucp.yaml`.

use std::path::Path;

use crate::gitops::config::{NAME, RepositoryConfig};
use crate::gitops::files;
use crate::yaml::scalar::{self, QuoteStyle};
use crate::yaml::tree::{self, YamlNode};
use crate::yaml::{insert, splice};
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::weight::from_yaml;

/// Adds a line to the `names` in the `.ucp.yaml` of a repository: `alias` means `name`.
///
/// # Errors
/// Fails when the file cannot be read or written, or has a form that cannot be extended.
pub fn add_name(top: &Path, alias: &str, name: &str) -> Result<()> {
    let path = top.join(NAME);
    let is_new = !path.exists();
    let before = if is_new { String::new() } else { files::read(&path)? };
    let after = with_name(&before, alias, name)
        .map_err(|reason| Error::refused(format!("{NAME}: {reason}")).hint("add the line by hand"))?;
    if is_new { files::create(&path, &after) } else { files::replace(&path, &before, &after) }
}

fn with_name(text: &str, alias: &str, name: &str) -> std::result::Result<String, Failure> {
    let documents = tree::parse(text).map_err(|error| error.to_string())?;
    let root = match documents.as_slice() {
        [] => None,
        [root] => Some(root).filter(|root| !root.is_null()),
        _ => return fail!("it has several documents"),
    };
    let names = root.and_then(|root| root.get("names"));
    let last = names.and_then(|names| names.entries().last()).and_then(|(key, _)| key.text());
    let added = match (root, names, last) {
        (_, Some(names), Some(last)) => {
            let added = insert::add_key(text, names, last, (alias, name)).map_err(|error| error.to_string())?;
            splice::apply(text, &[added]).map_err(|error| error.to_string())?
        }
        (Some(root), None, _) if root.is_flow() => return fail!("it is written in braces"),
        (_, None, _) => {
            let [alias, name] = [alias, name].map(|text| scalar::write(text, QuoteStyle::Plain));
            let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{newline}names:\n  {alias}: {name}\n")
        }
        (_, Some(_), None) => return fail!("names has no entries to add to"),
    };
    let config = |text: &str| -> std::result::Result<RepositoryConfig, Failure> {
        let is_empty = tree::parse(text).is_ok_and(|documents| documents.iter().all(YamlNode::is_null));
        if is_empty { Ok(RepositoryConfig::default()) } else { Ok(from_yaml(text).map_err(|error| error.to_string())?) }
    };
    let mut expected = config(text)?;
    expected.names.insert(alias.to_owned(), name.to_owned());
    match config(&added)? == expected {
        true => Ok(added),
        false => fail!("the line would change more than the name {alias}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_added_and_nothing_else_changes() {
        for (before, after) in [
            ("", "names:\n  web: r/web\n"),
            ("# settings\n", "# settings\nnames:\n  web: r/web\n"),
            ("ignore: [a] # b", "ignore: [a] # b\nnames:\n  web: r/web\n"),
            ("names: {a: b}\nignore: [c]\n", "names: {a: b, web: r/web}\nignore: [c]\n"),
            ("names:\n  a: b # c\nignore: [d]\n", "names:\n  a: b # c\n  web: r/web\nignore: [d]\n"),
        ] {
            assert_eq!(with_name(before, "web", "r/web"), Ok(after.to_owned()), "{before}");
        }
        for before in ["{ignore: [a]}\n", "names: {}\n", "names: {web: a}\n", "a: 1\n---\nb: 2\n"] {
            assert!(with_name(before, "web", "r/web").is_err(), "{before}");
        }
        assert_eq!(with_name("", "a: b", "#c"), Ok("names:\n  \"a: b\": \"#c\"\n".to_owned()));
    }
}
