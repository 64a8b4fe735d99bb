//! The map in `src/lib.rs` is correct: it names every module below its crate, imports point downwards, and no two modules
//! or files import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

/// The path of a module below the root of its crate: `["engine", "crossplane"]`. Crates share no top-level module. The root
/// of a crate below the command is `["ucp_core"]`, and the root of the command itself is empty.
type Module = Vec<String>;

/// Loops of files that remain, by their first file, with the reason. The list only gets shorter. A parent that is not split
/// yet holds vocabulary that its children share.
const LOOPS: [(&str, &str); 12] = [
    ("browse", "not split yet: `Browser` is in the parent, and its parts add methods to it"),
    ("capture/literal", "not split yet: exceptions, and the names of fields with literals, are in the parent"),
    ("cli", "not split yet: `Context` is in the parent, and parts of commands take arguments from theirs"),
    ("gitops/catalog", "items and tables set the title of a place, which is private to the catalog"),
    ("model/secrecy/text", "texts contain encoded and wrapped texts, which are searched as texts"),
    ("promote/assign", "proposals try an assignment again with other names"),
    ("promote/running", "not split yet: `RunningDeployer` is in the parent"),
    ("render/html", "not split yet: `HtmlPage` is in the parent, and its parts add to it"),
    ("render/jsonpath", "fields that match nothing are found by a method of the template"),
    ("source", "not split yet: queries, arguments of connections, and interests are in the parents"),
    ("teardown", "not split yet: credentials follow the whole cascade of the parent"),
    ("ui", "pager and picker are methods of `Ui`, which knows their modes"),
];

struct House {
    files: BTreeMap<Module, PathBuf>,
    /// Names of the crates below the command, as paths name them.
    crates: BTreeSet<String>,
}

impl House {
    /// Reads `src` and every `crates/NAME/src` of the repository.
    fn read(repository: &Path) -> Self {
        let mut house = Self { files: BTreeMap::new(), crates: BTreeSet::new() };
        house.add(&repository.join("src"), Module::new());
        for entry in std::fs::read_dir(repository.join("crates")).into_iter().flatten() {
            let directory = entry.unwrap().path();
            let name = directory.file_name().unwrap().to_str().unwrap().replace('-', "_");
            house.add(&directory.join("src"), vec![name.clone()]);
            house.crates.insert(name);
        }
        house
    }

    /// Adds the files of a crate, whose `lib.rs` is the module `root`.
    fn add(&mut self, source: &Path, root: Module) {
        let mut open = vec![source.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let name = path.strip_prefix(source).unwrap().with_extension("");
                    let mut module: Module = name.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
                    if module.last().is_some_and(|last| last == "mod") {
                        module.pop();
                    }
                    if module == ["lib"] {
                        module.clone_from(&root);
                    }
                    let earlier = self.files.insert(module, path.clone());
                    assert_eq!(earlier, None, "two crates have a module with the path of {}", path.display());
                }
            }
        }
    }

    /// The module that a path leads into.
    fn module_of(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        while !self.files.contains_key(&path) {
            path.pop();
        }
        path
    }

    /// Which modules each module imports.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        self.files.iter().map(|(module, file)| (module.clone(), self.imports_of(module, file))).collect()
    }

    /// Which files each file imports, without test modules. A name that a parent exports again is an import of the parent.
    fn imports_of_files(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let declaration = Regex::new(r"#\[cfg\(test\)\]\n\s*(?:pub(?:\([^)]*\))? )?mod (\w+);").unwrap();
        let mut tests: Vec<Module> = Vec::new();
        for (module, file) in &self.files {
            let text = std::fs::read_to_string(file).unwrap();
            let names = declaration.captures_iter(&text).map(|found| found[1].to_owned());
            tests.extend(names.map(|name| [module.as_slice(), &[name]].concat()));
        }
        let is_test = |module: &Module| tests.iter().any(|test| module.starts_with(test));
        let mut imports = self.imports();
        imports.retain(|module, _| !is_test(module));
        imports.values_mut().for_each(|targets| targets.retain(|target| !is_test(target)));
        imports
    }

    fn imports_of(&self, module: &Module, file: &Path) -> BTreeSet<Module> {
        let text = production_code(&std::fs::read_to_string(file).unwrap());
        let mut imports = BTreeSet::new();
        for path in paths(&text) {
            let mut rest = path.as_slice();
            let mut from = module.clone();
            match rest.first().map(String::as_str) {
                Some(name) if name == "crate" || self.crates.contains(name) => {
                    (from, rest) = (Module::new(), &rest[1..])
                }
                Some("self") => rest = &rest[1..],
                Some("super") => {
                    while rest.first().is_some_and(|step| step == "super") {
                        from.pop();
                        rest = &rest[1..];
                    }
                }
                Some(name) if self.files.contains_key(&[module.as_slice(), &[name.to_owned()]].concat()) => {}
                _ => continue,
            }
            let target = self.module_of(&[from.as_slice(), rest].concat());
            if target != *module {
                imports.insert(target);
            }
        }
        imports
    }
}

/// The text without comments, and without tests, whose imports are free.
fn production_code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let text = Regex::new(r"\bpub\(in [^)]*\)").unwrap().replace_all(text, "pub(super)");
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path of a text, in `use` or anywhere else.
fn paths(text: &str) -> Vec<Vec<String>> {
    let uses = Regex::new(r"\buse\s+([^;]*);").unwrap();
    let inline = Regex::new(r"\b(?:[a-z_]+::)+\w+").unwrap();
    let mut paths = Vec::new();
    for found in uses.captures_iter(text) {
        add_tree(&[], &found[1], &mut paths);
    }
    let rest = uses.replace_all(text, "");
    paths.extend(inline.find_iter(&rest).map(|path| path.as_str().split("::").map(str::to_owned).collect()));
    paths
}

/// Takes a `use` tree apart: `a::{b, c::{d, e}}`.
fn add_tree(prefix: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let steps = |text: &str| {
        let steps = text.split("::").map(|step| step.split(" as ").next().unwrap_or_default().trim().to_owned());
        [prefix.to_vec(), steps.filter(|step| !step.is_empty()).collect()].concat()
    };
    let Some((before, inside)) = tree.split_once('{') else {
        if !tree.trim().is_empty() {
            paths.push(steps(tree));
        }
        return;
    };
    let prefix = steps(before);
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in inside.char_indices().chain([(inside.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                add_tree(&prefix, &inside[begin..at], paths);
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the modules on the map from top to bottom, each with its crate. The name of a crate has a hyphen; the modules on
/// the lines below it are in this crate.
fn layers(lib: &str) -> Vec<(String, String)> {
    let map = lib.split("```text\n").nth(1).and_then(|rest| rest.split("//! ```").next()).unwrap();
    let mut of_crate = "kubectl-ucp".to_owned();
    let mut layers = Vec::new();
    for line in map.lines() {
        match line.trim_start_matches("//!").split_whitespace().next() {
            Some(name) if name.contains('-') => of_crate = name.to_owned(),
            Some(module) => layers.push((of_crate.clone(), module.to_owned())),
            None => {}
        }
    }
    layers
}

/// Groups of modules that need each other.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            for next in graph.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut circles: Vec<BTreeSet<Module>> = Vec::new();
    for (module, theirs) in &reached {
        let circle: BTreeSet<Module> = theirs
            .iter()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(*module)))
            .cloned()
            .collect();
        if circle.len() > 1 && !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    circles
}

/// Removes modules that are in no loop because they import nothing that remains.
fn without_ends(mut graph: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let before = graph.len();
        graph.retain(|_, targets| !targets.is_empty());
        let remaining: BTreeSet<Module> = graph.keys().cloned().collect();
        graph.values_mut().for_each(|targets| targets.retain(|target| remaining.contains(target)));
        if graph.len() == before && graph.values().all(|targets| !targets.is_empty()) {
            return graph;
        }
    }
}

/// Within each folder, its files and folders as one module each. Imports between a folder's own `mod.rs` and its files
/// stay in the folder: it declares them, and they use its names.
fn by_folder(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, targets) in imports {
        for to in targets {
            let common = from.iter().zip(to).take_while(|(left, right)| left == right).count();
            if common < from.len() && common < to.len() {
                graph.entry(from[..=common].to_vec()).or_default().insert(to[..=common].to_vec());
            }
        }
    }
    graph
}

fn house() -> House {
    House::read(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// Returns every source file of all crates with its text.
pub(crate) fn source_files() -> Vec<(PathBuf, String)> {
    house().files.into_values().map(|file| (file.clone(), std::fs::read_to_string(file).unwrap())).collect()
}

/// Returns the text of every source file of all crates.
pub(crate) fn sources() -> Vec<String> {
    source_files().into_iter().map(|(_, text)| text).collect()
}

#[test]
fn imports_point_downwards_on_the_map() {
    let house = house();
    let layers = layers(&std::fs::read_to_string(&house.files[&Module::new()]).unwrap());
    let is_root = |module: &Module| module.is_empty() || house.crates.contains(&module[0]);
    let modules: BTreeSet<&String> =
        house.files.keys().filter(|module| !is_root(module)).filter_map(|module| module.first()).collect();
    let named: BTreeSet<&String> = layers.iter().map(|(_, module)| module).collect();
    assert_eq!((&named, named.len()), (&modules, layers.len()), "the map in src/lib.rs names every module once");
    let height = |module: &Module| layers.iter().position(|(_, layer)| *layer == module[0]).unwrap();
    let mut wrong = Vec::new();
    for (from, targets) in house.imports() {
        for to in targets.iter().filter(|to| !is_root(&from) && !is_root(to) && to[0] != from[0]) {
            if height(&from) >= height(to) {
                wrong.push(format!("{} imports {}, which stands above it", from.join("/"), to.join("/")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_are_in_the_crate_that_the_map_names() {
    let house = house();
    let mut wrong = Vec::new();
    for (of_crate, module) in layers(&std::fs::read_to_string(&house.files[&Module::new()]).unwrap()) {
        let directory = match of_crate.as_str() {
            "kubectl-ucp" => "src".to_owned(),
            name => format!("crates/{name}/src"),
        };
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        let files = house.files.iter().filter(|(path, _)| path.first() == Some(&module));
        wrong.extend(files.filter(|(_, file)| !file.starts_with(&directory)).map(|(_, file)| file.clone()));
    }
    assert!(wrong.is_empty(), "these are not in the crate that the map in src/lib.rs names: {wrong:#?}");
}

/// A name has one path, so that an import shows the crate that it needs.
#[test]
fn no_crate_exports_names_of_another() {
    let exports = Regex::new(r"\bpub(?:\([^)]*\))? use (?:::)?(\w+)").unwrap();
    let mut found = Vec::new();
    let house = house();
    for (module, file) in &house.files {
        let text = production_code(&std::fs::read_to_string(file).unwrap());
        let foreign = exports.captures_iter(&text).filter(|export| house.crates.contains(&export[1]));
        found.extend(foreign.map(|export| format!("{}: {}", module.join("/"), &export[0])));
    }
    assert!(found.is_empty(), "import these from their own crate: {found:#?}");
}

#[test]
fn no_modules_need_each_other() {
    let found: Vec<Vec<String>> = circles(&by_folder(&house().imports_of_files()))
        .into_iter()
        .map(|circle| circle.iter().map(|module| module.join("/")).collect())
        .collect();
    assert!(found.is_empty(), "these need each other: {found:#?}");
}

/// A parent composes its children. Words that children share are in a file of their own, from which all import them.
#[test]
fn no_files_need_each_other() {
    let circles = circles(&without_ends(house().imports_of_files()));
    let first = |circle: &BTreeSet<Module>| circle.iter().min_by_key(|module| module.len()).unwrap().join("/");
    let is_known = |circle: &&BTreeSet<Module>| LOOPS.iter().any(|(known, _)| *known == first(circle));
    let (known, found): (Vec<&BTreeSet<Module>>, Vec<_>) = circles.iter().partition(is_known);
    let found: Vec<Vec<String>> =
        found.into_iter().map(|circle| circle.iter().map(|module| module.join("/")).collect()).collect();
    assert!(found.is_empty(), "these files need each other: {found:#?}");
    let ended: Vec<&str> =
        LOOPS.iter().map(|(name, _)| *name).filter(|name| !known.iter().any(|circle| first(circle) == *name)).collect();
    assert!(ended.is_empty(), "remove these exceptions, which are no loops: {ended:?}");
}

/// Most code only reads, and two files write to a cluster: one only sends dry runs. Requests to forges never
/// reach a cluster, and web servers receive requests.
#[test]
fn only_the_listed_files_send_writing_requests() {
    let writes = Regex::new(r"Method::(POST|PUT|PATCH|DELETE)|Request::(post|put|patch|delete)\(").unwrap();
    let found: BTreeSet<String> = (house().files.iter())
        .filter(|(module, _)| module.first().is_none_or(|first| !["forge", "web"].contains(&first.as_str())))
        .filter(|(_, file)| writes.is_match(&production_code(&std::fs::read_to_string(file).unwrap())))
        .map(|(module, _)| module.join("/"))
        .collect();
    let allowed = ["source/live/dry_run", "source/live/write"];
    assert_eq!(found, allowed.map(str::to_owned).into(), "only these send other requests than GET");
}

/// One name for one thing: who must give a type another name where it is used has found two things of one name.
#[test]
fn no_type_is_imported_under_another_name() {
    let renamed = Regex::new(r"\b[A-Z]\w*[a-z]\w* as [A-Z]\w*[a-z]\w*").unwrap();
    let imports = Regex::new(r"(?s)\buse (crate|super|self|ucp_\w+)\b[^;]*;").unwrap();
    let mut found = Vec::new();
    for (module, file) in house().files {
        let text = production_code(&std::fs::read_to_string(file).unwrap());
        let of_ours = imports.find_iter(&text).flat_map(|import| renamed.find_iter(import.as_str()));
        found.extend(of_ours.map(|one| format!("{}: {}", module.join("/"), one.as_str())));
    }
    assert!(found.is_empty(), "give one of the two another name: {found:#?}");
}

#[test]
fn every_form_of_an_import_is_parsed() {
    let found = paths("use crate::a::{self, b::{c, d as e}};\npub use f::G;\nfn h() { crate::i::j(super::k::l) }");
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::self", "crate::a::b::c", "crate::a::b::d", "f::G", "crate::i::j", "super::k::l"]);
    let name = |text: &str| -> Module { vec![text.to_owned()] };
    let graph = BTreeMap::from([
        (name("a"), BTreeSet::from([name("b")])),
        (name("b"), BTreeSet::from([name("c")])),
        (name("c"), BTreeSet::from([name("a"), name("d")])),
    ]);
    assert_eq!(circles(&graph), [BTreeSet::from([name("a"), name("b"), name("c")])]);
}
