//! Reads that are only guesses: a compare-and-swap checks what was read before anything comes of it.
//!
//! The CUDA C++ Programming Guide writes its own atomics so ("Atomic Functions": `old = *address` and
//! then a loop around `atomicCAS`). By the memory model the plain read races with the others' atomics;
//! whatever it gets, the compare-and-swap compares with it, and a wrong guess costs a round. A read that
//! decides anything else is none.

use std::collections::BTreeMap;

use crate::ir::{
    AddressSpace, Alu, AtomicOp, Callee, FunctionIndex, List, Op, Order, Pair, Pc, Program, SourceIndex,
    visit::{File, OperandUse, used},
};

/// Instructions from the read to its compare-and-swap, through calls, beyond which nobody looks.
const MOST_STEPS: usize = 256;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Value,
    ValueLow,
    ValueHigh,
    Address,
    AddressLow,
    AddressHigh,
}

/// The registers of a frame that hold the value that was read, or its address.
#[derive(Clone, Debug, Default)]
struct Known(BTreeMap<(File, u16), Holds>);

impl Known {
    fn get(&self, file: File, register: u16) -> Option<Holds> {
        self.0.get(&(file, register)).copied()
    }

    fn set(&mut self, file: File, register: u16, part: Option<Holds>) {
        match part {
            Some(part) => self.0.insert((file, register), part),
            None => self.0.remove(&(file, register)),
        };
    }
}

/// True if all plain reads at this place, and at least one, are guesses.
pub fn is_guess(program: &Program, at: SourceIndex) -> bool {
    let reads = program.functions.iter().enumerate().flat_map(|(function, of)| {
        let code = of.code.iter().enumerate();
        code.filter(|(_, instruction)| instruction.source == at && reads_plainly(&instruction.op))
            .map(move |(pc, _)| (FunctionIndex(function as u32), pc as Pc))
    });
    let mut guesses = reads.map(|(function, pc)| is_checked(program, function, pc)).peekable();
    guesses.peek().is_some() && guesses.all(|guess| guess)
}

fn reads_plainly(op: &Op) -> bool {
    let Op::Load { memory, .. } = op else { return false };
    let may_be_seen =
        matches!(memory.space, AddressSpace::Generic | AddressSpace::Global | AddressSpace::Shared);
    memory.order == Order::Weak && may_be_seen
}

/// Follows a read as long as nothing is decided: is the next thing a compare-and-swap at the same
/// address, with the value?
fn is_checked(program: &Program, function: FunctionIndex, pc: Pc) -> bool {
    let (mut function, mut pc) = (function, pc);
    let first = &program.function(function).code[pc as usize];
    let Op::Load { memory, d, address } = first.op else { return false };
    let file = if memory.element.wide { File::Pair } else { File::Word };
    let whole = memory.element.bytes == if memory.element.wide { 8 } else { 4 };
    if memory.count != 1 || !whole || !address.wide || Pair(address.register).is_constant() {
        return false;
    }
    let mut known = Known::default();
    known.set(File::Pair, address.register, Some(Holds::Address));
    known.set(file, d[0], Some(Holds::Value));
    let mut callers: Vec<(FunctionIndex, Pc, Known, List)> = Vec::new();
    for step in 0..MOST_STEPS {
        let here = program.function(function);
        let instruction = &here.code[pc as usize];
        if instruction.guard.predicate.is_some() {
            return false;
        }
        pc += 1;
        match instruction.op {
            _ if step == 0 => {}
            Op::Alu(Alu::MoveWord { d, a }) => known.set(File::Word, d.0, known.get(File::Word, a.0)),
            Op::Alu(Alu::MovePair { d, a }) => known.set(File::Pair, d.0, known.get(File::Pair, a.0)),
            Op::Alu(Alu::PackPair { d, lo, hi }) => {
                let part = match (known.get(File::Word, lo.0), known.get(File::Word, hi.0)) {
                    (Some(Holds::ValueLow), Some(Holds::ValueHigh)) => Some(Holds::Value),
                    (Some(Holds::AddressLow), Some(Holds::AddressHigh)) => Some(Holds::Address),
                    _ => None,
                };
                known.set(File::Pair, d.0, part);
            }
            Op::Alu(Alu::UnpackPair { lo, hi, a }) => {
                let (low, high) = match known.get(File::Pair, a.0) {
                    Some(Holds::Value) => (Some(Holds::ValueLow), Some(Holds::ValueHigh)),
                    Some(Holds::Address) => (Some(Holds::AddressLow), Some(Holds::AddressHigh)),
                    _ => (None, None),
                };
                for (word, part) in [(lo, low), (hi, high)] {
                    if word.is_some() {
                        known.set(File::Word, word.0, part);
                    }
                }
            }
            Op::Branch { target, .. } => pc = target,
            Op::Call { callee: Callee::Function(callee), arguments, results } => {
                let mut inside = Known::default();
                for (index, &word) in here.lists[arguments.range()].iter().enumerate() {
                    inside.set(File::Word, index as u16, known.get(File::Word, word.0));
                }
                callers.push((function, pc, std::mem::replace(&mut known, inside), results));
                (function, pc) = (callee, 0);
            }
            Op::Return => match callers.pop() {
                Some((caller, after, outside, results)) => {
                    let inside = std::mem::replace(&mut known, outside);
                    let given = &program.function(caller).lists[results.range()];
                    for (from, to) in here.result_words.clone().zip(given) {
                        known.set(File::Word, to.0, inside.get(File::Word, from));
                    }
                    (function, pc) = (caller, after);
                }
                None => return false,
            },
            Op::Atomic { op: AtomicOp::CompareAndSwap, kind, address: swapped, b, .. } => {
                let file = if kind.is_wide() { File::Pair } else { File::Word };
                return swapped.wide
                    && swapped.offset == address.offset
                    && known.get(File::Pair, swapped.register) == Some(Holds::Address)
                    && known.get(file, b[0]) == Some(Holds::Value);
            }
            Op::BranchIndexed { .. } | Op::Call { .. } | Op::Matrix(_) | Op::Exit => return false,
            op => used(op, &here.lists, &mut |file, access, register| {
                if access != OperandUse::Read {
                    known.set(file, register, None);
                }
            }),
        }
    }
    false
}
