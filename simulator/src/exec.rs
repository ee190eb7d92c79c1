//! Runs decoded programs, one warp-wide instruction at a time.

pub mod alu;
pub mod registers;
