//! Runs a launch: all blocks of the grid.
//!
//! Kernels whose blocks can't affect each other run in [`waves`], on as many host threads as there are. All
//! others run [`together`], taking turns on one.

mod clusters;
mod headway;
mod order;
mod slot;
mod together;
mod waves;
mod window;

use std::collections::BTreeMap;

pub use order::ask as ask_for_order;

use crate::{
    counters::{Counters, LineCounters},
    exec::{
        context::{Context, Heap, PRINTF_BYTES, Stop, place},
        guess::is_guess,
        speculation,
        spelled::spelled,
    },
    finding::Finding,
    findings::Findings,
    footprint::Footprint,
    ir::SourceIndex,
    launch::LaunchStatus,
    memory::{ConflictingRequest, GlobalMemory, Site, WorstRequests, traffic},
    requests::{RequestKind, ServedBank, Wavefront, WorstRequest},
    source::Place,
};

/// How a launch is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Request<'p> {
    /// Blocks may affect each other while they run.
    pub communicates: bool,
    /// Blocks that the GPU holds at once.
    pub resident: u32,
    /// Instructions for the whole launch.
    pub budget: u64,
    /// Host threads, where more than one.
    pub pool: Option<&'p rayon::ThreadPool>,
    /// Whether to say what memory the launch took.
    pub measures: bool,
    /// Each block is to run as far as it gets before another one does.
    pub alone: Option<order::First>,
}

/// How it stood before a launch of optimised code, in which loads may be where the source has none.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Global memory.
    pub memory: &'a GlobalMemory,
    /// The device's heap.
    pub heap: &'a Heap,
}

/// What a launch gave.
#[derive(Debug)]
pub struct GridOutcome {
    /// How it ended.
    pub status: LaunchStatus,
    /// Findings, finished.
    pub findings: Vec<Finding>,
    /// Totals.
    pub counters: Counters,
    /// Per line.
    pub lines: Vec<LineCounters>,
    /// Of each line the worst request to shared memory, where they were kept.
    pub worst_requests: Vec<WorstRequest>,
    /// What `printf` wrote.
    pub printf: String,
    /// The budget was used up, which says nothing about the kernel in an order that makes more threads wait.
    pub ran_out: bool,
    /// What memory it took, if that was asked for.
    pub footprint: Footprint,
    /// Lanes came to an `activemask` in parts, which was first here.
    pub parted: Option<Place>,
}

#[derive(Default)]
struct Collected {
    findings: Findings,
    printf: Vec<u8>,
    busiest_block_load_sectors: u64,
    worst: WorstRequests,
    stop: Option<Stop>,
    footprint: Footprint,
}

impl Collected {
    fn print(&mut self, text: &[u8]) {
        let room = PRINTF_BYTES.saturating_sub(self.printf.len());
        self.printf.extend_from_slice(&text[..text.len().min(room)]);
    }
}

/// Runs all blocks. With `before`, races of plain loads of which nothing comes are no findings.
pub fn launch(
    cx: &Context<'_>,
    memory: &mut GlobalMemory,
    request: Request<'_>,
    before: Option<Before<'_>>,
) -> GridOutcome {
    let (lines, mut collected) = run(cx, memory, request);
    collected.findings.excuse_guesses(|at| is_guess(cx.program, SourceIndex(at.0)));
    if let Some(before) = before {
        let suspects = collected.findings.take_suspects();
        if !suspects.is_empty() && collected.stop.is_none() {
            let races = speculation::settle(cx, before, request, suspects);
            races.into_iter().for_each(|race| collected.findings.add(race));
        }
    }
    finish(cx, lines, collected)
}

/// What a replay of a launch finds.
pub fn replay(cx: &Context<'_>, memory: &mut GlobalMemory, request: Request<'_>) -> Findings {
    run(cx, memory, request).1.findings
}

fn run(cx: &Context<'_>, memory: &mut GlobalMemory, request: Request<'_>) -> (Vec<Counters>, Collected) {
    memory.begin_launch();
    let mut lines = vec![Counters::default(); cx.program.sources.len() + 1];
    let mut collected = Collected::default();
    if request.communicates {
        let waits = together::run(cx, memory, request, &mut lines, &mut collected);
        order::of_launch(cx, request, &waits, &mut collected.findings);
    } else {
        let mut run = || waves::run(cx, memory, request, &mut lines, &mut collected);
        match request.pool {
            // From within, so that nobody is woken for each wave who only waits for the others.
            Some(pool) => pool.install(run),
            None => run(),
        }
    }
    memory.end_launch();
    (lines, collected)
}

fn finish(cx: &Context<'_>, lines: Vec<Counters>, mut collected: Collected) -> GridOutcome {
    let status = match collected.stop {
        None => LaunchStatus::Finished,
        Some(Stop::Faulted) => LaunchStatus::Faulted,
        Some(Stop::Unsupported) => LaunchStatus::Unsupported,
        Some(Stop::Deadlock | Stop::Endless | Stop::Budget) => LaunchStatus::Unfinished,
    };
    let busiest_block_load_sectors = collected.busiest_block_load_sectors;
    let mut counters = Counters { busiest_block_load_sectors, ..Counters::default() };
    let mut by_line: BTreeMap<Place, Counters> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.ptx_instructions != 0) {
        counters += *line;
        if let Some(place) = place(cx, Site(index as u32)) {
            *by_line.entry(Place { column: 0, ..place }).or_default() += *line;
        }
    }
    let worst_requests = worst_requests(cx, collected.worst);
    let ran_out = collected.stop == Some(Stop::Budget);
    let parted = collected.findings.parted().and_then(|at| place(cx, at));
    collected.findings.name_scopes(|at| spelled(cx.program, SourceIndex(at.0)));
    let findings = collected.findings.finish(cx.grid, cx.block, |at| place(cx, at));
    GridOutcome {
        status,
        findings,
        counters,
        lines: by_line.into_iter().map(|(place, counters)| LineCounters { place, counters }).collect(),
        worst_requests,
        printf: String::from_utf8_lossy(&collected.printf).into_owned(),
        ran_out,
        footprint: collected.footprint,
        parted,
    }
}

/// The worst request of each line, and who is served when in it.
fn worst_requests(cx: &Context<'_>, by_site: WorstRequests) -> Vec<WorstRequest> {
    let mut by_line: BTreeMap<Place, ConflictingRequest> = BTreeMap::new();
    for (site, request) in by_site.0 {
        let Some(place) = place(cx, site) else { continue };
        let known = by_line.entry(Place { column: 0, ..place }).or_insert_with(|| request.clone());
        if request.is_worse_than(known) {
            *known = request;
        }
    }
    let shown = |(place, request): (Place, ConflictingRequest)| {
        let ConflictingRequest { requested, offsets, mask, bytes, wavefronts, block, warp } = request;
        let turns = traffic::turns(requested, &offsets, mask, bytes);
        let served = |(bank, lanes)| ServedBank { bank, lanes };
        // Where a lane did not come to its turn, for its address was wrong, there is another finding to look at.
        (turns.len() == usize::from(wavefronts.taken)).then(|| WorstRequest {
            place,
            kind: match requested {
                traffic::Requested::Plain(traffic::Flow::Load) => RequestKind::Load,
                traffic::Requested::Plain(traffic::Flow::Store) => RequestKind::Store,
                traffic::Requested::Atomic(_) => RequestKind::Atomic,
            },
            block,
            warp: warp.into(),
            bytes: bytes.into(),
            offsets: (0..32).map(|lane| (mask >> lane & 1 == 1).then_some(offsets[lane])).collect(),
            wavefronts: turns
                .into_iter()
                .map(|turn| Wavefront { banks: turn.into_iter().map(served).collect() })
                .collect(),
            ideal_wavefronts: wavefronts.ideal.into(),
        })
    };
    by_line.into_iter().filter_map(shown).collect()
}
