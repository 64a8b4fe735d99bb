//! Carries the plan out: each object by one request that is whole or not there, so that whatever ends the program in
//! between, the next run does the rest.
