//! What a plan says of composites, with functions that really answer and a real API server.

mod deeper;
mod forwarded;
mod many;
mod scene;
mod secrets;
mod shown;
mod trouble;

use scene::{Scene, step, store};
