//! The versions that a commit changed, by a reader that shares nothing with the product.

use yaml_serde::Value;

/// A changed version.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) file: String,
    /// Index of the changed line.
    pub(crate) line: usize,
    /// Path of the value, as `set-version --file` takes it.
    pub(crate) path: String,
    /// Keys above the value.
    pub(crate) keys: Vec<String>,
    pub(crate) artifact: Option<String>,
    /// The whole value after the change.
    pub(crate) value: String,
    /// The version before the change.
    pub(crate) from: String,
    /// The new version.
    pub(crate) to: String,
    pub(crate) kind: &'static str,
}

/// A scalar of a file.
pub(crate) struct Leaf {
    pub(crate) path: String,
    pub(crate) keys: Vec<String>,
    pub(crate) text: String,
    pub(crate) artifact: Option<String>,
}

/// Returns the scalars of a file; `None` if it cannot be read.
pub(crate) fn leaves(file: &str, text: &str) -> Option<Vec<Leaf>> {
    if file.ends_with(".env") {
        let line = |line: &str| {
            let (key, value) = line.split_once('=')?;
            let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let value = value.trim_matches(['"', '\'']);
            is_name.then(|| Leaf {
                path: key.to_owned(),
                keys: vec![key.to_owned()],
                text: value.to_owned(),
                artifact: None,
            })
        };
        return Some(text.lines().filter_map(line).collect());
    }
    let mut documents = Vec::new();
    for document in yaml_serde::Deserializer::from_str(text) {
        documents.push(<Value as serde::Deserialize>::deserialize(document).ok()?);
    }
    let several = documents.len() > 1;
    let mut all = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let start = if several { format!("#{index}") } else { String::new() };
        descend(document, &start, &[], &[], &mut all);
    }
    Some(all)
}

fn descend(value: &Value, path: &str, keys: &[String], around: &[&Value], all: &mut Vec<Leaf>) {
    let text = match value {
        Value::Mapping(entries) => {
            let around = [around, &[value]].concat();
            for (key, value) in entries {
                let Some(key) = key.as_str() else { continue };
                let plain = key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)) && !key.is_empty();
                let path =
                    if plain { format!("{path}.{key}") } else { format!("{path}[{}]", serde_json::Value::from(key)) };
                descend(value, &path, &[keys, &[key.to_owned()]].concat(), &around, all);
            }
            return;
        }
        Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                descend(item, &format!("{path}[{index}]"), keys, around, all);
            }
            return;
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null | Value::Tagged(_) => return,
    };
    let artifact = artifact(keys, &text, around);
    all.push(Leaf { path: path.trim_start_matches('.').to_owned(), keys: keys.to_vec(), text, artifact });
}

/// Returns the artifact of a value: the part before the version, or a name next to it.
fn artifact(keys: &[String], text: &str, around: &[&Value]) -> Option<String> {
    let is_reference = text.contains('/') && text.contains([':', '@', '?']);
    if is_reference {
        let end = text.find('?').or_else(|| text.find('@')).unwrap_or(text.len());
        let name = &text[..end];
        let colon = name.rfind(':').filter(|colon| !name[*colon..].contains('/'));
        let name = colon.map_or(name, |colon| &name[..colon]);
        return Some(name.rsplit("://").next().unwrap_or(name).to_owned())
            .filter(|_| !text.starts_with("http") || text.contains('?'));
    }
    if let Some((name, _)) =
        text.split_once(':').filter(|(name, _)| !name.is_empty() && !name.starts_with("sha") && !name.contains('@'))
    {
        return Some(name.to_owned());
    }
    let at = |level: usize, names: &[&str]| {
        let mapping = around.iter().rev().nth(level)?;
        let text = names.iter().find_map(|name| mapping.get(*name)?.as_str());
        text.map(|text| text.rsplit("://").next().unwrap_or(text).to_owned())
    };
    match keys.last()?.as_str() {
        "newTag" | "digest" if keys.iter().any(|key| key == "images") => at(0, &["name"]),
        "tag" | "digest" | "semver" | "commit" | "branch" if keys.iter().any(|key| key == "ref") => at(1, &["url"]),
        "tag" | "digest" => at(0, &["repository", "image", "name"]),
        "version" => at(0, &["chart", "package", "name"]),
        "targetRevision" => at(0, &["chart", "repoURL"]),
        _ => None,
    }
}

/// Returns the changed versions of a file; `None` if anything else changed, or if that cannot be established.
pub(crate) fn targets(file: &str, before: &str, after: &str) -> Option<Vec<Target>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    if old.len() != new.len() {
        return None;
    }
    let lines: Vec<usize> = (0..old.len()).filter(|line| old[*line] != new[*line]).collect();
    let (left_leaves, right_leaves) = (leaves(file, before)?, leaves(file, after)?);
    if lines.is_empty() || left_leaves.len() != right_leaves.len() {
        return None;
    }
    let pairs = left_leaves.iter().zip(&right_leaves);
    if pairs.clone().any(|(left, right)| left.path != right.path) {
        return None;
    }
    let changed: Vec<(&Leaf, &Leaf)> = pairs.filter(|(left, right)| left.text != right.text).collect();
    let mut used = vec![false; changed.len()];
    let mut targets = Vec::new();
    for line in lines {
        // An alias repeats the value of its anchor; the first one is where it is written.
        // A number such as 001 is read as another text.
        let is_whole = |text: &str| {
            let before = old[line].find(text).and_then(|at| old[line][..at].chars().next_back());
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
        };
        let fits = |(left, right): &(&Leaf, &Leaf)| {
            old[line].contains(&left.text)
                && is_whole(&left.text)
                && old[line].replacen(&left.text, &right.text, 1) == new[line]
        };
        let index = (0..changed.len()).find(|index| !used[*index] && fits(&changed[*index]))?;
        used[index] = true;
        let (left, right) = changed[index];
        let (from, to) = versions(&left.text, &right.text)?;
        // A digest in the tag next to a key for the digest is a mistake.
        let digest = right.path.strip_suffix(".tag").map(|mapping| format!("{mapping}.digest"));
        let is_mistaken =
            to.contains('@') && digest.is_some_and(|digest| right_leaves.iter().any(|leaf| leaf.path == digest));
        if !is_version(right, &from, &to) || left.artifact != right.artifact || is_mistaken {
            return None;
        }
        targets.push(Target {
            file: file.to_owned(),
            line,
            path: format!(".{}", right.path),
            keys: right.keys.clone(),
            artifact: right.artifact.clone(),
            value: right.text.clone(),
            from,
            to,
            kind: kind(file, &right.keys, after),
        });
    }
    let seen = |index: usize| targets.iter().any(|target| target.value == changed[index].1.text);
    (0..changed.len()).all(|index| used[index] || seen(index)).then_some(targets)
}

/// Returns the version before and after, without the text around them.
fn versions(before: &str, after: &str) -> Option<(String, String)> {
    if before.contains(char::is_whitespace) || after.contains(char::is_whitespace) {
        return None;
    }
    let split = |text: &str| -> (String, String) {
        let body = text.split_once('@').map_or(text, |(body, _)| body);
        let start = body.find("?ref=").map(|at| at + 5).or_else(|| {
            let colon = body.rfind(':').filter(|colon| !body[*colon..].contains('/') && !body.starts_with("sha"))?;
            Some(colon + 1)
        });
        let start = start.or_else(|| text.find('@').filter(|at| text[..*at].contains('/')).map(|at| at + 1));
        start.map_or_else(|| (String::new(), text.to_owned()), |at| (text[..at].to_owned(), text[at..].to_owned()))
    };
    if before.contains("://") && !before.starts_with("oci:") && !before.contains("?ref=") {
        let same = before.bytes().zip(after.bytes()).take_while(|(left, right)| left == right).count();
        let start = before[..same].rfind(['/', '=', '@']).map_or(0, |at| at + 1);
        let part = |text: &str| text[start..].split(['/', '&', '#']).next().unwrap_or_default().to_owned();
        return Some((part(before), part(after)));
    }
    let ((left, from), (right, to)) = (split(before), split(after));
    let end = |text: &str| text.split('&').next().unwrap_or_default().to_owned();
    (left == right).then(|| if left.contains("?ref=") { (end(&from), end(&to)) } else { (from, to) })
}

fn is_version(leaf: &Leaf, from: &str, to: &str) -> bool {
    if leaf.keys.iter().any(|key| key == "sops" || key == "annotations" || key == "labels") {
        return false;
    }
    let fits = |text: &str| {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-+@:".contains(c));
        plain && text.chars().any(|c| c.is_ascii_digit()) && !text.is_empty()
    };
    if !fits(from) || !fits(to) || from == to {
        return false;
    }
    const WORDS: [&str; 9] = ["tag", "version", "image", "digest", "revision", "ref", "semver", "package", "commit"];
    let last = leaf.keys.last().map(|key| key.to_ascii_lowercase()).unwrap_or_default();
    let above = leaf.keys.iter().rev().nth(1).map(|key| key.to_ascii_lowercase()).unwrap_or_default();
    let is_named = WORDS.iter().any(|word| last.contains(word)) || ["ref", "images"].contains(&above.as_str());
    let is_reference = leaf.text.contains('/') && (leaf.text.contains(':') || leaf.text.contains("?ref="));
    let numbers = to.trim_start_matches('v').split(['.', '-']).filter(|part| part.parse::<u64>().is_ok()).count();
    let is_address = to.split('.').count() == 4 && to.split('.').all(|part| part.parse::<u8>().is_ok());
    (is_named || is_reference || numbers >= 3) && !is_address && !last.ends_with("policy")
}

/// Returns the kind of a place, for the table.
fn kind(file: &str, keys: &[String], text: &str) -> &'static str {
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    let has = |words: &str| text.contains(words);
    let first = keys.first().map_or("", String::as_str);
    match name.as_str() {
        _ if name.ends_with(".env") => "env file",
        _ if name.ends_with(".json") => "json",
        "chart.yaml" | "requirements.yaml" => "Chart.yaml",
        _ if name.starts_with("kustomization") => "kustomization",
        _ if name.contains("helmfile") => "helmfile",
        _ if has("kind: HelmRelease") && keys.iter().any(|key| key == "values") => "HelmRelease values",
        _ if has("kind: HelmRelease") => "HelmRelease chart",
        _ if has("toolkit.fluxcd.io") => "Flux",
        _ if has("kind: Application") => "Argo CD",
        _ if has("apiVersion:") && first == "spec" => "workload",
        _ if has("apiVersion:") => "object",
        _ => "values",
    }
}
