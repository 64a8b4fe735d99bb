//! `kubectl ucp`, as kubectl discovers it on the PATH.

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives memory that was freed back within ten milliseconds, as mimalloc did before its version 3, which waits for a second:
/// most commands do not last as long, and hold twice as much.
#[cfg(target_env = "musl")]
#[allow(unsafe_code, reason = "the only way to set an option of mimalloc")]
fn set_up_allocator() {
    // `mi_option_purge_delay` in mimalloc.h, in milliseconds.
    const PURGE_DELAY: std::ffi::c_int = 15;
    // SAFETY: it stores a number, and may be called at any time.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, 10) };
}

fn main() -> ExitCode {
    #[cfg(target_env = "musl")]
    set_up_allocator();
    ucp::cli::run(std::env::args_os())
}
