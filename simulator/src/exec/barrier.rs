//! Block-wide barriers: who waits where, when a barrier completes, and which threads left it out.
//!
//! The hardware only counts arrivals. CUDA asks for more: every thread of the block reaches *the same*
//! barrier. So each barrier of the program (a *site*, told apart by the call path that leads to it) counts,
//! thread by thread, how often it was passed, and which threads have run on past it, where they can't meet it
//! any more (`Op::PastBarrier`). A thread that waits for its k-th passage while another is past with fewer
//! than k passages shows a divergence. So does a thread that has left the kernel, if it had been in the loop
//! that holds the barrier (`Op::BarrierLoop`): by `continue`, `break` or fewer rounds it ran past the
//! barrier. A thread that returned before the loop has left, no more. And threads that wait at one barrier
//! together must have chosen equally often whether to go there (`Op::BarrierChoice`): if not, some left it
//! out in a round of a loop in which others did not, though in the end each may pass it as often as all.
//!
//! May miss: sites in functions that one thread calls repeatedly by the same path are followed only until the
//! first thread calls again, because the calls of different threads can't be paired. Must not accuse wrongly.

pub mod cluster;
pub mod wait;

use crate::{
    ir::{FunctionIndex, LANES, SourceIndex},
    memory::lanes,
};

/// A barrier instruction reached by one chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteKey {
    /// The function that holds it.
    pub function: FunctionIndex,
    /// Its number there.
    pub site: u16,
    /// The chain of calls.
    pub path: u64,
}

/// Index of a site in its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteId(u32);

/// A lane of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId {
    /// The warp.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

/// A barrier that one thread waits at and another left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The barrier's line.
    pub barrier: SourceIndex,
    /// Where the other ran on.
    pub past: SourceIndex,
    /// A thread that waits.
    pub waits: LaneId,
    /// A thread that left it out.
    pub skipped: LaneId,
    /// It is one of the cluster.
    pub of_cluster: bool,
}

#[derive(Clone, Debug)]
struct WarpState {
    passes: [u32; LANES],
    waiting: u32,
    past: u32,
    /// Lanes that have been in the loop that holds the barrier, where the kernel ends behind it.
    inside: u32,
    /// How often each chose whether to go there.
    choices: [u32; LANES],
}

#[derive(Clone, Debug)]
struct SiteState {
    key: SiteKey,
    source: SourceIndex,
    past_source: SourceIndex,
    warps: Vec<WarpState>,
    any_past: bool,
    /// Where threads last chose whether to go there, if they ever did.
    choice: Option<SourceIndex>,
    /// Some thread came back by the same path, so counts of different threads can't be compared any more.
    repeated: bool,
    reported: bool,
    reported_exit: bool,
    of_cluster: bool,
}

/// The barrier bookkeeping of one block.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    sites: Vec<SiteState>,
    warps: usize,
    /// Some barrier is behind a choice.
    any_choice: bool,
    /// Who has arrived at barriers that count, in order.
    arrivals: Vec<Arrival>,
}

/// Lanes that have arrived at a barrier that counts (`bar.sync` and `bar.arrive` with a number of threads).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Which of the 16.
    pub id: u8,
    /// Threads that it counts to.
    pub count: u32,
    /// The warp.
    pub warp: u32,
    /// The lanes.
    pub mask: u32,
    /// They wait for the others.
    pub waits: bool,
}

impl Barriers {
    /// Starts a block of `warps` warps.
    pub fn begin(&mut self, warps: usize) {
        self.sites.clear();
        self.warps = warps;
        self.any_choice = false;
        self.arrivals.clear();
    }

    /// Lanes arrive at a barrier that counts.
    pub fn arrive(&mut self, arrival: Arrival) {
        self.arrivals.push(arrival);
    }

    /// The same, unless these lanes wait there already.
    pub fn arrive_once(&mut self, arrival: Arrival) {
        if !self.arrivals.contains(&arrival) {
            self.arrivals.push(arrival);
        }
    }

    /// The barriers at which somebody has arrived, as bits.
    pub fn counting(&self) -> u16 {
        self.arrivals.iter().fold(0, |ids, arrival| ids | 1 << arrival.id)
    }

    /// The arrivals that complete a round of a barrier, which are taken from it: the first that are enough.
    /// `gone` says which lanes of a warp have left the kernel or never were, which are not waited for.
    pub fn take_round(&mut self, id: u8, gone: impl Fn(u32) -> u32) -> Option<Vec<Arrival>> {
        let of_id = || self.arrivals.iter().filter(|arrival| arrival.id == id);
        let wanted = of_id().map(|arrival| arrival.count).max()?;
        let mut round: Vec<Arrival> = Vec::new();
        let mut threads = 0;
        for &arrival in of_id() {
            if threads >= wanted {
                break;
            }
            threads += arrival.mask.count_ones();
            if round.iter().all(|earlier| earlier.warp != arrival.warp) {
                // Some may have arrived here before they left.
                let of_warp = of_id().filter(|other| other.warp == arrival.warp);
                threads += of_warp.fold(gone(arrival.warp), |gone, other| gone & !other.mask).count_ones();
            }
            round.push(arrival);
        }
        if threads < wanted {
            return None;
        }
        let mut left = round.len();
        self.arrivals.retain(|arrival| {
            let taken = arrival.id == id && left > 0;
            left -= usize::from(taken);
            !taken
        });
        Some(round)
    }

    fn site(&mut self, key: SiteKey) -> SiteId {
        if let Some(at) = self.sites.iter().position(|site| site.key == key) {
            return SiteId(at as u32);
        }
        let warp = WarpState { passes: [0; LANES], waiting: 0, past: 0, inside: 0, choices: [0; LANES] };
        self.sites.push(SiteState {
            key,
            source: SourceIndex::NONE,
            past_source: SourceIndex::NONE,
            warps: vec![warp; self.warps],
            any_past: false,
            choice: None,
            repeated: false,
            reported: false,
            reported_exit: false,
            of_cluster: false,
        });
        SiteId(self.sites.len() as u32 - 1)
    }

    /// Lanes begin to wait at a block-wide barrier.
    pub fn wait(
        &mut self,
        key: SiteKey,
        source: SourceIndex,
        warp: u32,
        mask: u32,
    ) -> (SiteId, Option<Skipped>) {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        site.source = source;
        let state = &mut site.warps[warp as usize];
        site.repeated |= state.past & mask != 0;
        state.waiting |= mask;
        let skipped = if site.any_past { site.skipped() } else { None };
        if skipped.is_some() {
            self.mute();
        }
        (id, skipped)
    }

    /// A barrier is one of the cluster.
    pub fn is_of_cluster(&mut self, key: SiteKey) {
        let id = self.site(key);
        self.sites[id.0 as usize].of_cluster = true;
    }

    /// Lanes have run on to where they can't meet the barrier any more.
    pub fn past(&mut self, key: SiteKey, source: SourceIndex, warp: u32, mask: u32) -> Option<Skipped> {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        let state = &mut site.warps[warp as usize];
        site.repeated |= key.path != 0 && state.past & mask != 0;
        if state.past & mask != mask {
            state.past |= mask;
            site.any_past = true;
            site.past_source = source;
            if site.warps.iter().any(|warp| warp.waiting != 0) {
                let skipped = site.skipped();
                if skipped.is_some() {
                    self.mute();
                }
                return skipped;
            }
        }
        None
    }

    /// Lanes are at the head of the loop that holds the barrier.
    pub fn goes_round(&mut self, key: SiteKey, source: SourceIndex, warp: u32, mask: u32) {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        site.past_source = source;
        site.warps[warp as usize].inside |= mask;
    }

    /// Lanes choose whether they go to the barrier now.
    pub fn chooses(&mut self, key: SiteKey, source: SourceIndex, warp: u32, mask: u32) {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        site.choice = Some(source);
        self.any_choice = true;
        for lane in lanes(mask) {
            site.warps[warp as usize].choices[lane] += 1;
        }
    }

    /// True when some thread chose whether it goes to a barrier.
    pub fn any_choice(&self) -> bool {
        self.any_choice
    }

    /// A pair of threads that shows, the first time, that of those who wait at the barrier together one has
    /// left it out in a round in which the other was there.
    pub fn other_round(&mut self, key: SiteKey) -> Option<Skipped> {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        let past = site.choice.filter(|_| !site.reported)?;
        let mut ends: Option<[(u32, LaneId); 2]> = None;
        for (warp, state) in (0..).zip(&site.warps) {
            for lane in lanes(state.waiting) {
                let this = (state.choices[lane], LaneId { warp, lane: lane as u32 });
                let [least, most] = ends.get_or_insert([this; 2]);
                if this.0 < least.0 {
                    *least = this;
                }
                if this.0 > most.0 {
                    *most = this;
                }
            }
        }
        let [least, most] = ends.filter(|[least, most]| least.0 != most.0)?;
        let (barrier, of_cluster) = (site.source, site.of_cluster);
        self.mute();
        Some(Skipped { barrier, past, waits: least.1, skipped: most.1, of_cluster })
    }

    /// A pair of threads that shows, the first time, that one has left the kernel (`exited`, by warp) after
    /// it had been in the loop of the barrier that the other waits at.
    pub fn left_loop(&mut self, key: SiteKey, exited: impl Iterator<Item = u32>) -> Option<Skipped> {
        let id = self.site(key);
        let site = &mut self.sites[id.0 as usize];
        if site.reported {
            return None;
        }
        let first = |(warp, lanes): (usize, u32)| {
            (lanes != 0).then(|| LaneId { warp: warp as u32, lane: lanes.trailing_zeros() })
        };
        let gone = (site.warps.iter().zip(exited)).map(|(warp, exited)| warp.inside & exited & !warp.waiting);
        let skipped = gone.enumerate().find_map(first)?;
        let waits = site.warps.iter().map(|warp| warp.waiting).enumerate().find_map(first)?;
        let (barrier, past, of_cluster) = (site.source, site.past_source, site.of_cluster);
        self.mute();
        Some(Skipped { barrier, past, waits, skipped, of_cluster })
    }

    /// A barrier was found left out: nothing more is said about the sites that are waited at, which are the
    /// same barrier seen from its callers.
    fn mute(&mut self) {
        for site in &mut self.sites {
            site.reported |= site.warps.iter().any(|warp| warp.waiting != 0);
        }
    }

    /// The barrier that lanes waited at has completed.
    pub fn pass(&mut self, id: SiteId, warp: u32, mask: u32) {
        let state = &mut self.sites[id.0 as usize].warps[warp as usize];
        state.waiting &= !mask;
        for lane in lanes(mask) {
            state.passes[lane] += 1;
        }
    }

    /// The same for a barrier that is known by its key.
    pub fn pass_at(&mut self, key: SiteKey, warp: u32, mask: u32) {
        let id = self.site(key);
        self.pass(id, warp, mask);
    }

    /// True when it was reported that threads left out this site.
    pub fn is_reported(&mut self, key: SiteKey) -> bool {
        let id = self.site(key);
        self.sites[id.0 as usize].reported
    }

    /// True the first time that threads which have left the kernel are seen to be missing at this site.
    pub fn first_exit(&mut self, id: SiteId) -> bool {
        !std::mem::replace(&mut self.sites[id.0 as usize].reported_exit, true)
    }
}

impl SiteState {
    /// A pair of threads that shows that this barrier was left out, the first time.
    fn skipped(&mut self) -> Option<Skipped> {
        if self.repeated || self.reported {
            return None;
        }
        let most = |state: &WarpState| {
            lanes(state.waiting).map(|lane| (state.passes[lane], lane)).max_by_key(|p| p.0)
        };
        let (warp, (passes, lane)) = (self.warps.iter().enumerate())
            .filter_map(|(warp, state)| most(state).map(|most| (warp, most)))
            .max_by_key(|(warp, (passes, _))| (*passes, std::cmp::Reverse(*warp)))?;
        let skipped = (self.warps.iter().enumerate()).find_map(|(warp, state)| {
            let lane = lanes(state.past).find(|&lane| state.passes[lane] <= passes)?;
            Some(LaneId { warp: warp as u32, lane: lane as u32 })
        })?;
        self.reported = true;
        Some(Skipped {
            barrier: self.source,
            past: self.past_source,
            waits: LaneId { warp: warp as u32, lane: lane as u32 },
            skipped,
            of_cluster: self.of_cluster,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: SiteKey = SiteKey { function: FunctionIndex(0), site: 0, path: 0 };
    const HERE: SourceIndex = SourceIndex(1);
    const BEYOND: SourceIndex = SourceIndex(2);

    fn barriers() -> Barriers {
        let mut barriers = Barriers::default();
        barriers.begin(2);
        barriers
    }

    #[test]
    fn all_threads_that_pass_are_fine() {
        let mut b = barriers();
        for _ in 0..3 {
            let (id, none) = b.wait(KEY, HERE, 0, u32::MAX);
            assert_eq!(none, None);
            assert_eq!(b.wait(KEY, HERE, 1, u32::MAX).1, None);
            b.pass(id, 0, u32::MAX);
            b.pass(id, 1, u32::MAX);
        }
        assert_eq!(b.past(KEY, BEYOND, 0, u32::MAX), None);
        assert_eq!(b.past(KEY, BEYOND, 1, u32::MAX), None);
    }

    #[test]
    fn running_past_is_seen_in_either_order() {
        let mut b = barriers();
        assert_eq!(b.past(KEY, BEYOND, 1, u32::MAX), None);
        let skipped = b.wait(KEY, HERE, 0, 0xff).1.unwrap();
        assert_eq!((skipped.barrier, skipped.past), (HERE, BEYOND));
        assert_eq!(skipped.skipped, LaneId { warp: 1, lane: 0 });
        assert_eq!(b.wait(KEY, HERE, 0, 0xff00).1, None, "said once");

        let mut b = barriers();
        assert_eq!(b.wait(KEY, HERE, 0, 0xff).1, None);
        assert!(b.past(KEY, BEYOND, 0, 0xff00).is_some());
    }

    #[test]
    fn one_trip_fewer_is_seen() {
        let mut b = barriers();
        let (id, _) = b.wait(KEY, HERE, 0, u32::MAX);
        b.wait(KEY, HERE, 1, u32::MAX);
        b.pass(id, 0, u32::MAX);
        b.pass(id, 1, u32::MAX);
        assert_eq!(b.past(KEY, BEYOND, 0, u32::MAX), None);
        assert!(b.wait(KEY, HERE, 1, u32::MAX).1.is_some());
    }

    #[test]
    fn who_leaves_from_the_loop_has_run_past_and_who_left_before_has_not() {
        let mut b = barriers();
        b.goes_round(KEY, BEYOND, 0, u32::MAX);
        b.goes_round(KEY, BEYOND, 1, 0xff);
        b.wait(KEY, HERE, 0, u32::MAX);
        assert_eq!(b.left_loop(KEY, [0, 0xff00].into_iter()), None, "never was in the loop");
        let skipped = b.left_loop(KEY, [0, 0xfff0].into_iter()).unwrap();
        assert_eq!((skipped.barrier, skipped.past), (HERE, BEYOND));
        assert_eq!(skipped.skipped, LaneId { warp: 1, lane: 4 });
        assert!(b.is_reported(KEY));
        assert_eq!(b.left_loop(KEY, [0, 0xfff0].into_iter()), None, "said once");
    }

    #[test]
    fn a_round_takes_whom_it_counts_and_leaves_the_others() {
        let mut b = barriers();
        let arrival = |warp, waits| Arrival { id: 1, count: 64, warp, mask: u32::MAX, waits };
        b.arrive(arrival(0, true));
        assert_eq!(b.take_round(1, |_| 0), None);
        assert_eq!(b.take_round(2, |_| 0), None);
        for warp in 1..4 {
            b.arrive(arrival(warp, true));
        }
        assert_eq!(b.take_round(1, |_| 0), Some(vec![arrival(0, true), arrival(1, true)]));
        assert_eq!(b.take_round(1, |_| 0), Some(vec![arrival(2, true), arrival(3, true)]));
        assert_eq!(b.take_round(1, |_| 0), None);
        // Who has arrived without waiting may arrive again, and is counted again.
        b.arrive(arrival(0, false));
        b.arrive(arrival(0, false));
        assert_eq!(b.take_round(1, |_| 0).map(|round| round.len()), Some(2));
        // Lanes that are gone are not waited for.
        b.arrive(Arrival { mask: 0xff, ..arrival(0, true) });
        b.arrive(arrival(1, true));
        assert!(b.take_round(1, |warp| if warp == 0 { !0xff } else { 0 }).is_some());
        b.arrive(arrival(0, false));
        assert_eq!(b.take_round(1, |_| u32::MAX), None, "counted once, though it is gone");
        b.arrive(arrival(1, true));
        assert!(b.take_round(1, |_| u32::MAX).is_some());
        assert_eq!(b.counting(), 0);
    }

    #[test]
    fn who_meets_in_different_rounds_is_seen_and_who_meets_in_one_is_not() {
        let mut b = barriers();
        for round in 0..3 {
            b.chooses(KEY, BEYOND, 0, u32::MAX);
            b.chooses(KEY, BEYOND, 1, u32::MAX);
            if round == 1 {
                continue;
            }
            let (id, _) = b.wait(KEY, HERE, 0, u32::MAX);
            b.wait(KEY, HERE, 1, u32::MAX);
            assert_eq!(b.other_round(KEY), None, "all left it out in the same round");
            b.pass(id, 0, u32::MAX);
            b.pass(id, 1, u32::MAX);
        }
        b.chooses(KEY, BEYOND, 0, u32::MAX);
        b.wait(KEY, HERE, 0, u32::MAX);
        b.chooses(KEY, BEYOND, 1, 0xff);
        b.chooses(KEY, BEYOND, 1, u32::MAX);
        b.wait(KEY, HERE, 1, u32::MAX);
        let skipped = b.other_round(KEY).unwrap();
        assert_eq!((skipped.barrier, skipped.past), (HERE, BEYOND));
        assert_eq!(skipped.skipped, LaneId { warp: 1, lane: 0 });
        assert_eq!(b.other_round(KEY), None, "said once");
    }

    #[test]
    fn repeated_calls_accuse_nobody() {
        let key = SiteKey { path: 5, ..KEY };
        let mut b = barriers();
        assert_eq!(b.past(key, BEYOND, 0, u32::MAX), None);
        assert_eq!(b.past(key, BEYOND, 1, u32::MAX), None);
        assert_eq!(b.wait(key, HERE, 0, u32::MAX).1, None);
    }
}
