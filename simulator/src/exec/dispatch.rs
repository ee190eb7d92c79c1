//! The interpreter loop, compiled for AVX2 with FMA and for the baseline, and chosen once per launch.
//!
//! A register is 32 lanes: with 256-bit vectors most operations are four to eight instructions. Results do not depend
//! on the choice; `FORCE_BASELINE` lets tests see that.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exec::{
    context::Stop,
    interpreter::{self, Machine},
    warp::Warp,
};

/// Uses the baseline code even where better is available; for tests.
pub static FORCE_BASELINE: AtomicBool = AtomicBool::new(false);

/// How to run a warp.
#[derive(Clone, Copy, Debug)]
pub struct Runner {
    fast: bool,
}

impl Runner {
    /// The best that this processor can do.
    pub fn best() -> Runner {
        Runner { fast: !FORCE_BASELINE.load(Ordering::Relaxed) && has_avx2() }
    }

    /// Runs a warp until nothing in it can run or its turn is over.
    pub fn run(self, m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
        #[cfg(target_arch = "x86_64")]
        if self.fast {
            // SAFETY: `fast` is true only where `has_avx2` saw both features on this processor.
            return unsafe { run_avx2(m, warp) };
        }
        interpreter::run(m, warp)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
    interpreter::run(m, warp)
}
