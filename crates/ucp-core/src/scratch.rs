//! Private directories that are removed when their value is dropped, when a signal ends the process, and by the next
//! run if the process was killed. A lock marks a directory as in use.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::regular_file;

/// Prefix of the names of scratch directories.
pub const PREFIX: &str = "kubectl-ucp-";
/// The file in a scratch directory that is locked while it is in use.
const LOCK: &str = ".lock";

/// Directories to remove and processes to end when this process ends.
#[derive(Default)]
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals"))]
struct OpenResources {
    directories: BTreeSet<PathBuf>,
    children: BTreeSet<u32>,
    is_watched: bool,
}

static OPEN: Mutex<Option<OpenResources>> = Mutex::new(None);

fn open() -> MutexGuard<'static, Option<OpenResources>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory that only its owner can access.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    // Locked until it is dropped.
    lock: Option<File>,
}

impl Scratch {
    /// Creates one below the system's directory for temporary files.
    ///
    /// # Errors
    /// Fails when it cannot be created.
    pub fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir(), PREFIX)
    }

    /// Creates one below a directory, after removing those that ended processes left there.
    ///
    /// # Errors
    /// Fails when it cannot be created.
    pub fn within(home: &Path, prefix: &str) -> io::Result<Self> {
        sweep(home, prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        // A signal that arrives now waits until the directory is recorded.
        let mut guard = open();
        let known = guard.get_or_insert_default();
        // Before there is anything to remove.
        watch(known);
        let directory = builder.tempdir_in(home)?;
        // The lock is renamed into place, so that `LOCK` never exists unlocked.
        let made = tempfile::Builder::new().prefix(".making-").tempfile_in(directory.path())?;
        made.as_file().lock()?;
        let lock = made.persist(directory.path().join(LOCK)).map_err(|error| error.error)?;
        let path = directory.keep();
        known.directories.insert(path.clone());
        Ok(Self { path, lock: Some(lock) })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Some systems cannot remove open files.
        self.lock.take();
        // The next run removes it if this fails.
        let _ = fs::remove_dir_all(&self.path);
        if let Some(known) = open().as_mut() {
            known.directories.remove(&self.path);
        }
    }
}

/// Removes the scratch directories in a directory that no process holds a lock on.
fn sweep(home: &Path, prefix: &str) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        // Links are not followed. A directory without a lock was just created, or belongs to another program.
        let is_directory = entry.metadata().is_ok_and(|found| found.is_dir() && regular_file::is_own(&found));
        let Some(lock) = Some(entry.path().join(LOCK)).filter(|_| is_ours && is_directory) else { continue };
        if let Ok(lock) = regular_file::open(&lock)
            && lock.metadata().is_ok_and(|found| regular_file::is_own(&found))
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A child process that works in such a directory. It is terminated when this process is.
pub struct RegisteredChild(u32);

impl RegisteredChild {
    /// Registers a running child until the value is dropped.
    pub fn register(child: &std::process::Child) -> Self {
        open().get_or_insert_default().children.insert(child.id());
        Self(child.id())
    }
}

impl Drop for RegisteredChild {
    fn drop(&mut self) {
        if let Some(known) = open().as_mut() {
            known.children.remove(&self.0);
        }
    }
}

/// What to do before this process ends by a panic or a signal.
static AT_END: Mutex<Option<fn()>> = Mutex::new(None);

/// Calls `action` before this process ends by a panic or a signal, as for a terminal that must be restored. It may be
/// called more than once.
pub fn before_abnormal_end(action: fn()) {
    *AT_END.lock().unwrap_or_else(PoisonError::into_inner) = Some(action);
    watch(open().get_or_insert_default());
}

fn run_end_action() {
    let action = *AT_END.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(action) = action {
        action();
    }
}

/// While this value exists, Ctrl-C is left to another program, such as a pager.
pub struct InterruptIsForAnother(());

static FOR_ANOTHER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

impl InterruptIsForAnother {
    /// Starts leaving Ctrl-C to another program.
    #[allow(clippy::new_without_default, reason = "it does something")]
    pub fn new() -> Self {
        FOR_ANOTHER.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Self(())
    }
}

impl Drop for InterruptIsForAnother {
    fn drop(&mut self) {
        FOR_ANOTHER.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }
}

/// Also removes the directories when this process panics, and prints a backtrace that the user can report. In a release, a
/// panic aborts, and no value is dropped.
pub fn remove_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // First, so that the message is on a screen that stays.
        run_end_action();
        usual(panic);
        // With the variable, the usual hook prints one.
        if std::env::var_os("RUST_BACKTRACE").is_none() {
            let _ = writeln!(io::stderr(), "{}", panic_report());
        }
        // The panicking thread may hold the lock.
        if let Ok(mut guard) = OPEN.try_lock()
            && let Some(known) = guard.as_mut()
        {
            known.end();
        }
    }));
}

fn panic_report() -> String {
    let backtrace = std::backtrace::Backtrace::force_capture();
    format!(
        "this is a bug in kubectl-ucp {}; please report it with these lines:\n{backtrace}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Handles signals, starting with the first directory.
#[cfg(unix)]
fn watch(known: &mut OpenResources) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    if std::mem::replace(&mut known.is_watched, true) {
        return;
    }
    let wanted: Vec<i32> =
        [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && FOR_ANOTHER.load(std::sync::atomic::Ordering::SeqCst) > 0 {
                continue;
            }
            run_end_action();
            // The lock is held, so that no directory is created until this process ends.
            let mut guard = open();
            guard.get_or_insert_default().end();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn watch(_: &mut OpenResources) {}

/// Returns true if a signal was already ignored when this process started, as by `nohup`.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
impl OpenResources {
    fn end(&mut self) {
        for directory in &self.directories {
            let _ = fs::remove_dir_all(directory);
        }
    }
}

#[cfg(unix)]
impl OpenResources {
    /// Terminates the processes that work in the directories, and removes the directories.
    fn end(&mut self) {
        use std::time::{Duration, Instant};
        /// Time limit for removing a directory to which a child process still writes.
        const PATIENCE: Duration = Duration::from_secs(2);
        for child in &self.children {
            let child = i32::try_from(*child).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(child) = child {
                let _ = rustix::process::kill_process(child, rustix::process::Signal::TERM);
            }
        }
        let begun = Instant::now();
        for directory in &self.directories {
            while fs::remove_dir_all(directory).is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
                && begun.elapsed() < PATIENCE
            {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_in_use_are_kept_and_abandoned_directories_are_deleted() {
        let home = tempfile::tempdir().unwrap();
        let used = Scratch::within(home.path(), "tree-").unwrap();
        let left = home.path().join("tree-left");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("file"), "x").unwrap();
        let just_begun = home.path().join("tree-begun");
        fs::create_dir(&just_begun).unwrap();
        let other = home.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(LOCK), "").unwrap();
        let second = Scratch::within(home.path(), "tree-").unwrap();
        assert!(!left.exists());
        assert!(used.path().exists() && second.path().exists() && just_begun.exists() && other.exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn a_panic_leaves_no_files_and_prints_a_backtrace() {
        const HOME: &str = "TEST_OF_PANICS";
        if let Some(home) = std::env::var_os(HOME) {
            remove_on_panic();
            std::mem::forget(Scratch::within(Path::new(&home), PREFIX).unwrap());
            panic!("as a release would");
        }
        let home = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", "scratch::tests::a_panic_leaves_no_files_and_prints_a_backtrace"])
            .env(HOME, home.path());
        child.env_remove("RUST_BACKTRACE");
        let output = child.output().unwrap();
        let printed = [output.stdout.as_slice(), output.stderr.as_slice()].map(String::from_utf8_lossy).concat();
        assert!(printed.contains("as a release would"), "{printed}");
        assert!(printed.contains("please report it") && printed.contains("scratch::tests::a_panic"), "{printed}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_in_place_of_a_lock_does_not_block() {
        let home = tempfile::tempdir().unwrap();
        let hostile = home.path().join("tree-hostile");
        fs::create_dir(&hostile).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(hostile.join(LOCK)).status().unwrap().success());
        Scratch::within(home.path(), "tree-").unwrap();
        assert!(hostile.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_enter() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(home.path(), PREFIX).unwrap();
        assert_eq!(fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
