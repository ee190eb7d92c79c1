//! Whether blocks rely on the order in which they start.
//!
//! CUDA promises none. A block that waits for another one works only if that one runs already, and a GPU
//! holds only some blocks at once; so who waits must have drawn a number from a counter, and wait for those
//! who drew before, or have found what the other one did before. Where more blocks are launched than fit,
//! every other wait relies on the order. Where all fit, none does, unless blocks wait for blocks that wait in
//! the same loop themselves, and always for lower numbers: that goes on for however many there are, and more
//! than fit work only in the usual order.
//!
//! A wait that lasts can be seen. What a block waits for is often there soon, because all blocks come on
//! alike. So the question is asked once more where that costs little: each block runs as far as it gets
//! before another one does, the youngest first. And if all fit, the oldest first: if one must wait then, it
//! waits for a block that starts later, as at a barrier of all blocks: then the order is no help, and that
//! all fit is what the kernel relies on, which only a cooperative launch promises.

use std::sync::PoisonError;

use crate::{
    counters::Counters,
    exec::{
        context::{Context, Helped, place},
        defects,
    },
    finding::Finding,
    findings::Findings,
    memory::GlobalMemory,
};

use super::{Collected, Request, together};

/// Who runs first where each block runs as far as it gets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The one that started last.
    Youngest,
    /// The one that started first.
    Oldest,
}

/// What can be said of the waits of a launch in the usual order of turns.
pub(super) fn of_launch(
    cx: &Context<'_>,
    request: Request<'_>,
    waits: &[(u32, Helped)],
    found: &mut Findings,
) {
    // That order asks best: the youngest block waits first. A cooperative grid runs as a whole.
    if cx.workspace == 0 && !cx.schedule.is_other() && (!fits(cx, request) || is_chain(waits)) {
        say(waits, found);
    }
}

/// Asks by launches of its own, on copies of `memory`.
pub fn ask(cx: &Context<'_>, memory: &GlobalMemory, request: Request<'_>) -> Vec<Finding> {
    let mut found = Findings::new();
    let waits = |first| waits(cx, memory, request, first);
    if let Some(youngest) = waits(First::Youngest).filter(|waits| !waits.is_empty()) {
        if !fits(cx, request) {
            say(&youngest, &mut found);
        } else if let Some(oldest) = waits(First::Oldest) {
            match oldest.iter().find(|(_, wait)| !wait.excused) {
                // At a barrier of all blocks some wait for later ones, whatever the order.
                Some((number, wait)) => defects::all_at_once(&mut found, *number, wait.at, cx.blocks()),
                None if oldest.is_empty() && is_chain(&youngest) => say(&youngest, &mut found),
                None => {}
            }
        }
    }
    found.finish(cx.grid, cx.block, |at| place(cx, at))
}

/// The waits for other blocks where each runs as far as it gets; `None` if the launch
/// does not come to its end so.
fn waits(
    cx: &Context<'_>,
    memory: &GlobalMemory,
    request: Request<'_>,
    first: First,
) -> Option<Vec<(u32, Helped)>> {
    let mut memory = memory.fork();
    let hold = || cx.heap.lock().unwrap_or_else(PoisonError::into_inner);
    let heap = hold().clone();
    let mut lines = vec![Counters::default(); cx.program.sources.len() + 1];
    let mut collected = Collected::default();
    memory.begin_launch();
    let request = Request { alone: Some(first), ..request };
    let waits = together::run(cx, &mut memory, request, &mut lines, &mut collected);
    memory.end_launch();
    *hold() = heap;
    collected.stop.is_none().then_some(waits)
}

/// All blocks are there at once.
fn fits(cx: &Context<'_>, request: Request<'_>) -> bool {
    cx.blocks() <= u64::from(request.resident)
}

/// True when blocks wait for blocks that wait in the same loop, and always for lower numbers. Three
/// in a row: what one block makes, another changes and a third takes is no more than that, even if
/// they wait in one function.
fn is_chain(waits: &[(u32, Helped)]) -> bool {
    let lower = |(number, wait): &(u32, Helped)| wait.helper.is_none_or(|helper| helper < *number);
    let goes_on = |(_, wait): &&(u32, Helped)| {
        !wait.excused && {
            let waits_there = |helper| waits.iter().any(|(number, of)| *number == helper && of.at == wait.at);
            wait.helper.is_none_or(waits_there)
        }
    };
    waits.iter().all(lower) && waits.iter().filter(goes_on).count() >= 2
}

fn say(waits: &[(u32, Helped)], found: &mut Findings) {
    for (number, wait) in waits.iter().filter(|(_, wait)| !wait.excused) {
        defects::launch_order(found, *number, wait.at);
    }
}
