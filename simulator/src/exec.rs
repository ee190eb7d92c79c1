//! Runs decoded programs, one warp-wide instruction at a time.
//!
//! `grid` runs a launch, `block` schedules the warps of one block, `interpreter` executes a warp's
//! instructions, `warp` holds its frames, splits and joins. `alu` computes, `access` moves data, `call`
//! enters and leaves functions, `collective` exchanges values between lanes, `asynchronous`, `bulk` and `tensor` begin copies,
//! `barrier` keeps the books on block-wide barriers, `mbarrier` on those in shared memory, `spin` recognises
//! loops that wait, `standstill` those with barriers in them. `schedule` says who is next. `speculation` replays a launch to see whether
//! anything comes of loads that race. `defects` words
//! what they find. None of them knows PTX text.

mod access;
pub mod alu;
mod asynchronous;
mod barrier;
mod block;
mod builtin;
mod bulk;
mod call;
mod collective;
mod context;
mod defects;
mod dispatch;
mod division;
mod grid;
mod guess;
mod interpreter;
mod machine;
mod matrix;
mod mbarrier;
mod printf;
mod reach;
pub mod refuse;
pub mod registers;
mod schedule;
mod scoreboard;
mod special;
mod speculation;
mod spelled;
mod spin;
mod standstill;
mod tensor;
mod texture;
pub mod undefined;
mod warp;
pub mod warpgroup;
mod way_out;

pub(crate) use context::{Context, Heap};
pub(crate) use grid::{Before, Request, ask_for_order, launch};
pub(crate) use reach::{Reach, local_bytes};
pub(crate) use schedule::Schedule;

/// Uses baseline code even where the processor has better; results are the same. For tests and measurements.
pub fn force_baseline(yes: bool) {
    dispatch::FORCE_BASELINE.store(yes, std::sync::atomic::Ordering::Relaxed);
}
