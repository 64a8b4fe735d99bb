//! Creates a new service from an existing one: its files, its entries in shared files, and its database, with only
//! names changed. Verifies that the result differs only in names, and that its references resolve.

pub mod confidential;
pub mod copy;
pub mod database;
pub mod deployed;
pub mod distributed;
pub mod documents;
mod fields;
pub mod hidden;
pub mod image;
pub mod intact;
pub mod join;
pub mod likeness;
pub mod lists;
pub mod names;
pub mod noticed;
pub mod pruned;
pub mod renamed;
mod reported;
pub mod shared;
pub mod source;
mod spans;
pub mod subject;
pub mod terms;
pub mod twice;
