//! Whether a lane has a way out of the kernel left: a loop that never ends need not use up a budget.
//!
//! The lane's registers are known as they are now. From there every way is followed that memory, other lanes or
//! the clock could send it. What comes from them is unknown; what is computed from known values is known; a
//! register to which two ways bring different values is unknown where they meet, and a branch goes only where
//! its condition may send it. This is conditional constant propagation (Wegman and Zadeck, 1991). Where no way leads
//! out, the lane goes round forever, whatever is stored meanwhile.

use crate::{
    exec::{
        context::{Context, Unit},
        dispatch::{Baseline, InstructionSet},
        registers::Registers,
        special,
        warp::{Split, Warp},
    },
    ir::{
        AddressSpace, Alu, Constants, Division, Function, Guard, Instruction, LANES, Memory, Op, Pair, Pc,
        Predicate, Program, SourceIndex, Word,
        visit::{self, File, OperandUse},
    },
};

/// What is left to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// It may come out.
    Open,
    /// The code has no way out.
    Nowhere,
    /// There is one in the code, but the condition on this line keeps it from it and never changes.
    Shut(SourceIndex),
}

/// Visits of an instruction, on the average, after which a function is given up and counts as open.
const VISITS: usize = 64;

/// What is left to the first lane of a split.
pub fn of(cx: &Context<'_>, unit: &Unit, warp: &Warp, split: &Split) -> WayOut {
    let lane = split.mask.trailing_zeros() as usize;
    let (mut frame, mut pc) = (warp.frame(split.frame), split.pc);
    let mut known = Known::of(&frame.registers, lane);
    loop {
        let function = cx.program.function(frame.function);
        if End::by_code(cx.program, function, pc, &[]).is_none() {
            return WayOut::Nowhere;
        }
        let mut ways = Ways {
            cx,
            unit,
            warp: warp.index,
            lane,
            function,
            constants: &cx.constants[frame.function.0 as usize],
            scratch: Registers::new(function),
            reached: vec![false; function.code.len()],
            shut: vec![None; function.code.len()],
        };
        match ways.follow(pc, known) {
            Some(End::Exit) => return WayOut::Open,
            None => {
                let shut_by = ways.shut_by().map(|pc| &function.code[pc as usize]);
                return WayOut::Shut(shut_by.map_or(frame.source, |at| frame.source_of(at)));
            }
            Some(End::Return) => {}
        }
        let Some(parent) = frame.parent else { return WayOut::Open };
        pc = frame.return_pc;
        frame = warp.frame(parent);
        known = Known::of(&frame.registers, lane);
        let caller = cx.program.function(frame.function);
        known.forget_results(&caller.code[pc as usize - 1], caller);
    }
}

/// How a way through a function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Return,
    Exit,
}

impl End {
    fn of(program: &Program, op: &Op) -> Option<End> {
        match *op {
            Op::Return => Some(End::Return),
            ref op => program.may_end_at(op).then_some(End::Exit),
        }
    }

    /// The farthest end that the code leads to from here, whatever the conditions are, but through none of these places.
    fn by_code(program: &Program, function: &Function, from: Pc, closed: &[bool]) -> Option<End> {
        let mut seen = closed.to_vec();
        seen.resize(function.code.len(), false);
        let mut next = vec![from];
        let mut best = None;
        while let Some(pc) = next.pop() {
            let Some(instruction) = function.code.get(pc as usize) else { continue };
            if !std::mem::replace(&mut seen[pc as usize], true) {
                best = best.max(End::of(program, &instruction.op));
                next.extend(targets(function, instruction));
                next.extend(goes_on(instruction).then_some(pc + 1));
            }
        }
        best
    }
}

/// Where an instruction may jump.
fn targets<'f>(function: &'f Function, instruction: &Instruction) -> impl Iterator<Item = Pc> + use<'f> {
    let (one, list) = match instruction.op {
        Op::Branch { target, .. } => (Some(target), 0..0),
        Op::BranchIndexed { targets, .. } => (None, targets.range()),
        _ => (None, 0..0),
    };
    one.into_iter().chain(function.targets[list].iter().copied())
}

/// True if the instruction behind it may be the next.
fn goes_on(instruction: &Instruction) -> bool {
    let is_last = matches!(
        instruction.op,
        Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Unsupported { .. }
            | Op::Branch { .. }
            | Op::BranchIndexed { .. }
    );
    !is_last || instruction.guard != Guard::ALWAYS
}

/// What is known of the registers of a lane in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    words: Vec<Option<u32>>,
    pairs: Vec<Option<u64>>,
    predicates: Vec<Option<bool>>,
}

impl Known {
    /// All that is defined.
    fn of(registers: &Registers, lane: usize) -> Known {
        let none = &Constants::default();
        let (words, pairs, predicates) = registers.counts();
        let defined = |poison: u32| poison >> lane & 1 == 0;
        Known {
            words: (0..words)
                .map(Word)
                .map(|a| defined(registers.word_poison(a)).then(|| registers.word(none, a)[lane]))
                .collect(),
            pairs: (0..pairs)
                .map(Pair)
                .map(|a| defined(registers.pair_poison(a)).then(|| registers.pair(none, a)[lane]))
                .collect(),
            predicates: (0..predicates)
                .map(Predicate)
                .map(|a| {
                    defined(registers.predicate_poison(a)).then(|| registers.predicate(a) >> lane & 1 != 0)
                })
                .collect(),
        }
    }

    /// Keeps what the other knows, too. True if that is less than before.
    fn keep_common(&mut self, other: &Known) -> bool {
        fn common<T: Copy + PartialEq>(mine: &mut [Option<T>], others: &[Option<T>]) -> bool {
            let mut less = false;
            for (mine, other) in mine.iter_mut().zip(others) {
                if mine.is_some() && *mine != *other {
                    (*mine, less) = (None, true);
                }
            }
            less
        }
        common(&mut self.words, &other.words)
            | common(&mut self.pairs, &other.pairs)
            | common(&mut self.predicates, &other.predicates)
    }

    fn forget_results(&mut self, instruction: &Instruction, function: &Function) {
        visit::used(instruction.op, &function.lists, &mut |file, used, register| {
            if used != OperandUse::Read {
                match file {
                    File::Word => self.words[usize::from(register)] = None,
                    File::Pair => self.pairs[usize::from(register)] = None,
                    File::Predicate => self.predicates[usize::from(register)] = None,
                }
            }
        });
    }

    /// Whether an instruction with this guard is executed, where that is known.
    fn allows(&self, guard: Guard) -> Option<bool> {
        let predicate = guard.predicate;
        if !predicate.is_some() {
            return Some(true);
        }
        let value = if predicate.is_constant() {
            Some(predicate.index() != 0)
        } else {
            self.predicates[predicate.index()]
        };
        value.map(|value| value != guard.negated)
    }

    fn word(&self, constants: &Constants, word: Word) -> Option<u32> {
        if word.is_constant() { Some(constants.words[word.index()][0]) } else { self.words[word.index()] }
    }

    fn pair(&self, constants: &Constants, pair: Pair) -> Option<u64> {
        if pair.is_constant() { Some(constants.pairs[pair.index()][0]) } else { self.pairs[pair.index()] }
    }
}

/// The ways of a lane through a function.
struct Ways<'a> {
    cx: &'a Context<'a>,
    unit: &'a Unit,
    warp: u32,
    lane: usize,
    function: &'a Function,
    constants: &'a Constants,
    /// Operations are executed here.
    scratch: Registers,
    /// By instruction: some way comes by.
    reached: Vec<bool>,
    /// By branch: where it never goes.
    shut: Vec<Option<Pc>>,
}

impl Ways<'_> {
    /// The farthest end of all ways from here.
    fn follow(&mut self, from: Pc, known: Known) -> Option<End> {
        let code = &self.function.code;
        let mut heads: Vec<Option<Known>> = vec![None; code.len()];
        let mut is_head = vec![false; code.len()];
        for (pc, instruction) in code.iter().enumerate() {
            targets(self.function, instruction).for_each(|target| is_head[target as usize] = true);
            if let (Op::Branch { .. } | Op::BranchIndexed { .. }, Some(behind)) =
                (&instruction.op, is_head.get_mut(pc + 1))
            {
                *behind = true;
            }
        }
        let mut visits = 0;
        let mut best = None;
        heads[from as usize] = Some(known);
        let mut next = vec![from];
        while let Some(head) = next.pop() {
            let mut known = heads[head as usize].clone().expect("what is known was put there");
            let mut pc = head;
            loop {
                visits += 1;
                if visits > VISITS * code.len() {
                    return Some(End::Exit);
                }
                let Some(instruction) = code.get(pc as usize) else { break };
                self.reached[pc as usize] = true;
                let allowed = known.allows(instruction.guard);
                let end = End::of(self.cx.program, &instruction.op);
                if allowed != Some(false) {
                    best = best.max(end);
                    if best == Some(End::Exit) {
                        return best;
                    }
                }
                if let Op::Branch { .. } | Op::BranchIndexed { .. } = instruction.op {
                    for to in self.successors(pc, allowed) {
                        arrive(&mut heads, &mut next, to, &known);
                    }
                    break;
                }
                if end == Some(End::Return) && allowed == Some(true) {
                    break;
                }
                self.execute(instruction, allowed, &mut known);
                pc += 1;
                if is_head.get(pc as usize) == Some(&true) {
                    arrive(&mut heads, &mut next, pc, &known);
                    break;
                }
            }
        }
        best
    }

    /// Where a branch may go on; keeps where it does not.
    fn successors(&mut self, pc: Pc, allowed: Option<bool>) -> Vec<Pc> {
        let instruction = &self.function.code[pc as usize];
        let mut to = Vec::new();
        let mut shut = None;
        for target in targets(self.function, instruction) {
            if allowed == Some(false) { shut = Some(target) } else { to.push(target) }
        }
        match allowed {
            Some(true) if instruction.guard != Guard::ALWAYS => shut = Some(pc + 1),
            Some(true) => {}
            _ => to.push(pc + 1),
        }
        self.shut[pc as usize] = shut;
        to
    }

    /// Does to what is known what an instruction does to the registers.
    fn execute(&mut self, instruction: &Instruction, allowed: Option<bool>, known: &mut Known) {
        if allowed == Some(false) {
            return;
        }
        let is_known = allowed == Some(true)
            && match instruction.op {
                Op::Alu(ref alu) => self.compute(alu, known),
                Op::Divide(ref alu) => {
                    self.divides_by_another_than_zero(alu, known) && self.compute(alu, known)
                }
                Op::Special { register, wide, d } if !register.is_clock() => {
                    let value = special::read(self.cx, self.unit, self.warp, 0, register)[self.lane];
                    put(known, wide, d, value);
                    true
                }
                Op::Load { ref memory, ref d, address } if memory.space == AddressSpace::Param => {
                    let base = if address.wide {
                        known.pair(self.constants, Pair(address.register))
                    } else {
                        known.word(self.constants, Word(address.register)).map(u64::from)
                    };
                    base.is_some_and(|base| {
                        self.load(memory, d, base.wrapping_add_signed(i64::from(address.offset)), known)
                    })
                }
                _ => false,
            };
        if !is_known {
            known.forget_results(instruction, self.function);
        }
    }

    fn divides_by_another_than_zero(&self, alu: &Alu, known: &Known) -> bool {
        match alu.division() {
            Some(Division::Word { b, bits, .. }) => {
                known.word(self.constants, b).is_some_and(|divisor| divisor & bits != 0)
            }
            Some(Division::Pair { b, .. }) => {
                known.pair(self.constants, b).is_some_and(|divisor| divisor != 0)
            }
            None => false,
        }
    }

    /// True if all operands were known, and the result is.
    fn compute(&mut self, alu: &Alu, known: &mut Known) -> bool {
        let op = Op::Alu(*alu);
        let scratch = &mut self.scratch;
        let mut all = true;
        visit::used(op, &[], &mut |file, used, register| {
            if used == OperandUse::Write {
                return;
            }
            let at = usize::from(register);
            match file {
                File::Word => match known.words[at] {
                    Some(value) => scratch.set_word(Word(register), &[value; LANES], 0, 1),
                    None => all = false,
                },
                File::Pair => match known.pairs[at] {
                    Some(value) => scratch.set_pair(Pair(register), &[value; LANES], 0, 1),
                    None => all = false,
                },
                File::Predicate => match known.predicates[at] {
                    Some(value) => scratch.set_predicate(Predicate(register), value.into(), 0, 1),
                    None => all = false,
                },
            }
        });
        if !all || !Baseline::alu(alu, scratch, self.constants, 1) {
            return false;
        }
        visit::used(op, &[], &mut |file, used, register| {
            if used == OperandUse::Read {
                return;
            }
            let at = usize::from(register);
            match file {
                File::Word => known.words[at] = Some(scratch.word(self.constants, Word(register))[0]),
                File::Pair => known.pairs[at] = Some(scratch.pair(self.constants, Pair(register))[0]),
                File::Predicate => {
                    known.predicates[at] = Some(scratch.predicate(Predicate(register)) & 1 != 0);
                }
            }
        });
        true
    }

    /// Loads registers' worth of the kernel's parameters; false where it is narrower or outside.
    fn load(&self, memory: &Memory, d: &[u16; 4], address: u64, known: &mut Known) -> bool {
        let element = memory.element;
        if element.bytes != if element.wide { 8 } else { 4 } {
            return false;
        }
        let bytes = usize::from(element.bytes);
        let range = usize::try_from(address).ok().and_then(|start| {
            self.cx.parameters.get(start..start.checked_add(bytes * usize::from(memory.count))?)
        });
        let Some(range) = range else { return false };
        for (value, &d) in range.chunks(bytes).zip(d).filter(|(_, d)| **d != u16::MAX) {
            let mut wide = [0; 8];
            wide[..bytes].copy_from_slice(value);
            put(known, element.wide, d, u64::from_le_bytes(wide));
        }
        true
    }

    /// The branch that keeps the lane in: its other side leads out, and not only back to where the lane is. A loop's
    /// condition stands at its end, or at its head, ahead of what else is in it.
    fn shut_by(&self) -> Option<Pc> {
        let leads_out = |&pc: &Pc| {
            let other = self.shut[pc as usize];
            other.is_some_and(|other| {
                End::by_code(self.cx.program, self.function, other, &self.reached).is_some()
            })
        };
        let candidates = || (0..self.shut.len() as Pc).filter(leads_out);
        candidates().find(|&pc| self.shut[pc as usize] == Some(pc + 1)).or_else(|| candidates().next())
    }
}

/// A way arrives at the head of a block.
fn arrive(heads: &mut [Option<Known>], next: &mut Vec<Pc>, at: Pc, known: &Known) {
    let Some(place) = heads.get_mut(at as usize) else { return };
    let is_new = match place {
        Some(before) => before.keep_common(known),
        None => {
            *place = Some(known.clone());
            true
        }
    };
    if is_new && !next.contains(&at) {
        next.push(at);
    }
}

fn put(known: &mut Known, wide: bool, d: u16, value: u64) {
    if wide {
        known.pairs[usize::from(d)] = Some(value);
    } else {
        known.words[usize::from(d)] = Some(value as u32);
    }
}
