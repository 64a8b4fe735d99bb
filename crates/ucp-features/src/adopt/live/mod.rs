//! The part of an adoption that sends requests to clusters. All decisions that need no request are made in
//! [`super::plan`].

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
