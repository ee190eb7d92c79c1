//! Plain loads of optimised code that race: which of them exactly, and what comes of what they read.
//!
//! An optimiser may load ahead of the condition under which the source loads, where it knows that this does
//! not fault, and drop the value if the condition is false. Such a load may meet a write that the source
//! never races with. It does no harm exactly if nothing comes of its value. So a launch in which plain loads
//! race is run twice more, in the same order of warps and blocks: first to log which dynamic loads race (the
//! write may come after the value was used), then with what these loads give marked as undefined, the values
//! unchanged, to see whether a mark decides anything.
//!
//! A dynamic load is named by its block and its number among the block's plain loads, which a replay gives it
//! again. The race shadow keeps one reader for many; this log keeps all, so it is for replays only.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::HashMap;

use crate::{findings::Action, ir::Order};

use super::{
    Access, BlockMemory, Global, GlobalMemory, LaneWords, SHARED_WINDOW, Site, Written, lanes,
    resolve::{Spaces, shared_offsets},
    time::NOBODY,
};

/// Words of loads that are logged at most: some hundred megabytes.
const MOST_READS: usize = 4 << 20;

/// More than one block wrote there.
const SEVERAL: u32 = NOBODY - 1;

/// A dynamic load: its block, and its number among the block's plain loads.
type DynamicLoad = (u32, u32);

/// What a replay of a launch is for.
#[derive(Debug)]
pub enum Replay {
    /// To find out which dynamic loads race.
    Log(Log),
    /// To see what comes of their values.
    Mark(Racing),
}

impl Replay {
    /// To find out which plain loads race with writes to these variables and buffers. What is read at the
    /// sites of `guesses` is checked by a compare-and-swap, and races with no atomic.
    pub fn log(names: HashSet<String>, guesses: HashSet<Site>) -> Self {
        Self::Log(Log { names, guesses, racing: Mutex::default(), reads: Mutex::default() })
    }
}

/// Which dynamic loads race.
#[derive(Debug)]
pub struct Log {
    names: HashSet<String>,
    guesses: HashSet<Site>,
    racing: Mutex<Racing>,
    /// How many words of loads have been logged.
    reads: Mutex<usize>,
}

impl Log {
    /// What was found; none if it would have been too much.
    pub fn into_racing(self) -> Option<Racing> {
        let reads = self.reads.into_inner().unwrap_or_else(PoisonError::into_inner);
        let racing = self.racing.into_inner().unwrap_or_else(PoisonError::into_inner);
        (reads <= MOST_READS).then_some(racing)
    }

    /// A block of a parallel launch wrote this; no block is ordered with another one there.
    pub(super) fn written(&self, memory: &GlobalMemory, written: &Written) {
        let mut racing = hold(&self.racing);
        memory.each_word_written(written, |name, address, bytes| {
            if self.names.contains(name) {
                let writers = racing.writers.entry(address).or_insert([NOBODY; 4]);
                for byte in (0..4).filter(|byte| bytes >> byte & 1 == 1) {
                    let writer = &mut writers[byte];
                    let first = *writer == NOBODY || *writer == written.block;
                    *writer = if first { written.block } else { SEVERAL };
                }
            }
        });
    }

    /// True if there is room to log so many words more.
    fn has_room(&self, words: usize) -> bool {
        let mut reads = hold(&self.reads);
        *reads += words;
        *reads <= MOST_READS
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The dynamic loads that race.
#[derive(Clone, Debug, Default)]
pub struct Racing {
    /// Their lanes.
    loads: BTreeMap<DynamicLoad, u32>,
    /// By word, who wrote each of its bytes, in a launch whose blocks nothing orders: what another
    /// block loads there races.
    writers: HashMap<u64, [u32; 4]>,
}

/// A word that a lane loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadedWord {
    load: DynamicLoad,
    thread: u16,
    stamp: u32,
    site: Site,
    /// Which of the word's.
    bytes: u8,
}

/// What a replay keeps of one running block.
#[derive(Debug, Default)]
pub(super) struct Attendance {
    /// What the replay is for; none for a launch.
    replay: Option<Arc<Replay>>,
    /// The access that is being made is a part of one that is looked at as a whole.
    pub(super) is_part: bool,
    /// Plain loads so far.
    loads: u32,
    /// By word, who loaded it, where only this block's writes can meet that.
    reads: HashMap<u64, Vec<LoadedWord>>,
    /// Lanes of the last load whose values are marked.
    pub(super) marked: u32,
}

impl Attendance {
    /// Of a replay, or of none.
    pub(super) fn of(replay: Option<Arc<Replay>>) -> Self {
        Self { replay, ..Self::default() }
    }

    /// Whether this is a replay.
    #[inline(always)]
    pub(super) fn is_replay(&self) -> bool {
        self.replay.is_some()
    }

    /// Whether the access that is being made is looked at.
    #[inline(always)]
    pub(super) fn looks(&self) -> bool {
        self.is_replay() && !self.is_part
    }

    /// Another block begins.
    pub(super) fn begin(&mut self) {
        if self.is_replay() {
            *self = Self::of(self.replay.take());
        }
    }
}

/// The words that a lane accesses, and the bytes of each.
fn words(address: u64, bytes: u8) -> impl Iterator<Item = (u64, u8)> {
    let first = address & !3;
    let within = address % 4;
    (0..u64::from(bytes).div_ceil(4)).map(move |word| {
        let bytes = if bytes >= 4 { 0xf } else { ((1u8 << bytes) - 1) << within };
        (first + 4 * word, bytes)
    })
}

impl BlockMemory {
    /// Lanes have loaded plainly.
    #[cold]
    #[inline(never)]
    pub(super) fn attend_load(&mut self, global: &mut Global<'_>, access: &Access, out: &mut LaneWords) {
        let Some(replay) = self.attendance.replay.clone() else { return };
        self.attendance.marked = 0;
        if access.order != Order::Weak {
            return;
        }
        let load = (self.block, self.attendance.loads);
        self.attendance.loads += 1;
        match &*replay {
            Replay::Log(log) => self.log_load(global, access, load, log),
            Replay::Mark(racing) => {
                let mut marked = racing.loads.get(&load).copied().unwrap_or(0);
                if let Global::Overlay(_) = global {
                    for lane in lanes(Spaces::of(access).global) {
                        let of_others = |(word, bytes): (u64, u8)| {
                            racing.writers.get(&word).is_some_and(|writers| {
                                (0..4).any(|byte| {
                                    let writer = writers[byte];
                                    bytes >> byte & 1 == 1 && writer != NOBODY && writer != self.block
                                })
                            })
                        };
                        let races = words(access.addresses[lane], access.bytes).any(of_others);
                        marked |= u32::from(races) << lane;
                    }
                }
                self.attendance.marked = marked & access.mask;
                let field = u32::MAX >> (32 - 8 * u32::from(access.bytes.min(4)));
                for lane in lanes(self.attendance.marked) {
                    for word in 0..usize::from(access.bytes).div_ceil(4) {
                        out.set_undefined(word, lane, field);
                    }
                }
            }
        }
    }

    fn log_load(&mut self, global: &mut Global<'_>, access: &Access, load: DynamicLoad, log: &Log) {
        let spaces = Spaces::of(access);
        let offsets = shared_offsets(access);
        let mine = spaces.shared | spaces.global;
        if !log.has_room((mine.count_ones() * u32::from(access.bytes).div_ceil(4)) as usize) {
            return;
        }
        let stamp = self.clock_of(global).now;
        for lane in lanes(mine) {
            let shared = spaces.shared >> lane & 1 == 1;
            let (address, name) = if shared {
                let variable = self.shared.layout.find(offsets[lane], access.bytes.into());
                let name = variable.map(|at| self.shared.layout.variables[at].name.as_str());
                (SHARED_WINDOW + u64::from(offsets[lane]), name)
            } else {
                (access.addresses[lane], global.get().name_at(access.addresses[lane]))
            };
            if !name.is_some_and(|name| log.names.contains(name)) {
                continue;
            }
            let thread = access.warp * 32 + lane as u16;
            for (word, bytes) in words(address, access.bytes) {
                let read = LoadedWord { load, thread, stamp, site: access.site, bytes };
                let reads = match global {
                    Global::Direct(memory) if !shared => &mut memory.reads,
                    _ => &mut self.attendance.reads,
                };
                reads.entry(word).or_default().push(read);
            }
        }
    }

    /// Lanes are about to write: what others have loaded there, and nothing orders before that, races.
    #[cold]
    #[inline(never)]
    pub(super) fn attend_write(&mut self, global: &mut Global<'_>, access: &Access, action: Action) {
        let Some(replay) = self.attendance.replay.clone() else { return };
        self.attendance.marked = 0;
        let Replay::Log(log) = &*replay else { return };
        let spaces = Spaces::of(access);
        let offsets = shared_offsets(access);
        // What this block's threads know is asked at its own time.
        self.clock_of(global);
        for lane in lanes(spaces.shared | spaces.global) {
            let shared = spaces.shared >> lane & 1 == 1;
            let address =
                if shared { SHARED_WINDOW + u64::from(offsets[lane]) } else { access.addresses[lane] };
            for (word, bytes) in words(address, access.bytes) {
                let reads = match global {
                    Global::Direct(memory) if !shared => memory.reads.get(&word),
                    _ => self.attendance.reads.get(&word),
                };
                for read in reads.into_iter().flatten().filter(|read| read.bytes & bytes != 0) {
                    let known = if read.load.0 == self.block {
                        self.order.knows_own(access.warp, lane, read.thread, read.stamp)
                    } else {
                        self.order.clocks_know(access.warp, lane, read.load.0, read.thread, read.stamp)
                    };
                    let guess = action == Action::Atomic && log.guesses.contains(&read.site);
                    if !known && !guess {
                        *hold(&log.racing).loads.entry(read.load).or_default() |= 1 << (read.thread % 32);
                    }
                }
            }
        }
    }

    /// The load that is going on races with an earlier write.
    pub(super) fn attend_race(&mut self, access: &Access, racing: u32, other: Action) {
        let Some(Replay::Log(log)) = self.attendance.replay.as_deref() else { return };
        if access.order == Order::Weak && !(other == Action::Atomic && log.guesses.contains(&access.site)) {
            let load = (self.block, self.attendance.loads);
            *hold(&log.racing).loads.entry(load).or_default() |= racing;
        }
    }
}
