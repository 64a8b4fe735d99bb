//! Plans for composites, with functions that really respond and a real API server.

mod deeper;
mod forwarded;
mod many;
mod rights;
mod scene;
mod secrets;
mod shown;
mod trouble;

use scene::{Scene, step, store};
