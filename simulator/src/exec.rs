//! Runs decoded programs, one warp-wide instruction at a time.

pub mod alu;
mod printf;
pub mod registers;
mod warp;
