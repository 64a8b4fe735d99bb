//! The same for files: a snapshot without the list of a kind that the command reads live, for every such kind and in every way,
//! never leads to a clean answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use ucp::cli::heed::supports_flag;

use super::readers::{DEFINITIONS, NOT_CHECKED, NOT_NEEDED};
use super::{are_all_meant, holds, resource};
use crate::command_lists::CLEAN_ON_A_HEALTHY_HUB;
use crate::support::command::{run, ucp_from, ucp_on};
use crate::support::hub;
use crate::support::proxy::Proxy;
use crate::weather::through;

/// How a snapshot comes to be without a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Damage {
    /// The index reports the list as unreadable, as when the server denied or failed it.
    Unreadable,
    /// The index does not name the kind, as when discovery omitted it.
    Unlisted,
    /// The index names the kind, and its objects were not requested.
    Unrequested,
    /// The files are gone, and the index counts their objects.
    Lost,
    /// There is no index, as of files that another program wrote.
    WithoutIndex,
}

/// Commands that need the definitions of kinds, as live.
const STRICT: [&str; 2] = ["teardown", "conflicts"];
const DAMAGES: [Damage; 5] =
    [Damage::Unreadable, Damage::Unlisted, Damage::Unrequested, Damage::Lost, Damage::WithoutIndex];

/// The damages that a kind meets. Without `UCP_FAULTS=all` it is one, another one in each turn, and all for definitions.
fn damages(turn: usize, is_definition: bool) -> Vec<Damage> {
    if is_definition || are_all_meant() { DAMAGES.to_vec() } else { vec![DAMAGES[turn % DAMAGES.len()]] }
}

/// A snapshot of a hub, by file.
struct Files(BTreeMap<PathBuf, Vec<u8>>);

impl Files {
    fn read(top: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut open = vec![top.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    open.push(entry);
                } else {
                    files.insert(entry.strip_prefix(top).unwrap().to_owned(), fs::read(&entry).unwrap());
                }
            }
        }
        Self(files)
    }

    fn index(&self) -> Value {
        let text = &self.0[Path::new(ucp_client::source::snapshot::index::FILE)];
        serde_saphyr::from_str(&String::from_utf8_lossy(text)).unwrap()
    }

    /// Writes the files with a damage. Returns false if these files cannot have it.
    fn write_damaged(&self, top: &Path, (group, plural): &(String, String), damage: Damage) -> bool {
        let mut index = self.index();
        let is_it = |entry: &Value| entry["group"].as_str().unwrap_or_default() == group && entry["plural"] == **plural;
        let is_of_it = |path: &&PathBuf| {
            let group = if group.is_empty() { "core" } else { group };
            let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
            parts.windows(2).any(|pair| pair[0] == group && pair[1].trim_end_matches(".yaml") == plural)
        };
        let kinds = index["kinds"].as_array_mut().unwrap();
        if !kinds.iter().any(is_it) || damage == Damage::Lost && !self.0.keys().any(|path| is_of_it(&path)) {
            return false;
        }
        match damage {
            Damage::Unlisted => kinds.retain(|entry| !is_it(entry)),
            Damage::Unreadable | Damage::Unrequested => {
                let entries = kinds.iter_mut().filter(|entry| is_it(entry));
                entries.for_each(|entry| drop(entry.as_object_mut().unwrap().remove("objects")));
            }
            Damage::Lost | Damage::WithoutIndex => {}
        }
        if damage == Damage::Unreadable {
            let what = if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") };
            index["unreadable"].as_array_mut().unwrap().push(json!({"what": what, "reason": "not allowed to list it"}));
        }
        for (path, text) in self.0.iter().filter(|(path, _)| !is_of_it(path)) {
            let is_index = path == Path::new(ucp_client::source::snapshot::index::FILE);
            if is_index && damage == Damage::WithoutIndex {
                continue;
            }
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let index = || index.to_string().into_bytes();
            fs::write(path, if is_index { index() } else { text.clone() }).unwrap();
        }
        true
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "the table is what the test is read for")]
fn a_snapshot_without_a_list_is_never_a_clean_answer() {
    let Some(cluster) = hub::quotes() else { return };
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("core");
    run(ucp_on(cluster, ["snapshot", taken.to_str().unwrap()])).expect(0);
    let files = Files::read(&taken);
    let (mut broken, mut checked) = (Vec::new(), 0);
    let mut turns: BTreeMap<(String, String), usize> = BTreeMap::new();
    for arguments in CLEAN_ON_A_HEALTHY_HUB.into_iter().filter(|arguments| supports_flag(&arguments[..1], "from")) {
        let proxy = Proxy::start(cluster).unwrap();
        run(through(&proxy, arguments)).expect(0);
        // A snapshot does not have all kinds of a namespace.
        if run(ucp_from(taken.to_str().unwrap(), arguments.iter().copied())).code != Some(0) {
            continue;
        }
        checked += 1;
        let lists = proxy.seen().into_iter().filter(|seen| seen.method == "GET" && seen.uri.contains("limit="));
        let is_needed = |path: &String| {
            !NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
                && !NOT_CHECKED.iter().any(|plural| path.ends_with(plural))
        };
        let paths = lists.map(|seen| seen.uri.split('?').next().unwrap_or_default().to_owned());
        let kinds: BTreeSet<(String, String)> =
            paths.filter(|path| path != DEFINITIONS && is_needed(path)).map(|path| resource(&path)).collect();
        assert!(!kinds.is_empty(), "{arguments:?}");
        let title = arguments.join(" ");
        let definitions = resource(DEFINITIONS);
        for (place, kind) in kinds.iter().chain([&definitions]).enumerate() {
            // Kinds begin with different damages, and each meets all of them over the commands.
            let turn = turns.entry(kind.clone()).or_insert(place);
            *turn += 1;
            for damage in damages(*turn, *kind == definitions) {
                let place = tempfile::tempdir().unwrap();
                if !files.write_damaged(place.path(), kind, damage) {
                    continue;
                }
                let ran = run(ucp_from(place.path().to_str().unwrap(), arguments.iter().copied()));
                assert!(!ran.stderr.contains("panicked"), "{ran:?}");
                eprintln!("{title}: {}.{} {damage:?}: {:?}", kind.1, kind.0, ran.code);
                let is_trusted = match damage {
                    // As live, those who may not read definitions are trusted, but for what is deleted or denied.
                    Damage::Unreadable => *kind == definitions && !STRICT.contains(&arguments[0]),
                    // The answer is about the objects in these files.
                    Damage::WithoutIndex => true,
                    _ => false,
                };
                if ran.code == Some(0) && !is_trusted {
                    broken.push(format!("{title}: {}.{} {damage:?}: {ran:#?}", kind.1, kind.0));
                }
            }
        }
    }
    holds(&broken);
    assert!(checked >= 5, "{checked}");
}
