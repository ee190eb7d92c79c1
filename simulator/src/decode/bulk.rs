//! Bulk copies (`cp.async.bulk`), plain and of boxes of tensors, within a block and between the blocks of a cluster.

use super::function::Lowering;
use crate::{
    ir::{Alu, AtomicOp, AtomicType, Bulk, Op, Pair, Word, Word2},
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
        (["prefetch", "tensor", "L2", _, "global", mode @ ..], _) if is_tile(mode) => {
            l.emit(Op::Hint { sleeps: false });
            return Some(());
        }
        (
            ["tensor", rank, "shared::cluster" | "shared::cta", "global", mode @ ..],
            [to, tensor, barrier, ranks @ ..],
        ) if let Some((mode, to_many)) = coming(mode)
            && is_tile(mode) =>
        {
            let ranks = ranks_of(l, to_many, ranks)?;
            tensor_copy(l, rank, tensor, &[to, barrier], None, ranks)?
        }
        (["tensor", rank, "global", "shared::cta", mode @ .., "bulk_group"], [tensor, from])
            if is_tile(mode) =>
        {
            tensor_copy(l, rank, tensor, &[from], None, Word::NONE)?
        }
        (
            ["shared::cluster" | "shared::cta", "global", rest @ ..],
            [to, from, bytes, barrier, ranks @ ..],
        ) if let Some(([], to_many)) = coming(rest) => Bulk::In {
            to: l.address(to)?,
            from: l.address(from)?,
            bytes: l.word(bytes)?,
            barrier: l.address(barrier)?,
            ranks: ranks_of(l, to_many, ranks)?,
        },
        (["shared::cluster", "shared::cta", "mbarrier::complete_tx::bytes"], [to, from, bytes, barrier]) => {
            Bulk::Across {
                to: l.address(to)?,
                from: l.address(from)?,
                bytes: l.word(bytes)?,
                barrier: l.address(barrier)?,
            }
        }
        (["global", "shared::cta", "bulk_group", rest @ ..], [to, from, bytes]) if is_plain(rest) => {
            Bulk::Out { to: l.address(to)?, from: l.address(from)?, bytes: l.word(bytes)?, reduces: None }
        }
        _ => return None,
    };
    l.emit(Op::Bulk(operation));
    Some(())
}

/// Lowers `cp.reduce.async.bulk` to global memory: each element there is updated by an atomic.
pub fn reduce(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let operands = without_policy(i)?;
    let op = i.modifiers.iter().find_map(|of| reduction(of))?;
    let is_form = |of: &&str| *of != "L2::cache_hint" && reduction(of).is_none();
    let modifiers: Vec<&str> = i.modifiers.iter().copied().filter(is_form).collect();
    let operation = match (modifiers.strip_prefix(&["reduce", "async", "bulk"])?, operands) {
        (["global", "shared::cta", rounding @ .., "bulk_group", kind], [to, from, bytes]) => {
            let kind = kind.parse().ok()?;
            let is_half = matches!(kind, AtomicType::F16 | AtomicType::Bf16);
            if rounding != if is_half { &["noftz"][..] } else { &[] } || !reduces(op, kind) {
                return None;
            }
            let reduces = Some((op, kind));
            Bulk::Out { to: l.address(to)?, from: l.address(from)?, bytes: l.word(bytes)?, reduces }
        }
        (["tensor", rank, "global", "shared::cta", mode @ .., "bulk_group"], [tensor, from])
            if is_tile(mode) =>
        {
            tensor_copy(l, rank, tensor, &[from], Some(op), Word::NONE)?
        }
        _ => return None,
    };
    l.emit(Op::Bulk(operation));
    Some(())
}

fn reduction(op: &str) -> Option<AtomicOp> {
    Some(match op {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "inc" => AtomicOp::Increment,
        "dec" => AtomicOp::Decrement,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        _ => return None,
    })
}

/// True of the types that an operation of `cp.reduce.async.bulk` to global memory has. (Of halves there are the smaller and the larger, too:
/// those are lacking.)
fn reduces(op: AtomicOp, kind: AtomicType) -> bool {
    use AtomicType as Type;
    match op {
        AtomicOp::Add => {
            matches!(kind, Type::U32 | Type::S32 | Type::U64 | Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
        }
        AtomicOp::Min | AtomicOp::Max => matches!(kind, Type::U32 | Type::S32 | Type::U64 | Type::S64),
        AtomicOp::Increment | AtomicOp::Decrement => kind == Type::U32,
        _ => matches!(kind, Type::B32 | Type::B64),
    }
}

/// A box of a tensor: where in shared memory, and for what comes its barrier.
fn tensor_copy(
    l: &mut Lowering<'_, '_, '_>,
    rank: &str,
    tensor: &Operand<'_>,
    shared: &[&Operand<'_>],
    reduces: Option<AtomicOp>,
    ranks: Word,
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
    let comes = shared.len() == 2;
    Some(Bulk::Tensor { comes, reduces, map: l.address(map)?, words: l.list(words)?, ranks })
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

/// The modifiers of a copy into shared memory before those that say how its bytes are counted, and whether it goes to several
/// blocks (`.multicast::cluster`); a cache policy changes no value.
fn coming<'m, 'a>(modifiers: &'m [&'a str]) -> Option<(&'m [&'a str], bool)> {
    let modifiers = modifiers.strip_suffix(&["L2::cache_hint"]).unwrap_or(modifiers);
    let single = modifiers.strip_suffix(&["multicast::cluster"]);
    let before = single.unwrap_or(modifiers).strip_suffix(&["mbarrier::complete_tx::bytes"])?;
    Some((before, single.is_some()))
}

/// The last operand of a copy to several blocks.
fn ranks_of(l: &mut Lowering<'_, '_, '_>, to_many: bool, operands: &[Operand<'_>]) -> Option<Word> {
    match (to_many, operands) {
        (false, []) => Some(Word::NONE),
        (true, [ranks]) => l.word(ranks),
        _ => None,
    }
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
