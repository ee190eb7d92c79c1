//! Loops that may wait in vain: which are watched, and when one is known to go round without effect.
//!
//! A loop that comes back to the same registers while memory stays as it is does nothing until somebody changes memory;
//! its split then waits for that instead of running.

use crate::exec::{
    machine::{After, Machine},
    warp::{Split, Wait, Warp, Watch},
};

/// Instructions that a split may spend without anyone changing memory before its loops are watched.
const IDLE_INSTRUCTIONS: u64 = 16_384;

/// Round trips of a watched loop before the watch is given up.
const WATCHED_TRIPS: u32 = 16;

/// A loop goes round when the turn is over, or while it is watched.
pub fn back(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, deadline: u64) -> After {
    let changes = m.global.get().changes() + m.unit.memory.changes();
    if let Some(watch) = &mut split.watch
        && watch.pc == split.pc
        && watch.frame == split.frame
    {
        watch.trips += 1;
        if watch.version != changes {
            split.watch = None;
        } else if watch.digest == warp.frame(split.frame).registers.digest(split.mask) {
            // The same state again, and memory is as it was: it goes round until somebody changes memory.
            watch.own_changes = m.unit.own_changes;
            split.wait = Wait::Change { version: changes };
            warp.waiting.push(*split);
            warp.fruitless += 1;
            return After::Parked;
        } else if watch.trips >= WATCHED_TRIPS {
            split.watch = None;
        }
    }
    if m.unit.issued < deadline {
        return After::GoOn;
    }
    if split.idle_version == changes {
        split.idle_turns += 1;
    } else {
        split.idle_turns = 0;
        split.idle_version = changes;
    }
    // A loop that polls is likely to wait; others are likely to compute.
    let most = if split.polls { 1 } else { IDLE_INSTRUCTIONS / m.quantum() };
    if u64::from(split.idle_turns) >= most {
        split.idle_turns = 0;
        warp.fruitless += u32::from(split.polls);
        split.polls = false;
        let digest = warp.frame(split.frame).registers.digest(split.mask);
        split.watch = Some(Watch {
            pc: split.pc,
            frame: split.frame,
            digest,
            version: changes,
            trips: 0,
            own_changes: 0,
        });
    }
    warp.ready.push_back(*split);
    After::Parked
}
