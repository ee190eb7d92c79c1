//! Whether anything comes of plain loads that race: replays of a launch ([`crate::memory::Replay`] says why).
//!
//! A mark counts where it decides a branch, an address, what is stored where others see it, what an atomic
//! does or what is offered to other lanes.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use crate::{
    exec::{
        context::{Context, Heap},
        grid::{self, Before, Request},
        guess::is_guess,
    },
    finding::{FindingKind, Severity},
    findings::{Findings, Message, RawFinding},
    ir::SourceIndex,
    memory::{Racing, Replay, Site},
};

/// Of races that are none if nothing comes of a plain load, those of which something does.
pub fn settle(
    cx: &Context<'_>,
    before: Before<'_>,
    request: Request<'_>,
    suspects: Vec<RawFinding>,
) -> Vec<RawFinding> {
    // Too much to look at is no excuse.
    let Some(racing) = racing(cx, before, request, &suspects) else { return suspects };
    let mark = Arc::new(Replay::Mark(racing));
    let found = replay(cx, before, request, &mark);
    let mut unexplained = found.used().clone();
    let mut races = suspects;
    races.retain(|race| race.plain_reads().iter().any(|read| found.used().contains(read)));
    for read in races.iter().flat_map(RawFinding::plain_reads) {
        unexplained.remove(&read);
    }
    races.extend(unexplained.into_iter().map(race_at));
    races
}

/// Which dynamic loads race.
fn racing(
    cx: &Context<'_>,
    before: Before<'_>,
    request: Request<'_>,
    suspects: &[RawFinding],
) -> Option<Racing> {
    let names = suspects.iter().filter_map(|race| Some(race.allocation.as_ref()?.name.clone())).collect();
    let reads: HashSet<Site> = suspects.iter().flat_map(RawFinding::plain_reads).collect();
    let guesses = reads.into_iter().filter(|read| is_guess(cx.program, SourceIndex(read.0))).collect();
    let log = Arc::new(Replay::log(names, guesses));
    replay(cx, before, request, &log);
    match Arc::into_inner(log)? {
        Replay::Log(log) => log.into_racing(),
        Replay::Mark(racing) => Some(racing),
    }
}

/// Runs the launch once more, as it ran, on copies of memory and heap.
fn replay(cx: &Context<'_>, before: Before<'_>, request: Request<'_>, replay: &Arc<Replay>) -> Findings {
    let heap: Mutex<Heap> = Mutex::new(before.heap.clone());
    let cx = Context { replay: Some(Arc::clone(replay)), heap: &heap, ..cx.clone() };
    let request = Request { pool: None, measures: false, ..request };
    grid::replay(&cx, &mut before.memory.fork(), request)
}

/// A race of which the shadow kept another reader.
fn race_at(read: Site) -> RawFinding {
    RawFinding {
        kind: FindingKind::Race,
        severity: Severity::Error,
        space: None,
        site: Some(read),
        other: None,
        threads: Vec::new(),
        address: None,
        allocation: None,
        element: 0,
        count: 1,
        message: Message::Text(
            "A thread reads what another thread writes, with nothing that orders the two, and what it reads decides something."
                .into(),
        ),
    }
}
