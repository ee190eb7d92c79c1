//! Bulk copies (`cp.async.bulk`), plain and of boxes of tensors, in the forms of one block: a copy into another block of a cluster,
//! or into several, is not among them.

use super::function::Lowering;
use crate::{
    ir::{Alu, Bulk, Op, Pair, Word, Word2},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers `cp.async.bulk`.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let operands = without_policy(i)?;
    let operation = match (i.modifiers.get(2..)?, operands) {
        (["commit_group"], []) => Bulk::Commit,
        (["wait_group", rest @ ..], [Operand::Integer(groups)]) => {
            Bulk::Wait { groups: u32::try_from(*groups).unwrap_or(u32::MAX), read: rest.contains(&"read") }
        }
        // Brings to L2 what is there anyway.
        (["prefetch", "L2", ..], _) => {
            l.emit(Op::Hint { sleeps: false });
            return Some(());
        }
        (["prefetch", "tensor", _, "L2", "global", mode @ ..], _) if is_tile(mode) => {
            l.emit(Op::Hint { sleeps: false });
            return Some(());
        }
        (
            [
                "tensor",
                rank,
                "shared::cluster" | "shared::cta",
                "global",
                mode @ ..,
                "mbarrier::complete_tx::bytes",
            ],
            [to, tensor, barrier],
        ) if is_tile(mode) => tensor_copy(l, rank, tensor, &[to, barrier], true)?,
        (["tensor", rank, "global", "shared::cta", mode @ .., "bulk_group"], [tensor, from])
            if is_tile(mode) =>
        {
            tensor_copy(l, rank, tensor, &[from], false)?
        }
        (
            ["shared::cluster" | "shared::cta", "global", "mbarrier::complete_tx::bytes", rest @ ..],
            [to, from, bytes, barrier],
        ) if is_plain(rest) => Bulk::In {
            to: l.address(to)?,
            from: l.address(from)?,
            bytes: l.word(bytes)?,
            barrier: l.address(barrier)?,
        },
        (["global", "shared::cta", "bulk_group", rest @ ..], [to, from, bytes]) if is_plain(rest) => {
            Bulk::Out { to: l.address(to)?, from: l.address(from)?, bytes: l.word(bytes)? }
        }
        _ => return None,
    };
    l.emit(Op::Bulk(operation));
    Some(())
}

/// A box of a tensor: where in shared memory, and for what comes its barrier.
fn tensor_copy(
    l: &mut Lowering<'_, '_, '_>,
    rank: &str,
    tensor: &Operand<'_>,
    shared: &[&Operand<'_>],
    comes: bool,
) -> Option<Bulk> {
    let Operand::At(map, coordinates) = tensor else { return None };
    let rank: usize = rank.strip_suffix('d')?.parse().ok()?;
    if coordinates.len() != rank {
        return None;
    }
    let mut words = Vec::new();
    for address in shared {
        words.push(shared_word(l, address)?);
    }
    for coordinate in coordinates {
        words.push(l.word(coordinate)?);
    }
    Some(Bulk::Tensor { comes, map: l.address(map)?, words: l.list(words)? })
}

/// An address in the shared space as a word.
fn shared_word(l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<Word> {
    let address = l.address(operand)?;
    let mut word = Word(address.register);
    if address.wide {
        word = l.new_word();
        l.alu(Alu::UnpackPair { lo: word, hi: Word::NONE, a: Pair(address.register) })?;
    }
    if address.offset != 0 {
        let (d, b) = (l.new_word(), l.word_bits(address.offset as u32));
        l.alu(Alu::Word2 { op: Word2::Add, d, a: word, b })?;
        word = d;
    }
    Some(word)
}

/// True of copies of a whole box, in the layout that is not interleaved.
fn is_tile(mode: &[&str]) -> bool {
    mode == ["tile"] || mode.is_empty()
}

/// The operands but for the cache policy, which changes no value.
fn without_policy<'i, 'a>(i: &'i ParsedInstruction<'a>) -> Option<&'i [Operand<'a>]> {
    let hint = usize::from(i.modifiers.contains(&"L2::cache_hint"));
    i.operands.get(..i.operands.len().checked_sub(hint)?)
}

/// True if nothing is asked for but a cache policy.
fn is_plain(modifiers: &[&str]) -> bool {
    modifiers.iter().all(|&modifier| modifier == "L2::cache_hint")
}
