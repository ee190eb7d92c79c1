//! Loops with a block-wide barrier in them that go round in vain.
//!
//! `spin` follows one warp and stops at barriers, because whether a round ends depends on all the others
//! there. Here the whole block is looked at, at the moment when all its threads wait at a barrier: if
//! everything that the next round depends on was the same at an earlier barrier, and nobody has changed
//! memory in between, the rounds repeat until somebody does. Registers and local memory are compared as they
//! are, so that a loop that counts its rounds is not recognised and runs until the budget ends.

use crate::{exec::warp::Warp, memory::BlockMemory};

/// Barriers that a block passes without anybody changing memory before it is looked at.
const IDLE_BARRIERS: u32 = 48;

/// What is remembered of a block's barriers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standstill {
    /// Memory's version at the last barrier.
    version: u64,
    /// Barriers since it changed.
    barriers: u32,
    /// The block's state at one of them, and after how many the next one is kept.
    state: Option<u64>,
    next: u32,
}

impl Standstill {
    /// All threads wait at a barrier. True when the block has been in this state before and
    /// memory has not changed since.
    pub fn is_reached(&mut self, version: u64, warps: &[Warp], memory: &BlockMemory) -> bool {
        if self.version != version {
            *self = Standstill { version, next: IDLE_BARRIERS, ..Standstill::default() };
        }
        self.barriers += 1;
        if self.barriers < IDLE_BARRIERS {
            return false;
        }
        let state = digest(warps, memory);
        if self.state == Some(state) {
            return true;
        }
        if self.barriers >= self.next {
            // Ever later, so that rounds of any length come back to it (Brent's way to find a cycle).
            self.state = Some(state);
            self.next = self.barriers.saturating_mul(2);
        }
        false
    }
}

/// Of all that the threads of a block have to themselves, and where they stand.
fn digest(warps: &[Warp], memory: &BlockMemory) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325u64;
    let mut mix = |value: u64| digest = (digest.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for warp in warps {
        mix(u64::from(warp.exited));
        for split in &warp.waiting {
            mix(u64::from(split.mask) << 32 | u64::from(split.pc));
            mix(u64::from(split.frame.0));
        }
        for frame in warp.frames().filter(|frame| frame.lanes != 0) {
            mix(u64::from(frame.lanes) << 32 | u64::from(frame.return_pc));
            frame.registers.each_value(&mut mix);
        }
        memory.each_local_word(warp.index as u16, &mut mix);
    }
    digest
}
