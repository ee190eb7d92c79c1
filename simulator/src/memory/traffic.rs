//! What an access costs: sectors of global memory, wavefronts of shared memory.
//!
//! Sectors are 32 bytes; a request moves each sector that any active lane touches once. Shared memory has 32
//! banks of four bytes, bank = (byte address / 4) mod 32. One *wavefront* serves one word of every bank to
//! any number of lanes. Accesses of up to four bytes per lane are served together: their wavefronts are the
//! largest number of different words that lanes want from one bank. Eight-byte accesses are served by
//! half-warps and sixteen-byte accesses by quarter-warps, each with its own largest number. Two neighbouring
//! parts of a *load* become one when in both every active lane wants the same address as its neighbour lane
//! (lane xor 1), or every active lane as lane xor 2. The ideal number is one per part served.
//!
//! An atomic serves lanes one after the other that want the same word, so each lane counts by itself: a
//! shared one takes as many wavefronts as lanes meet in one bank (a compare-and-swap twice as many; of eight
//! bytes, by half-warps, of sixteen, by quarter-warps), a global one moves its sectors once for every turn in
//! which some lane waits. Lanes that only count (`atomicAdd(&x, 1)` on shared memory, the old value unused)
//! are counted together where they want the same word.
//!
//! An asynchronous copy through L1 reads and writes in one: four lines of 128 bytes at a time, and of their
//! lanes again by halves or quarters, at the banks of both sides. Lanes that read the same bank of L1 take
//! turns, even at the same word. What is only filled with zero goes by itself. A copy past L1 is counted as a
//! store to shared memory, and a sector for each 32 bytes there that come from one line.
//!
//! All of it is what an H200 counts, launch by launch: `grader/tests/counters`.

use super::lanes;
use crate::ir::AtomicOp;

/// The cost of one warp-wide access. Requests are 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// 1 if any lane went to global memory.
    pub global_requests: u16,
    /// 32-byte sectors touched there.
    pub sectors: u16,
    /// Bytes that the lanes asked for there, each for itself.
    pub global_bytes: u16,
    /// 1 if any lane went to shared memory.
    pub shared_requests: u16,
    /// What it took there.
    pub wavefronts: Wavefronts,
    /// 1 if any lane went to local memory.
    pub local_requests: u16,
}

/// Distinct 32-byte sectors that the active lanes touch.
pub fn sectors(addresses: &[u64; 32], mask: u32, bytes: u8) -> u16 {
    // An access is aligned to its size, at most 16 bytes, so it never straddles two sectors.
    debug_assert!(bytes <= 16);
    let mut seen = [0u64; 32];
    let mut count = 0usize;
    let mut last = u64::MAX;
    for lane in lanes(mask) {
        let sector = addresses[lane] >> 5;
        if sector != last {
            last = sector;
            if !seen[..count].contains(&sector) {
                seen[count] = sector;
                count += 1;
            }
        }
    }
    count as u16
}

/// Whether lanes get words or give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Parts that want the same words are served together.
    Load,
    /// Each part is served by itself.
    Store,
}

/// What an access takes of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Wavefronts taken.
    pub taken: u16,
    /// Wavefronts that it would have taken without conflicts.
    pub ideal: u16,
}

/// Wavefronts of a shared load or store.
pub fn wavefronts(flow: Flow, offsets: &[u32; 32], mask: u32, bytes: u8) -> Wavefronts {
    if mask == 0 {
        return Wavefronts::default();
    }
    let mut total = 0;
    let mut parts = 0;
    serve(flow, offsets, mask, bytes, |part| {
        total += degree(offsets, part, bytes);
        parts += 1;
    });
    Wavefronts { taken: total, ideal: parts }
}

/// Hands on the lanes of a load or store that are served together, one part after the other.
#[inline]
fn serve(flow: Flow, offsets: &[u32; 32], mask: u32, bytes: u8, mut part: impl FnMut(u32)) {
    let mut serve = |lanes: u32| {
        if lanes != 0 {
            part(lanes);
        }
    };
    match bytes {
        8 => {
            if flow == Flow::Load && pairs_up(offsets, mask) {
                serve(mask);
            } else {
                serve(mask & 0x0000_ffff);
                serve(mask & 0xffff_0000);
            }
        }
        16 => {
            for half in [mask & 0x0000_ffff, mask & 0xffff_0000] {
                if flow == Flow::Load && pairs_up(offsets, half) {
                    serve(half);
                } else {
                    serve(half & 0x00ff_00ff);
                    serve(half & 0xff00_ff00);
                }
            }
        }
        _ => serve(mask),
    }
}

/// What a request does, as far as it matters who is served when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requested {
    /// A load or store.
    Plain(Flow),
    /// An atomic.
    Atomic(AtomicOp),
}

/// A bank's lanes in one wavefront.
pub type Turn = std::collections::BTreeMap<u32, Vec<u32>>;

/// Who is served in each wavefront, by bank: what [`wavefronts`] and [`atomic_wavefronts`] count.
pub fn turns(requested: Requested, offsets: &[u32; 32], mask: u32, bytes: u8) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut serve_part = |part: u32, together: bool| {
        let first = turns.len();
        // Of each bank, the words that were wanted of it.
        let mut wanted: [Vec<u32>; 32] = Default::default();
        for lane in lanes(part) {
            for word in (offsets[lane] >> 2..).take(usize::from(bytes).div_ceil(4)) {
                let bank = word & 31;
                let words = &mut wanted[bank as usize];
                let known = words.iter().position(|&known| together && known == word);
                let turn = first + known.unwrap_or(words.len());
                if known.is_none() {
                    words.push(word);
                }
                if turns.len() <= turn {
                    turns.resize_with(turn + 1, Turn::default);
                }
                turns[turn].entry(bank).or_default().push(lane as u32);
            }
        }
    };
    match requested {
        Requested::Plain(flow) => serve(flow, offsets, mask, bytes, |part| serve_part(part, true)),
        Requested::Atomic(operation) => {
            for part in parts_of(bytes).iter().map(|part| part & mask) {
                serve_part(part, operation == AtomicOp::Count);
            }
            if operation == AtomicOp::CompareAndSwap {
                turns = turns.into_iter().flat_map(|turn| [turn.clone(), turn]).collect();
            }
        }
    }
    turns
}

/// The lanes that are served together: a half of the warp of 8 bytes each, a quarter of 16.
fn parts_of(bytes: u8) -> &'static [u32] {
    match bytes {
        8 => &[0x0000_ffff, 0xffff_0000],
        16 => &[0x0000_00ff, 0x0000_ff00, 0x00ff_0000, 0xff00_0000],
        _ => &[u32::MAX],
    }
}

/// Lines of L1, in bytes, and how many of them are looked up at a time.
const LINE: u64 = 128;
const LINES_AT_ONCE: usize = 4;

/// Wavefronts of copies through L1: of the first mask's lanes, of which those of the second read something.
pub fn copy_wavefronts(
    from: &[u64; 32],
    to: &[u32; 32],
    (mask, reading): (u32, u32),
    bytes: u8,
) -> Wavefronts {
    let mut total = Wavefronts::default();
    let mut serve = |turn: u32, reads: bool| {
        for part in parts_of(bytes).iter().map(|part| part & turn).filter(|&part| part != 0) {
            let source = from.map(|address| address as u32);
            let read = if reads { lanes_in_a_bank(&source, part, bytes) } else { 0 };
            total.taken += read.max(degree(to, part, bytes));
            total.ideal += 1;
        }
    };
    serve(mask & !reading, false);
    let mut rest = mask & reading;
    while rest != 0 {
        let mut lines = [u64::MAX; LINES_AT_ONCE];
        let turn = lanes(rest)
            .filter(|&lane| {
                let line = from[lane] / LINE;
                let place = lines.iter_mut().find(|known| **known == line || **known == u64::MAX);
                place.map(|known| *known = line).is_some()
            })
            .fold(0, |turn, lane| turn | 1 << lane);
        serve(turn, true);
        rest &= !turn;
    }
    total
}

/// Sectors that copies past L1 move: pieces of one line that go to the same 32 bytes
/// of shared memory are one.
pub fn copied_sectors(from: &[u64; 32], to: &[u32; 32], mask: u32) -> u16 {
    let mut pieces = [(0, 0); 32];
    let mut count = 0;
    for lane in lanes(mask) {
        let piece = (from[lane] / LINE, to[lane] / 32);
        if !pieces[..count].contains(&piece) {
            pieces[count] = piece;
            count += 1;
        }
    }
    count as u16
}

/// Wavefronts of a shared atomic.
pub fn atomic_wavefronts(operation: AtomicOp, offsets: &[u32; 32], mask: u32, bytes: u8) -> Wavefronts {
    let mut turns = 0;
    let mut ideal = 0;
    for part in parts_of(bytes).iter().map(|part| part & mask).filter(|&part| part != 0) {
        turns += match operation {
            AtomicOp::Count => degree(offsets, part, bytes),
            _ => lanes_in_a_bank(offsets, part, bytes),
        };
        ideal += 1;
    }
    let taken = if operation == AtomicOp::CompareAndSwap { 2 * turns } else { turns };
    Wavefronts { taken, ideal: taken - (turns - ideal) }
}

/// The largest number of lanes that want something from one bank.
fn lanes_in_a_bank(offsets: &[u32; 32], mask: u32, bytes: u8) -> u16 {
    let words = u32::from(bytes).div_ceil(4);
    let mut lanes_of = [0; 32];
    for lane in lanes(mask) {
        for part in 0..words {
            lanes_of[((offsets[lane] >> 2) + part) as usize & 31] += 1;
        }
    }
    lanes_of.into_iter().max().unwrap_or(0)
}

/// Sectors that a global atomic moves: lanes that want the same address take turns.
pub fn atomic_sectors(addresses: &[u64; 32], mask: u32, bytes: u8) -> u16 {
    let mut total = 0;
    let mut rest = mask;
    while rest != 0 {
        let first_comers = lanes(rest)
            .filter(|&lane| {
                lanes(rest)
                    .take_while(|&before| before < lane)
                    .all(|before| addresses[before] != addresses[lane])
            })
            .fold(0, |turn, lane| turn | 1 << lane);
        total += sectors(addresses, first_comers, bytes);
        rest &= !first_comers;
    }
    total
}

/// True if every active lane wants what lane xor 1 wants, or every active lane what lane xor 2 wants.
fn pairs_up(offsets: &[u32; 32], mask: u32) -> bool {
    [1, 2].into_iter().any(|distance| {
        lanes(mask).all(|lane| {
            let other = lane ^ distance;
            mask & (1 << other) == 0 || offsets[other] == offsets[lane]
        })
    })
}

/// The largest number of different words that the lanes want from one bank. Lanes that are served
/// together want 32 words at most.
fn degree(offsets: &[u32; 32], mask: u32, bytes: u8) -> u16 {
    /// One more than an index; zero is none.
    type Link = u8;
    let words = u32::from(bytes).div_ceil(4);
    // Of each bank the words that are wanted, as a list: how many, the newest, and from
    // each to the one before it.
    let (mut counts, mut newest) = ([0u8; 32], [0 as Link; 32]);
    let (mut wanted, mut before) = ([0u32; 32], [0 as Link; 32]);
    let (mut known, mut largest) = (0, 0);
    for lane in lanes(mask) {
        for word in (offsets[lane] >> 2..).take(words as usize) {
            let bank = (word & 31) as usize;
            let mut link = newest[bank];
            while link != 0 && wanted[usize::from(link) - 1] != word {
                link = before[usize::from(link) - 1];
            }
            if link == 0 {
                (wanted[known], before[known]) = (word, newest[bank]);
                known += 1;
                newest[bank] = known as Link;
                counts[bank] += 1;
                largest = largest.max(counts[bank]);
            }
        }
    }
    u16::from(largest)
}
