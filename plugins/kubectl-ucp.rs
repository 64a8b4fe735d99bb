//! `kubectl ucp`, as kubectl discovers it on the PATH.

use std::process::ExitCode;

fn main() -> ExitCode {
    ucp::cli::run(std::env::args_os())
}
