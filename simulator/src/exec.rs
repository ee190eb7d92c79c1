//! Runs decoded programs, one warp-wide instruction at a time.
//!
//! `grid` runs a launch, `block` schedules the warps of one block, `interpreter` executes a warp's instructions, `warp`
//! holds its frames, splits and joins. `alu` computes, `access` moves data, `collective` exchanges it between lanes,
//! `barrier` keeps the books on block-wide barriers. None of them knows PTX text.

mod access;
pub mod alu;
mod barrier;
mod block;
mod builtin;
mod collective;
mod context;
mod dispatch;
mod grid;
mod interpreter;
mod printf;
mod reach;
pub mod registers;
mod special;
mod warp;

pub(crate) use context::{Context, Heap};
pub(crate) use grid::{Request, launch};
pub(crate) use reach::Reach;

/// Uses baseline code even where the processor has better; results are the same. For tests and measurements.
pub fn force_baseline(yes: bool) {
    dispatch::FORCE_BASELINE.store(yes, std::sync::atomic::Ordering::Relaxed);
}
