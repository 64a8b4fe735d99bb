//! What an adoption asks of clusters and does to them. Everything that can be decided without asking is decided before.

pub mod account;
pub mod carry_out;
pub mod gather;
pub mod interrupt;
pub mod prepare;
pub mod prepare_account;
pub mod release;
pub mod remote;
pub mod rights;
pub mod settle;
