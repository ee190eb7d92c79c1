//! Atomics whose old value nobody reads become reductions, as `ptxas` makes them.
//!
//! NVRTC writes `atom` for every atomic function, also for `atomicAdd(&count, 1);` as a statement of its own.

use super::function::Lowered;
use crate::ir::{
    AtomicOp, Op, UNUSED,
    visit::{File, OperandUse, operands},
};

/// Drops results of atomics that no instruction of the function reads.
pub fn drop_results(lowered: &mut Lowered) {
    let function = &mut lowered.function;
    // Results of a function are read by its caller.
    let fixed = function.result_words.end;
    let mut words: Vec<bool> = (0..function.words).map(|word| word < fixed).collect();
    let mut pairs = vec![false; usize::from(function.pairs)];
    for instruction in &mut function.code {
        operands(&mut instruction.op, &mut function.lists, &mut |file, access, register| {
            if access != OperandUse::Write {
                match file {
                    File::Word => words[usize::from(*register)] = true,
                    File::Pair => pairs[usize::from(*register)] = true,
                    File::Predicate => {}
                }
            }
        });
    }
    for instruction in &mut function.code {
        let Op::Atomic { op, kind, d, .. } = &mut instruction.op else { continue };
        let read = if kind.is_wide() { &pairs } else { &words };
        if *d != UNUSED && !d.iter().any(|&d| read.get(usize::from(d)) == Some(&true)) {
            *d = UNUSED;
        }
        if *d != UNUSED && *op == AtomicOp::Count {
            *op = AtomicOp::Add;
        }
    }
}
