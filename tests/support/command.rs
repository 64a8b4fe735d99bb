//! `kubectl ucp` as a test runs it: in an environment of its own, with an end to every run.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::Cluster;

/// The value of secrets in tests, which must never be printed: in Secrets, tokens, `last-applied` annotations.
pub const CANARY: &str = "canary-that-must-never-sing";

/// Cargo sets the path for tests and benches, but not for examples.
const BINARY: Option<&str> = option_env!("CARGO_BIN_EXE_kubectl-ucp");
/// A home directory that only contains the cache of kubectl.
pub const HOME: &str = match option_env!("CARGO_TARGET_TMPDIR") {
    Some(directory) => directory,
    None => "/nonexistent",
};
/// A run that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(100);

/// Where the plugin is, for a PATH by which kubectl finds it.
pub fn directory() -> std::path::PathBuf {
    program().parent().expect("a directory").to_owned()
}

/// The program under test: the one that Cargo built with the tests, or the one that `UCP_UNDER_TEST` names: a release, or a
/// build for another platform.
pub fn program() -> std::path::PathBuf {
    let other = std::env::var_os("UCP_UNDER_TEST").map(Into::into);
    other.unwrap_or_else(|| BINARY.expect("a test or bench of the package").into())
}

/// The path of the program under test, for the command lines of shells.
pub struct ProgramPath;

impl std::fmt::Display for ProgramPath {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", program().display())
    }
}

/// The plugin, in the package's directory, with nothing in its environment but a PATH for kubectl and credential plugins,
/// and a home where nothing is.
pub fn ucp<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", HOME)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    command
}

/// The same command, with signals as at a terminal: a shell that starts the tests in the background
/// has them ignore interrupts, `nohup` hang-ups, and so whatever they start.
pub fn interruptible(command: &Command) -> Command {
    let mut same = if cfg!(target_os = "linux") {
        let mut through_env = Command::new("env");
        through_env.arg("--default-signal=INT,TERM,HUP").arg(command.get_program());
        through_env
    } else {
        Command::new(command.get_program())
    };
    same.args(command.get_args())
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null());
    if let Some(directory) = command.get_current_dir() {
        same.current_dir(directory);
    }
    same
}

/// Sends a signal, such as `INT`.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "SIG{name} was not sent");
}

/// The plugin on a snapshot.
pub fn ucp_from<'a>(snapshot: &'a str, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    ucp(["--from", snapshot].into_iter().chain(arguments))
}

/// The plugin on a cluster, as its admin.
pub fn ucp_on<'a>(cluster: &Cluster, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = ucp(arguments);
    command.env("KUBECONFIG", cluster.kubeconfig());
    command
}

/// The exit code of a run, and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The exit code; none where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON: {error}\n{self:#?}"))
    }

    /// The kinds that its document lists as unreadable.
    pub fn unknown(&self) -> Vec<String> {
        let document = self.json();
        let what = |entry: &serde_json::Value| entry["what"].as_str().unwrap_or_default().to_owned();
        document["unreadable"].as_array().into_iter().flatten().map(what).collect()
    }

    /// Its document without the parts that differ between a cluster and its snapshot: the source, and ages. If the output
    /// is not JSON, its text.
    pub fn comparable(&self) -> serde_json::Value {
        use serde_json::Value;
        fn strip(value: &mut Value) {
            match value {
                Value::Object(fields) => {
                    fields.retain(|key, _| !["source", "sources", "moment", "age"].contains(&key.as_str()));
                    fields.values_mut().for_each(strip);
                }
                Value::Array(items) => items.iter_mut().for_each(strip),
                _ => {}
            }
        }
        let mut document = serde_json::from_str(&self.stdout).unwrap_or_else(|_| Value::from(self.stdout.as_str()));
        strip(&mut document);
        document
    }

    /// Fails where it panicked, or a secret of a test got out.
    #[track_caller]
    pub fn hides_secrets(&self) {
        for text in [&self.stdout, &self.stderr] {
            assert!(!text.contains("panicked at"), "{text}");
            for secret in [CANARY, super::cluster::TOKEN] {
                assert!(!text.contains(secret), "a secret got out:\n{text}");
                for encoded in encodings(secret) {
                    assert!(!text.contains(&encoded), "a secret got out, in base64:\n{text}");
                }
            }
        }
    }

    /// The same, where the run must have ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stderr, self.stdout);
        self
    }
}

/// The base64 of a value that does not depend on the text around it: for each of the three offsets in a group of bytes.
fn encodings(secret: &str) -> [String; 3] {
    [0, 1, 2].map(|skipped| {
        let bytes = &secret.as_bytes()[skipped..];
        BASE64.encode(&bytes[..bytes.len() / 3 * 3])
    })
}

/// Runs the plugin to its end.
#[track_caller]
pub fn run(command: Command) -> Ran {
    run_with_input(command, "")
}

/// Runs the plugin with something on its standard input. Whatever happens, it neither hangs nor panics, and no secret of
/// a test gets out.
#[track_caller]
pub fn run_with_input(command: Command, input: impl AsRef<[u8]>) -> Ran {
    let output = snapbox::cmd::Command::from_std(command)
        .stdin(input.as_ref())
        .timeout(LIMIT)
        .output()
        .expect("the plugin starts");
    let ran = Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    };
    ran.hides_secrets();
    ran
}
