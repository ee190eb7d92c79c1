//! The barrier of the cluster: arriving and waiting are two instructions.
//!
//! A phase is over when every thread of the cluster has arrived; threads that have left the kernel count as arrived (PTX ISA,
//! "barrier.cluster"). A thread arrives once and then waits once. Each block keeps its own side; `grid` asks whether all have
//! arrived, for one block can't know that of the others.

use crate::{
    exec::{
        barrier::{
            SiteId,
            wait::{call_sites, site_keys},
        },
        context::{report, threads},
        defects,
        machine::{After, Machine},
        warp::{Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    ir::SourceIndex,
    memory::Site,
};

/// One block's side of it.
#[derive(Clone, Debug, Default)]
pub struct ClusterSide {
    /// By warp, lanes that have arrived in the present phase.
    arrived: Vec<u32>,
    /// By warp, lanes that have arrived, in this phase or in the one before, and not waited since.
    owing: Vec<u32>,
    /// Some warp has arrived in the present phase.
    any: bool,
    /// It was said that threads use the barrier wrongly: who is absent from it then is a consequence.
    is_reported: bool,
}

impl ClusterSide {
    /// Starts a block of so many warps.
    pub fn begin(&mut self, warps: usize) {
        self.arrived.clear();
        self.arrived.resize(warps, 0);
        self.owing.clear();
        self.owing.resize(warps, 0);
        self.any = false;
        self.is_reported = false;
    }

    /// It was said that threads use the barrier wrongly.
    pub fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// It is said that threads use the barrier wrongly.
    pub fn report(&mut self) {
        self.is_reported = true;
    }

    /// Somebody has arrived in the present phase.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Lanes of a warp that have arrived in it.
    pub fn arrived(&self, warp: u32) -> u32 {
        self.arrived[warp as usize]
    }

    /// The phase is over.
    pub fn end_phase(&mut self) {
        self.arrived.fill(0);
        self.any = false;
    }

    /// Lanes have waited.
    pub fn waited(&mut self, warp: u32, mask: u32) {
        self.owing[warp as usize] &= !mask;
    }
}

/// Lanes arrive.
pub fn arrive(m: &mut Machine<'_, '_>, warp: &Warp, mask: u32, site: Site, relaxed: bool) {
    let side = &mut m.unit.cluster;
    let at = warp.index as usize;
    let again = mask & side.owing[at];
    let first = mask & !again;
    side.arrived[at] |= first;
    side.owing[at] |= first;
    side.any |= first != 0;
    if first != 0 {
        m.unit.memory.arrive_at_cluster(m.global, warp.index as u16, first, relaxed);
    }
    if again != 0 {
        misuse(
            m,
            warp,
            again,
            site,
            "Threads arrive at the barrier of the cluster that have arrived before and not waited since: what then happens is undefined. \
             Let each arrival (`cluster.barrier_arrive()`) be followed by a wait (`cluster.barrier_wait()`) of the same thread.",
        );
    }
}

/// Lanes wait for the end of the phase that they have arrived in.
pub fn wait(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, mask: u32, site: Site) -> After {
    let at = warp.index as usize;
    let strangers = mask & !m.unit.cluster.owing[at];
    if strangers != 0 {
        misuse(
            m,
            warp,
            strangers,
            site,
            "Threads wait at the barrier of the cluster without having arrived there: what then happens is undefined. Let the same \
             thread arrive first (`cluster.barrier_arrive()`), or use `cluster.sync()`, which does both.",
        );
    }
    let mut key = SiteId::default();
    for (nth, place) in site_keys(m.cx, warp, split).into_iter().enumerate() {
        m.unit.barriers.is_of_cluster(place);
        let (id, skipped) = m.unit.barriers.wait(place, SourceIndex(site.0), warp.index, mask);
        if nth == 0 {
            key = id;
        }
        if let Some(skipped) = skipped {
            defects::skipped_barrier(m.unit, skipped);
        }
    }
    warp.met_others |= mask;
    let pending = mask & m.unit.cluster.arrived[at];
    let over = mask & !pending;
    if over != 0 {
        pass(m, warp, &Split { mask: over, ..*split }, key);
    }
    let rest = split.mask & !pending;
    if pending != 0 {
        warp.waiting.push(Split { mask: pending, wait: Wait::Cluster { key }, ..*split });
    }
    if rest == 0 {
        return After::Parked;
    }
    split.mask = rest;
    split.pc += 1;
    After::GoOn
}

/// The phase is over that the lanes of a split, which stands at the wait, have arrived in.
pub fn pass(m: &mut Machine<'_, '_>, warp: &Warp, split: &Split, key: SiteId) {
    m.unit.barriers.pass(key, warp.index, split.mask);
    for site in call_sites(m.cx, warp, split) {
        m.unit.barriers.pass_at(site, warp.index, split.mask);
    }
    m.unit.cluster.waited(warp.index, split.mask);
    m.unit.memory.leave_cluster_barrier(m.global, warp.index as u16, split.mask);
}

fn misuse(m: &mut Machine<'_, '_>, warp: &Warp, lanes: u32, site: Site, message: &'static str) {
    m.unit.cluster.is_reported = true;
    report(
        &mut m.unit.memory.findings,
        FindingKind::BarrierDivergence,
        Severity::Error,
        site,
        Site(0),
        threads(m.unit.block, warp.index, lanes),
        u64::from(lanes.count_ones()),
        message,
    );
}
