//! Which barriers of a function are copies of one in the source.
//!
//! A compiler may put one `__syncthreads()` into both branches of an `if`, where it moves what follows the `if` into
//! them, or threads a jump. Threads that meet at two such copies have met at one barrier. Copies are told by their
//! place in the source, with all the places that they were inlined into: without a place each instruction is a barrier
//! of its own, and so is the same line inlined at two places. Barriers of which one comes after the other, as rounds of
//! an unrolled loop do, are no copies in this sense: a thread passes both.
//!
//! Two barriers that one macro puts at one place look like copies. May miss, must not accuse wrongly.

use super::flow::Blocks;
use crate::ir::{BarrierSite, Callee, Instruction, Op, Pc};

/// For each barrier the first that it is a copy of; itself, mostly.
/// `placeless`: instructions whose place is a neighbour's.
pub fn originals(
    code: &[Instruction],
    barriers: &[BarrierSite],
    placeless: &[Pc],
    blocks: &Blocks,
) -> Vec<usize> {
    let mut originals: Vec<usize> = Vec::with_capacity(barriers.len());
    let mut forward = None;
    for (at, barrier) in barriers.iter().enumerate() {
        let mut are_copies = |first: usize| {
            let has_place = |barrier: &BarrierSite| !placeless.contains(&barrier.pc);
            if !has_place(&barriers[first])
                || !has_place(barrier)
                || !is_alike(code, barriers[first], *barrier)
            {
                return false;
            }
            let forward = forward.get_or_insert_with(|| blocks.forward());
            let mut members = (first..at).filter(|&other| originals[other] == first);
            members.all(|other| {
                let (one, two) = (blocks.of(barriers[other].pc), blocks.of(barrier.pc));
                !forward.reaches(one, two) && !forward.reaches(two, one)
            })
        };
        let original = (0..at).find(|&first| originals[first] == first && are_copies(first));
        originals.push(original.unwrap_or(at));
    }
    originals
}

/// They stand at one place of the source and do the same.
fn is_alike(code: &[Instruction], one: BarrierSite, two: BarrierSite) -> bool {
    let (one, two) = (&code[one.pc as usize], &code[two.pc as usize]);
    let same = match (one.op, two.op) {
        (Op::Barrier { kind, id, count, .. }, Op::Barrier { kind: other, id: of, count: to, .. }) => {
            (kind, id, count) == (other, of, to)
        }
        (
            Op::Call { callee: Callee::Function(callee), .. },
            Op::Call { callee: Callee::Function(other), .. },
        ) => callee == other,
        _ => false,
    };
    same && one.source.0 != 0 && one.source == two.source
}
