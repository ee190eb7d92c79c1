//! Gives registers whose lives do not overlap the same place, and finds those that may be read
//! before they are written.
//!
//! Compilers write PTX with a new register for every value; a frame of them would not fit any cache. Lives
//! are intervals of program counters (linear scan), which is right lane by lane whatever order the lanes run
//! in: a lane needs a value only while it is between the value's definition and its last use.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use super::{flow::Blocks, function::Lowered};
use crate::ir::{
    EntryRegisters, Function, Guard, Op, Word,
    visit::{File, OperandUse, operands},
};

/// Renames the registers of a function.
pub fn allocate(lowered: &mut Lowered) {
    let function = &mut lowered.function;
    let files = Files {
        words: usize::from(function.words),
        pairs: usize::from(function.pairs),
        predicates: usize::from(function.predicates),
    };
    let lives = Lives::new(function, &files);
    // Arguments and results have fixed places: the call puts them there.
    let fixed = usize::from(function.result_words.end);
    let arguments = usize::from(function.argument_words);
    let mut places = vec![0u16; files.total()];
    let (words, pairs, predicates) = files.ranges();
    for (word, place) in places.iter_mut().enumerate().take(fixed) {
        *place = word as u16;
    }
    function.words = assign(fixed..words.end, fixed as u16, &lives, &mut places);
    function.pairs = assign(pairs.clone(), 0, &lives, &mut places);
    function.predicates = assign(predicates.clone(), 0, &lives, &mut places);

    let mut undefined = EntryRegisters::default();
    for register in lives.at_start.iter().copied() {
        let place = places[register];
        if register < arguments {
        } else if words.contains(&register) {
            undefined.words.push(place);
        } else if pairs.contains(&register) {
            undefined.pairs.push(place);
        } else {
            undefined.predicates.push(place);
        }
    }
    function.undefined = undefined;

    let Function { code, lists, .. } = function;
    for instruction in code {
        operands(&mut instruction.op, lists, &mut |file, _, register| {
            *register = places[files.index(file, *register)];
        });
        if instruction.guard.predicate.is_some() && !instruction.guard.predicate.is_constant() {
            let predicate = &mut instruction.guard.predicate.0;
            *predicate = places[files.index(File::Predicate, *predicate)];
        }
    }
}

/// Puts the three files one after the other.
struct Files {
    words: usize,
    pairs: usize,
    predicates: usize,
}

impl Files {
    fn total(&self) -> usize {
        self.words + self.pairs + self.predicates
    }

    fn ranges(&self) -> (std::ops::Range<usize>, std::ops::Range<usize>, std::ops::Range<usize>) {
        let pairs = self.words + self.pairs;
        (0..self.words, self.words..pairs, pairs..self.total())
    }

    fn index(&self, file: File, register: u16) -> usize {
        usize::from(register)
            + match file {
                File::Word => 0,
                File::Pair => self.words,
                File::Predicate => self.words + self.pairs,
            }
    }
}

/// A set of registers.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, register: usize) {
        self.0[register / 64] |= 1 << (register % 64);
    }

    fn contains(&self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 != 0
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors(Some(bits), |&bits| (bits != 0).then(|| bits & (bits - 1)))
                .take_while(|&bits| bits != 0)
                .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
        })
    }
}

/// From where to where each register is needed.
struct Lives {
    intervals: Vec<Option<(u32, u32)>>,
    at_start: Vec<usize>,
}

impl Lives {
    fn new(function: &mut Function, files: &Files) -> Lives {
        let total = files.total();
        let blocks = Blocks::new(&function.code, &function.targets);
        let results = function.result_words.clone();
        let is_entry = function.is_entry;
        let mut intervals: Vec<Option<(u32, u32)>> = vec![None; total];
        let mut touch = |register: usize, pc: usize| {
            let pc = pc as u32;
            let interval = intervals[register].get_or_insert((pc, pc));
            *interval = (interval.0.min(pc), interval.1.max(pc));
        };

        let count = blocks.exit();
        let (mut reads, mut writes) = (vec![Set::new(total); count], vec![Set::new(total); count]);
        for block in 0..count {
            for pc in blocks.range(block) {
                let instruction = &mut function.code[pc];
                let mut written = Vec::new();
                let mut read = |register: usize| {
                    if !writes[block].contains(register) {
                        reads[block].insert(register);
                    }
                };
                let guard = instruction.guard;
                if guard.predicate.is_some() && !guard.predicate.is_constant() {
                    let register = files.index(File::Predicate, guard.predicate.0);
                    read(register);
                    touch(register, pc);
                }
                operands(&mut instruction.op, &mut function.lists, &mut |file, access, register| {
                    let register = files.index(file, *register);
                    touch(register, pc);
                    match access {
                        OperandUse::Read | OperandUse::Update => read(register),
                        // A guarded write keeps the old value in some lanes.
                        OperandUse::Write if guard == Guard::ALWAYS => written.push(register),
                        OperandUse::Write => {}
                    }
                });
                if matches!(instruction.op, Op::Return) && !is_entry {
                    for word in results.clone() {
                        read(files.index(File::Word, Word(word).0));
                    }
                }
                written.into_iter().for_each(|register| writes[block].insert(register));
            }
        }

        // in = reads ∪ (out ∖ writes), out = ∪ in of successors
        let mut live_in = reads.clone();
        let mut live_out = vec![Set::new(total); count];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..count).rev() {
                for &successor in blocks.successors[block].iter().filter(|&&successor| successor < count) {
                    let incoming = &live_in[successor];
                    let outgoing = &mut live_out[block];
                    for (out, new) in outgoing.0.iter_mut().zip(&incoming.0) {
                        changed |= *new & !*out != 0;
                        *out |= new;
                    }
                }
                let words = live_out[block].0.iter().zip(&writes[block].0);
                for (live, (out, written)) in live_in[block].0.iter_mut().zip(words) {
                    let new = out & !written;
                    changed |= new & !*live != 0;
                    *live |= new;
                }
            }
        }
        for block in 0..count {
            let range = blocks.range(block);
            live_in[block].iter().for_each(|register| touch(register, range.start));
            live_out[block].iter().for_each(|register| touch(register, range.end - 1));
        }
        let at_start = live_in.first().map(|set| set.iter().collect()).unwrap_or_default();
        Lives { intervals, at_start }
    }
}

/// Assigns places from `first` on to the registers of a range; returns how many places the file has.
fn assign(registers: std::ops::Range<usize>, first: u16, lives: &Lives, places: &mut [u16]) -> u16 {
    let mut by_start: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
    for register in registers {
        if let Some((start, end)) = lives.intervals[register] {
            by_start.entry(start).or_default().push((end, register));
        }
    }
    let mut busy: BinaryHeap<Reverse<(u32, u16)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u16>> = BinaryHeap::new();
    let mut next = first;
    for (start, registers) in by_start {
        // Strictly before: no instruction writes a place that it reads, whatever order it works in.
        while let Some(&Reverse((end, place))) = busy.peek()
            && end < start
        {
            busy.pop();
            free.push(Reverse(place));
        }
        for (end, register) in registers {
            let place = free.pop().map_or(next, |Reverse(place)| place);
            next = next.max(place + 1);
            places[register] = place;
            busy.push(Reverse((end, place)));
        }
    }
    next
}
