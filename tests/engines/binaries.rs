//! Programs of the engines that are built with Go, once for every version of them and of our additions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{cache, print_notice};

/// A Go module below this directory, and its programs.
pub struct Build {
    /// The module's directory, and the engine's name in the cache.
    pub module: &'static str,
    /// The module whose version names the build; none for a program of our own.
    pub version_of: Option<&'static str>,
    /// Programs, and the packages that they are built from.
    pub programs: &'static [(&'static str, &'static str)],
    /// Directories of modules that are copied next to the programs: a name, the module, the directory in it.
    pub manifests: &'static [(&'static str, &'static str, &'static str)],
}

impl Build {
    /// The directory with all of it; panics with Go's last words where it cannot be built.
    pub fn directory(&self) -> PathBuf {
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines").join(self.module);
        let filled = self.name(&module).and_then(|name| {
            let missing = |directory: &Path| self.missing(directory);
            cache::filled(&Path::new("engines").join(&name), missing, |into| self.build(&name, &module, into))
        });
        filled.unwrap_or_else(|reason| panic!("no {}: {reason}", self.module))
    }

    /// With the hash of our own files: another stub or pin is another build.
    fn name(&self, module: &Path) -> Result<String, String> {
        let version = match self.version_of {
            Some(of) => format!("-{}", cache::required_version(module, of)?),
            None => String::new(),
        };
        let mut context = ring::digest::Context::new(&ring::digest::SHA256);
        for file in go_files(module).map_err(|error| format!("{}: {error}", module.display()))? {
            context.update(&fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?);
        }
        let hash: String = context.finish().as_ref()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("{}{version}-{hash}-{}", self.module, cache::platform()))
    }

    fn missing(&self, directory: &Path) -> Result<(), String> {
        let programs = self.programs.iter().map(|(name, _)| name);
        let manifests = self.manifests.iter().map(|(name, ..)| name);
        match programs.chain(manifests).find(|name| !directory.join(name).exists()) {
            Some(name) => Err(format!("{} has no {name}", directory.display())),
            None => Ok(()),
        }
    }

    fn build(&self, name: &str, module: &Path, into: &Path) -> Result<(), String> {
        print_notice(&format!("building {name} for the tests, once: this takes minutes"));
        for (program, package) in self.programs {
            cache::go_build(module, package, "-s -w", &into.join(program))?;
        }
        for (name, of, directory) in self.manifests {
            let from = source(module, of)?.join(directory);
            let target = into.join(name);
            fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
            let entries = fs::read_dir(&from).map_err(|error| format!("{}: {error}", from.display()))?;
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()) {
                // Read and written: files of the module cache are read-only, which a copy would be too.
                let copied = fs::read(&path)
                    .and_then(|content| fs::write(target.join(path.file_name().unwrap_or_default()), content));
                copied.map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        Ok(())
    }
}

/// Where Go keeps the source of a module that another one requires.
fn source(module: &Path, of: &str) -> Result<PathBuf, String> {
    let output = Command::new("go")
        .current_dir(module)
        .args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", of])
        .env("GOWORK", "off")
        .output()
        .map_err(|error| format!("could not run `go`: {error}"))?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if path.is_empty() { Err(format!("Go has no source of {of}")) } else { Ok(path.into()) }
}

/// Everything of the module that Go reads, in order.
fn go_files(module: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(module)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(go_files(&path)?);
        } else if path.extension().is_some_and(|extension| ["go", "mod", "sum"].iter().any(|one| extension == *one)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
