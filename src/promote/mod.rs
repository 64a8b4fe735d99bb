//! Planning and writing of version changes: compares requested with declared versions, checks the rules, and makes the
//! edits.

pub mod assign;
pub mod copy;
pub mod declared;
mod edits;
mod effect;
pub mod facts;
mod kustomized;
pub mod landing;
pub mod matrix;
pub mod place_address;
pub mod plan;
pub mod policy;
mod proposals;
pub mod reconcile;
pub mod refusal;
mod repositories;
pub mod request;
pub mod rolled_out;
pub mod running;
pub mod single;
mod slots;
#[cfg(test)]
mod small;
mod wanted;
mod whole_file;
