//! Content-Security-Policies: a page runs its own style and script, known by their hashes, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Returns the source expression of a style or script.
pub fn hash_source(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(ring::digest::digest(&ring::digest::SHA256, text.as_bytes())))
}

/// Returns the policy of a page with one style and one script, which sends requests to its own server only.
pub(super) fn page_policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        hash_source(style),
        hash_source(script)
    )
}
