//! `kubectl ucp`, as kubectl discovers it on the PATH.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ucp::cli::run(std::env::args_os())
}
