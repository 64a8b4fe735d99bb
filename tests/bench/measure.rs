//! The cost of a command: wall time, CPU time of itself and its children, peak memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4 as _;

/// The cost of one run.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// From start to end.
    pub(crate) wall: Duration,
    /// User and system time.
    pub(crate) cpu: Duration,
    /// Peak resident memory, in bytes.
    pub(crate) memory: u64,
}

/// Runs a command with its output thrown away. Panics where it cannot start or ends with another code than `expected`.
pub(crate) fn run(command: &mut Command, expected: i32) -> Cost {
    let started = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("the command starts");
    let used = child.wait4().expect("the command ends");
    let wall = started.elapsed();
    let code = used.status.code().unwrap_or(i32::MAX);
    assert_eq!(code, expected, "{command:?}");
    Cost { wall, cpu: used.rusage.utime + used.rusage.stime, memory: used.rusage.maxrss }
}

/// The run with the median wall time, so that one hiccup of the machine does not count.
pub(crate) fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by_key(|cost| cost.wall);
    costs[costs.len() / 2]
}
