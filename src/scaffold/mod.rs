//! A new service, made of one that there is: its files, its entries in the files of others, and its database, with nothing
//! changed but names; and whether what comes out is the same but for them, and its names join.

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
pub mod shared;
pub mod source;
mod spans;
pub mod subject;
pub mod terms;
pub mod twice;
