//! `kubectl ucp`, as kubectl discovers it on the PATH.

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ucp::cli::run(std::env::args_os())
}
