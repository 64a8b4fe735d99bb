//! Types shared by the whole program: kinds, resources, conditions, verdicts, and findings. Pure data and logic,
//! without client and terminal.

pub mod apply;
pub mod body;
pub mod comparison;
pub mod condition;
pub mod convention;
pub mod field_owner;
pub mod finding;
pub mod git_ops;
pub mod glob;
pub mod graph_kinds;
pub mod grounds;
pub mod health_check;
pub mod health_rule;
pub mod image;
pub mod kind;
pub mod metadata;
pub mod nearest;
pub mod object;
pub mod path;
pub mod pattern;
pub mod quantity;
pub mod request_path;
pub mod resource;
pub mod secrecy;
pub mod seed;
pub mod selector;
pub mod server;
mod shared;
pub mod shell;
pub mod state;
pub mod text;
pub mod time;
pub mod trace;
pub mod uid;
pub mod verdict;
pub mod word;
