//! Blocks that can't affect each other, in waves.
//!
//! A *wave* is a fixed number of blocks, each against memory as it was when the wave began, with its writes
//! in a private overlay. At the end of the wave what they wrote is published, in block order. How many host
//! threads run a wave changes nothing.
//!
//! Where there are many host threads, most would wait for each wave's last blocks. So several waves run at
//! once, in a [`Window`], all against memory as it was when the first of them began. That is the same as one
//! after the other unless a block touches what an earlier wave of the window wrote, which is seen when it is
//! compared with the blocks before it: then it and all behind it run again, from then on wave by wave.

use std::sync::{Mutex, PoisonError};

use crate::{
    counters::Counters,
    exec::context::{Context, PRINTF_BYTES},
    footprint::Footprint,
    memory::{GlobalMemory, Touched},
};

use super::{
    Collected, Request,
    slot::Slot,
    window::{Retired, Spare, Window, hold},
};

/// Blocks that run against the same state of memory. A constant: results depend on it.
pub(super) const WAVE: usize = 64;

/// Host threads for each wave of a window: each runs so many blocks that waiting for the last ones is little.
const THREADS_OF_A_WAVE: usize = 2;

/// Runs all blocks.
pub(super) fn run(
    cx: &Context<'_>,
    memory: &mut GlobalMemory,
    request: Request<'_>,
    lines: &mut [Counters],
    collected: &mut Collected,
) {
    let blocks = cx.blocks();
    let threads = request.pool.map_or(1, rayon::ThreadPool::current_num_threads);
    let mut size = WAVE * threads.div_ceil(THREADS_OF_A_WAVE);
    let mut slots: Vec<Mutex<Slot>> =
        (0..blocks.min(size as u64)).map(|_| Mutex::new(Slot::new(lines.len()))).collect();
    let spare = Spare::default();
    let mut retired = Retired::new(std::mem::take(&mut memory.summary), request.budget, lines);
    let mut peak = Footprint::default();
    let mut next = 0u64;
    while next < blocks && retired.stop.is_none() {
        let count = size.min(usize::try_from(blocks - next).unwrap_or(size));
        let room = PRINTF_BYTES.saturating_sub(collected.printf.len());
        Window::new(cx, &*memory, next, &slots[..count], &spare, (request.budget, room), &mut retired)
            .run(request.pool);
        if request.measures {
            let units = hold(&spare.units);
            let running =
                units.iter().map(|unit| unit.memory.footprint()).fold(Footprint::default(), Footprint::plus);
            let touched: usize = hold(&spare.touched).iter().map(Touched::heap_bytes).sum();
            let written: usize = slots.iter().map(|slot| hold(slot).written.heap_bytes()).sum();
            let shadow_bytes = running.shadow_bytes + (touched + written) as u64;
            if shadow_bytes > peak.shadow_bytes {
                peak = Footprint { shadow_bytes, ..running };
            }
        }
        let published = retired.publishable();
        for slot in &mut slots[..published] {
            let slot = slot.get_mut().unwrap_or_else(PoisonError::into_inner);
            memory.publish(&slot.written, &mut slot.findings, cx.replay.as_deref());
            collected.findings.absorb(&mut slot.findings);
            collected.print(&slot.printf);
        }
        next += published as u64;
        if retired.is_stale {
            // What has retired of the wave that goes on is not published before its end.
            slots.rotate_left(published);
            slots.truncate(WAVE);
            size = WAVE;
        }
        retired.go_on(published);
    }
    collected.busiest_block_load_sectors = retired.busiest_block_load_sectors;
    collected.worst = retired.worst;
    collected.stop = retired.stop;
    memory.summary = retired.summary;
    if request.measures {
        collected.footprint = peak.plus(memory.footprint());
    }
}
