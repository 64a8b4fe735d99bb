//! Git repositories on loopback, served by `git http-backend`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binaries::Build;
use crate::program::Program;
use crate::support::servers::free_ports;

/// The module and the program of the forge.
pub const BUILD: Build = Build { module: "forge", version_of: None, programs: &[("forge", ".")], manifests: &[] };

/// A running Git server.
#[derive(Debug)]
pub struct Forge {
    directory: PathBuf,
    address: String,
    _server: Program,
}

impl Forge {
    /// Starts one whose repositories are in this directory.
    pub fn start(directory: &Path) -> Self {
        let [port] = free_ports().expect("a port");
        let address = format!("127.0.0.1:{port}");
        let served = directory.join("repositories");
        fs::create_dir_all(&served).expect("a directory for repositories");
        let backend = git(directory, &["--exec-path"]).trim().to_owned() + "/git-http-backend";
        assert!(Path::new(&backend).exists(), "git has no http-backend at {backend}");
        let server = Program::start(
            &BUILD.directory().join("forge"),
            &[&address, &served.display().to_string(), &backend],
            &[],
            &directory.join("forge.log"),
        );
        Self { directory: directory.to_owned(), address, _server: server }
    }

    /// The URL of a repository.
    pub fn url(&self, repository: &str) -> String {
        format!("http://{}/{repository}.git", self.address)
    }

    /// Commits files, which replace the content of the repository, and returns the commit.
    pub fn commit(&self, repository: &str, files: &[(impl AsRef<str>, impl AsRef<str>)]) -> String {
        self.write(repository, files);
        self.push(repository)
    }

    /// Writes files into a checkout, in place of its content, and returns its directory. Nothing is committed.
    pub fn write(&self, repository: &str, files: &[(impl AsRef<str>, impl AsRef<str>)]) -> PathBuf {
        let bare = self.directory.join("repositories").join(format!("{repository}.git"));
        if !bare.exists() {
            let path = bare.display().to_string();
            git(&self.directory, &["init", "--quiet", "--bare", "--initial-branch=main", &path]);
            git(&bare, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        }
        let tree = self.directory.join("trees").join(repository);
        if !tree.exists() {
            fs::create_dir_all(&tree).expect("a directory for a checkout");
            git(&tree, &["init", "--quiet", "--initial-branch=main"]);
            git(&tree, &["remote", "add", "origin", &bare.display().to_string()]);
        }
        git(&tree, &["rm", "-r", "--quiet", "--ignore-unmatch", "."]);
        for (path, content) in files {
            let path = tree.join(path.as_ref());
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, content.as_ref()).expect("a file");
        }
        tree
    }

    /// Commits the files in the checkout, pushes them, and returns the commit.
    pub fn push(&self, repository: &str) -> String {
        let tree = self.directory.join("trees").join(repository);
        git(&tree, &["add", "--all"]);
        git(&tree, &["commit", "--quiet", "--allow-empty", "-m", "Change what is declared"]);
        git(&tree, &["push", "--quiet", "origin", "HEAD:main"]);
        git(&tree, &["rev-parse", "HEAD"]).trim().to_owned()
    }
}

/// Runs git with an identity of its own, whatever the user's configuration.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
