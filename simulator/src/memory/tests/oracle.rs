//! The fast shadow against slow vector clocks and complete histories.
//!
//! The oracle gives every thread a full vector clock and keeps every access. On random programs the shadow
//! must accuse nobody whom the oracle doesn't (with the same severity), must find every race with the last
//! plain write of a word, and, where threads meet only in full barriers and full warp synchronisation, must
//! find each word's first race. And it must find the same whether or not reads are put off.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::*;
use crate::findings::{Action, Message, Reason};

const THREADS: usize = 64;
const BLOCKS: usize = 2;
const LANES: u32 = 0xf;

type Vector = Vec<u32>;

fn join(into: &mut Vector, from: &[u32]) {
    for (mine, theirs) in into.iter_mut().zip(from) {
        *mine = (*mine).max(*theirs);
    }
}

#[derive(Clone)]
struct Thread {
    known: Vector,
    unacquired_near: Vector,
    unacquired: Vector,
    fenced_near: Vector,
    fenced: Vector,
    /// By fences that count for this thread's own writes only: near, and everywhere.
    own_fenced: [Vector; 2],
    /// What this thread has itself read, the same.
    own_unacquired: [Vector; 2],
}

impl Thread {
    fn parts(&mut self) -> [&mut Vector; 5] {
        [
            &mut self.known,
            &mut self.unacquired_near,
            &mut self.unacquired,
            &mut self.fenced_near,
            &mut self.fenced,
        ]
    }
}

#[derive(Clone, Default)]
struct Location {
    device: Vector,
    near: HashMap<usize, Vector>,
}

#[derive(Clone, Copy)]
struct Event {
    thread: usize,
    sequence: u32,
    site: u32,
    writes: bool,
    plain: bool,
    near: bool,
}

struct Oracle {
    threads: Vec<Thread>,
    locations: HashMap<u64, Location>,
    history: HashMap<u64, Vec<Event>>,
    sequence: u32,
    /// (site, other site): all races.
    races: BTreeSet<(u32, u32)>,
    /// Those with the last plain write of the word.
    with_last_write: BTreeSet<(u32, u32)>,
    /// The sites of races with a read. Of many readers one site stands for several.
    with_reads: BTreeSet<u32>,
    /// The first site with a race, by word. Later ones may hide behind it.
    first: HashMap<u64, u32>,
}

impl Oracle {
    fn new() -> Self {
        let nothing = vec![0; BLOCKS * THREADS];
        let thread = Thread {
            known: nothing.clone(),
            unacquired_near: nothing.clone(),
            unacquired: nothing.clone(),
            fenced_near: nothing.clone(),
            fenced: nothing.clone(),
            own_fenced: [nothing.clone(), nothing.clone()],
            own_unacquired: [nothing.clone(), nothing],
        };
        Self {
            threads: vec![thread; BLOCKS * THREADS],
            locations: HashMap::new(),
            history: HashMap::new(),
            sequence: 0,
            races: BTreeSet::new(),
            with_last_write: BTreeSet::new(),
            with_reads: BTreeSet::new(),
            first: HashMap::new(),
        }
    }

    fn meet(&mut self, from: &[usize], to: &[usize]) {
        let now = self.sequence;
        let mut sum = Self::new().threads.swap_remove(0);
        for &thread in from {
            let mut theirs = self.threads[thread].clone();
            theirs.known[thread] = now;
            for (into, from) in sum.parts().into_iter().zip(theirs.parts()) {
                join(into, from);
            }
        }
        for &thread in to {
            for (into, from) in self.threads[thread].parts().into_iter().zip(sum.parts()) {
                join(into, from);
            }
        }
    }

    fn fence(&mut self, thread: usize, wide: bool, kind: FenceKind) {
        let nothing = vec![0; BLOCKS * THREADS];
        let now = self.sequence;
        let me = &mut self.threads[thread];
        let [own_near, own_far] = &mut me.own_unacquired;
        let [near, far] = match kind {
            FenceKind::AcquireRelease => [own_near, own_far],
            FenceKind::SequentiallyConsistent => [&mut me.unacquired_near, &mut me.unacquired],
        };
        join(&mut me.known, &std::mem::replace(near, nothing.clone()));
        if wide {
            join(&mut me.known, &std::mem::replace(far, nothing));
        }
        let mut snapshot = me.known.clone();
        snapshot[thread] = now;
        let [own_near, own] = &mut me.own_fenced;
        let [near, far] = match kind {
            FenceKind::AcquireRelease => [own_near, own],
            FenceKind::SequentiallyConsistent => [&mut me.fenced_near, &mut me.fenced],
        };
        join(near, &snapshot);
        if wide {
            join(far, &snapshot);
        }
    }

    fn access(&mut self, word: u64, event: Event) {
        let me = &self.threads[event.thread];
        let history = self.history.entry(word).or_default();
        let last_write = history.iter().rposition(|other| other.writes && other.plain);
        for (index, other) in history.iter().enumerate() {
            let strong = !event.plain && !other.plain;
            let other_block = other.thread / THREADS != event.thread / THREADS;
            if other.thread == event.thread
                || !(event.writes || other.writes)
                || (strong && !(other_block && (event.near || other.near)))
                || other.sequence <= me.known[other.thread]
            {
                continue;
            }
            let race = (event.site, other.site);
            self.races.insert(race);
            self.first.entry(word).or_insert(event.site);
            if !other.writes {
                self.with_reads.insert(race.0);
            }
            if Some(index) == last_write {
                self.with_last_write.insert(race);
            }
        }
        history.push(event);
    }

    fn strong(&mut self, address: u64, event: Event, reads: bool, order: Order, wide: bool) {
        let block = event.thread / THREADS;
        let nothing = vec![0; BLOCKS * THREADS];
        if reads && let Some(location) = self.locations.get(&address) {
            let me = &mut self.threads[event.thread];
            if let Some(near) = location.near.get(&block) {
                if order.is_acquire() {
                    join(&mut me.known, near);
                } else {
                    join(&mut me.unacquired_near, near);
                    join(&mut me.own_unacquired[0], near);
                }
            }
            if wide && order.is_acquire() {
                join(&mut me.known, &location.device);
            } else if wide {
                join(&mut me.unacquired, &location.device);
                join(&mut me.own_unacquired[1], &location.device);
            }
        }
        if !event.writes {
            return;
        }
        let me = &self.threads[event.thread];
        let [mut near, mut device] = [me.fenced_near.clone(), nothing.clone()];
        join(&mut near, &me.own_fenced[0]);
        if wide {
            join(&mut device, &me.fenced);
            join(&mut device, &me.own_fenced[1]);
        }
        if order.is_release() {
            let mut snapshot = me.known.clone();
            snapshot[event.thread] = event.sequence;
            join(&mut near, &snapshot);
            if wide {
                join(&mut device, &snapshot);
            }
        }
        if !reads {
            self.locations.remove(&address);
        }
        let location = self.locations.entry(address).or_default();
        location.device.resize(BLOCKS * THREADS, 0);
        join(&mut location.device, &device);
        join(location.near.entry(block).or_insert(nothing), &near);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Plain {
        block: usize,
        warp: u16,
        mask: u32,
        word: u64,
        stride: u64,
        global: bool,
        writes: bool,
    },
    Strong {
        block: usize,
        warp: u16,
        mask: u32,
        word: u64,
        global: bool,
        kind: u8,
        order: Order,
        scope: Scope,
    },
    Fence {
        block: usize,
        warp: u16,
        mask: u32,
        scope: Scope,
        kind: FenceKind,
    },
    Barrier {
        block: usize,
    },
    Among {
        block: usize,
        arriving: [u32; 2],
        waiting: [u32; 2],
    },
    Arrive {
        block: usize,
        warp: u16,
        mask: u32,
    },
    SyncWarp {
        block: usize,
        warp: u16,
        mask: u32,
    },
}

fn mask() -> impl Strategy<Value = u32> {
    prop_oneof![3 => (0u32..4).prop_map(|lane| 1 << lane), 1 => 1u32..=LANES]
}

fn plain() -> impl Strategy<Value = Step> {
    (0usize..BLOCKS, 0u16..2, mask(), 0u64..3, 0u64..3, any::<bool>(), any::<bool>()).prop_map(
        |(block, warp, mask, word, stride, global, writes)| Step::Plain {
            block,
            warp,
            mask,
            word,
            stride,
            global,
            writes,
        },
    )
}

/// Reads of shared memory, which may be put off.
fn reads() -> impl Strategy<Value = Step> {
    let mask = prop_oneof![2 => mask(), 1 => Just(ALL)];
    (0usize..BLOCKS, 0u16..2, mask, 0u64..3, 0u64..3).prop_map(|(block, warp, mask, word, stride)| {
        Step::Plain { block, warp, mask, word, stride, global: false, writes: false }
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![1 => Just(Scope::Block), 3 => Just(Scope::Gpu)]
}

fn fence_kind() -> impl Strategy<Value = FenceKind> {
    prop_oneof![Just(FenceKind::AcquireRelease), Just(FenceKind::SequentiallyConsistent)]
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        3 => Just(Order::Relaxed),
        1 => Just(Order::Acquire),
        1 => Just(Order::Release),
        1 => Just(Order::AcquireRelease)
    ]
}

fn full() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0usize..BLOCKS).prop_map(|block| Step::Barrier { block }),
        (0usize..BLOCKS, 0u16..2).prop_map(|(block, warp)| Step::SyncWarp { block, warp, mask: ALL }),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let strong = (0usize..BLOCKS, 0u16..2, mask(), 0u64..4, any::<bool>(), 0u8..3, order(), scope())
        .prop_map(|(block, warp, mask, word, global, kind, order, scope)| {
            // Words 3 and 4 are flags; now and then data is touched strongly.
            let word = if word == 0 { 0 } else { 2 + word };
            Step::Strong { block, warp, mask, word, global, kind, order, scope }
        });
    prop_oneof![
        5 => plain(),
        4 => strong,
        3 => (0usize..BLOCKS, 0u16..2, mask(), scope(), fence_kind())
            .prop_map(|(block, warp, mask, scope, kind)| Step::Fence { block, warp, mask, scope, kind }),
        1 => full(),
        1 => (0usize..BLOCKS, prop::array::uniform2(prop_oneof![Just(0), Just(ALL), 1u32..=LANES]), any::<[bool; 2]>())
            .prop_map(|(block, arriving, waits)| Step::Among {
                block,
                arriving,
                waiting: [if waits[0] { arriving[0] } else { 0 }, if waits[1] { arriving[1] } else { 0 }],
            }),
        1 => (0usize..BLOCKS, 0u16..2, prop_oneof![Just(ALL), 1u32..=LANES])
            .prop_map(|(block, warp, mask)| Step::Arrive { block, warp, mask }),
        2 => (0usize..BLOCKS, 0u16..2, 1u32..=LANES).prop_map(|(block, warp, mask)| Step::SyncWarp { block, warp, mask }),
    ]
}

/// A message from one block to another, of which random programs hardly ever have all parts. Each part is one of two threads', and the
/// block may meet between two of them.
fn message() -> impl Strategy<Value = Vec<Step>> {
    let one = || (0u32..2).prop_map(|lane| 1 << lane);
    let masks = (one(), one(), one(), one(), one(), one());
    let fences = prop::array::uniform2((scope(), fence_kind()));
    (masks, fences, prop::array::uniform2(order()), any::<[bool; 4]>()).prop_map(
        |(masks, fences, orders, meets)| {
            let (written, fenced, sent, seen, acquired, read) = masks;
            let warp = 0;
            let plain = |block, mask, writes| Step::Plain {
                block,
                warp,
                mask,
                word: 0,
                stride: 0,
                global: true,
                writes,
            };
            let fence = |block: usize, mask| {
                let (scope, kind) = fences[block];
                Step::Fence { block, warp, mask, scope, kind }
            };
            let flag = |block: usize, mask| {
                let (kind, order) = ([1, 0][block], orders[block]);
                Step::Strong { block, warp, mask, word: 3, global: true, kind, order, scope: Scope::Gpu }
            };
            let meet = |which: usize| meets[which].then_some(Step::Barrier { block: which / 2 });
            let parts = [
                Some(plain(0, written, true)),
                meet(0),
                Some(fence(0, fenced)),
                meet(1),
                Some(flag(0, sent)),
                Some(flag(1, seen)),
                meet(2),
                Some(fence(1, acquired)),
                meet(3),
                Some(plain(1, read, false)),
            ];
            parts.into_iter().flatten().collect()
        },
    )
}

/// Plays the steps on both; gives the races that the shadow found, and the oracle.
fn play(steps: &[Step]) -> (BTreeSet<(u32, u32, Action)>, Oracle) {
    let (world, oracle) = play_in(World::new(BLOCKS, THREADS as u32), steps);
    let found = world
        .findings()
        .into_iter()
        .filter_map(|finding| match finding.message {
            Message::Memory(Reason::Race(_, other, ..)) => {
                assert_eq!(finding.severity, Severity::Error);
                Some((finding.site?.0, finding.other?.0, other))
            }
            _ => None,
        })
        .collect();
    (found, oracle)
}

/// The same in a world of choice, which is given back.
fn play_in((mut world, buffer, tile): (World, u64, u64), steps: &[Step]) -> (World, Oracle) {
    let mut oracle = Oracle::new();
    // What lanes brought when they arrived without waiting, as threads of their own.
    let mut arrived: Vec<(usize, u16, u32, Thread)> = Vec::new();
    let threads = |block: usize, warp: u16, mask: u32| -> Vec<usize> {
        super::super::lanes(mask).map(|lane| block * THREADS + usize::from(warp) * 32 + lane).collect()
    };
    let key =
        |block: usize, global: bool, word: u64| if global { word } else { 1000 * (1 + block as u64) + word };
    for step in steps {
        match *step {
            Step::Plain { block, warp, mask, word, stride, global, writes } => {
                let who = Who { block, warp, mask };
                let at = |lane: u64| (word + stride * lane) % 3;
                let (space, start) = if global { (InGlobal, buffer) } else { (InShared, tile) };
                let address = |lane: u64| start + 4 * at(lane);
                let site =
                    if writes { world.store(who, space, address) } else { world.load(who, space, address) };
                oracle.sequence += 1;
                for thread in threads(block, warp, mask) {
                    let sequence = oracle.sequence;
                    let event = Event { thread, sequence, site, writes, plain: true, near: false };
                    oracle.access(key(block, global, at((thread % 32) as u64)), event);
                }
            }
            Step::Strong { block, warp, mask, word, global, kind, order, scope } => {
                let who = Who { block, warp, mask };
                let (space, start) = if global { (InGlobal, buffer) } else { (InShared, tile) };
                let address = start + 4 * word;
                let order = match (kind, order) {
                    (0, Order::Release | Order::AcquireRelease)
                    | (1, Order::Acquire | Order::AcquireRelease) => Order::Relaxed,
                    (_, order) => order,
                };
                let (reads, writes) = [(true, false), (false, true), (true, true)][usize::from(kind)];
                match kind {
                    0 => world.strong_load(who, space, address, order, scope),
                    1 => world.strong_store(who, space, address, order, scope),
                    _ => {
                        world.atomic(who, space, address, order, scope);
                        world.site
                    }
                };
                oracle.sequence += 1;
                for thread in threads(block, warp, mask) {
                    let near = scope == Scope::Block;
                    let (site, sequence) = (world.site, oracle.sequence);
                    let event = Event { thread, sequence, site, writes, plain: false, near };
                    oracle.access(key(block, global, word), event);
                    oracle.strong(key(block, global, word), event, reads, order, !near);
                }
            }
            Step::Fence { block, warp, mask, scope, kind } => {
                world.fence_of(Who { block, warp, mask }, scope, kind);
                for thread in threads(block, warp, mask) {
                    oracle.fence(thread, scope != Scope::Block, kind);
                }
            }
            Step::Barrier { block } => {
                world.barrier(block);
                let all: Vec<usize> = (block * THREADS..(block + 1) * THREADS).collect();
                oracle.meet(&all, &all);
            }
            Step::Arrive { block, warp, mask } => {
                world.blocks[block].arrive(&mut Global::Direct(&mut world.global), 1, warp, mask);
                let mut sum = Oracle::new().threads.swap_remove(0);
                for thread in threads(block, warp, mask) {
                    let mut theirs = oracle.threads[thread].clone();
                    theirs.known[thread] = oracle.sequence;
                    for (into, from) in sum.parts().into_iter().zip(theirs.parts()) {
                        join(into, from);
                    }
                }
                arrived.push((block, warp, mask, sum));
            }
            Step::Among { block, arriving, waiting } => {
                let mut participants = Vec::new();
                let (mut from, mut to) = (Vec::new(), Vec::new());
                let mut brought = Vec::new();
                let mut early = [0; 2];
                arrived.retain(|(of, warp, mask, thread)| {
                    if *of == block {
                        early[usize::from(*warp)] |= mask;
                        brought.push(thread.clone());
                    }
                    *of != block
                });
                for warp in 0..2u16 {
                    let index = usize::from(warp);
                    // Who has arrived can't also wait.
                    let waiting = waiting[index] & !early[index];
                    let arrives = arriving[index] | early[index];
                    participants.push((warp, arrives, waiting));
                    from.extend(threads(block, warp, arriving[index] & !early[index]));
                    to.extend(threads(block, warp, waiting));
                }
                world.blocks[block].barrier_among(
                    &mut Global::Direct(&mut world.global),
                    1,
                    &participants,
                    usize::MAX,
                );
                // A stand-in thread carries what was brought earlier.
                let mut sum = Oracle::new().threads.swap_remove(0);
                for thread in &mut brought {
                    for (into, from) in sum.parts().into_iter().zip(thread.parts()) {
                        join(into, from);
                    }
                }
                oracle.meet(&from, &to);
                for &thread in &to {
                    for (into, from) in oracle.threads[thread].parts().into_iter().zip(sum.parts()) {
                        join(into, from);
                    }
                }
            }
            Step::SyncWarp { block, warp, mask } => {
                world.sync_warp(block, warp, mask);
                let lanes = threads(block, warp, mask);
                oracle.meet(&lanes, &lanes);
            }
        }
    }
    (world, oracle)
}

fn wrongly_accused(found: &BTreeSet<(u32, u32, Action)>, oracle: &Oracle) -> Vec<(u32, u32, Action)> {
    let right = |&(site, other, action): &(u32, u32, Action)| match action {
        Action::Read | Action::StrongRead => oracle.with_reads.contains(&site),
        _ => oracle.races.contains(&(site, other)),
    };
    found.iter().copied().filter(|race| !right(race)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn accuses_nobody_wrongly_and_knows_the_last_write(steps in prop::collection::vec(any_step(), 1..60)) {
        let (found, oracle) = play(&steps);
        let wrong = wrongly_accused(&found, &oracle);
        prop_assert!(wrong.is_empty(), "wrongly accused: {wrong:?}");
        let found: BTreeSet<_> = found.into_iter().map(|(site, other, _)| (site, other)).collect();
        let missed: Vec<_> = oracle.with_last_write.difference(&found).collect();
        prop_assert!(missed.is_empty(), "missed: {missed:?}");
    }

    #[test]
    fn knows_which_messages_order(steps in message()) {
        let (found, oracle) = play(&steps);
        let wrong = wrongly_accused(&found, &oracle);
        prop_assert!(wrong.is_empty(), "wrongly accused: {wrong:?}");
        let found: BTreeSet<_> = found.into_iter().map(|(site, other, _)| (site, other)).collect();
        let missed: Vec<_> = oracle.races.difference(&found).collect();
        prop_assert!(missed.is_empty(), "missed: {missed:?}");
    }

    /// Whatever is put off is put down before anybody could see the difference.
    #[test]
    fn reads_that_are_put_off_change_nothing(steps in prop::collection::vec(prop_oneof![3 => reads(), 2 => any_step()], 1..80)) {
        let (at_once, _) = play_in(World::at_once(World::new(BLOCKS, THREADS as u32)), &steps);
        let (put_off, _) = play_in(World::new(BLOCKS, THREADS as u32), &steps);
        prop_assert_eq!(at_once.findings(), put_off.findings());
    }

    #[test]
    fn full_synchronisation_misses_nothing(steps in prop::collection::vec(prop_oneof![4 => plain(), 1 => full()], 1..60)) {
        let (found, oracle) = play(&steps);
        prop_assert!(wrongly_accused(&found, &oracle).is_empty());
        let reported: BTreeSet<u32> = found.iter().map(|race| race.0).collect();
        for (word, site) in &oracle.first {
            prop_assert!(reported.contains(site), "word {word}: the race at site {site} is missing");
        }
    }
}
