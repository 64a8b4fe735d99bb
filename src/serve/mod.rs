//! The Kubernetes API, answered from a cluster state: discovery, lists, single objects, tables, and watches that never
//! see a change. It only reads.

mod answer;
mod custom_table;
mod discovery;
mod fields;
mod list;
mod object_meta;
mod objects;
mod observed;
mod openapi;
mod path;
mod review;
mod schema;
mod table;

pub use answer::{ApiAnswer, ApiBody, ApiRequest};
pub use objects::ServedCluster;
