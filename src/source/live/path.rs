//! Names in the paths of requests.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but what a path may hold as it is: RFC 3986's unreserved characters, and the colon of RBAC's names.
const OUTSIDE_OF_NAMES: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');

/// A name from a manifest is not a name yet: it may hold what means something in a path.
pub fn encode(name: &str) -> String {
    // A path of dots would lead upwards.
    match name.bytes().all(|byte| byte == b'.') {
        true => name.replace('.', "%2E"),
        false => utf8_percent_encode(name, &OUTSIDE_OF_NAMES).to_string(),
    }
}
