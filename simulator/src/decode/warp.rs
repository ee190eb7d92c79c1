//! What lanes of a warp do together, and hints.

use super::function::Lowering;
use crate::{
    ir::{Op, Predicate, ReduxOp, ShuffleMode, VoteMode, Warpgroup, Word},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers a warp-level instruction.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    let o = &i.operands[..];
    let op = match i.opcode {
        "shfl" => {
            let mode = if has("up") {
                ShuffleMode::Up
            } else if has("down") {
                ShuffleMode::Down
            } else if has("bfly") {
                ShuffleMode::Butterfly
            } else if has("idx") {
                ShuffleMode::Index
            } else {
                return None;
            };
            let (d, in_range) = match o.first()? {
                Operand::Dual(d, p) => (l.d_word(d)?, l.d_predicate(p)?),
                d => (l.d_word(d)?, Predicate::NONE),
            };
            let (a, b, c) = (l.word(o.get(1)?)?, l.word(o.get(2)?)?, l.word(o.get(3)?)?);
            let mask = mask(l, has("sync"), o.get(4))?;
            Op::Shuffle { mode, d, in_range, a, b, c, mask }
        }
        "vote" => {
            let mode = if has("ballot") {
                VoteMode::Ballot
            } else if has("all") {
                VoteMode::All
            } else if has("any") {
                VoteMode::Any
            } else if has("uni") {
                VoteMode::Uniform
            } else {
                return None;
            };
            let d = o.first()?;
            let d = if mode == VoteMode::Ballot { l.d_word(d)?.0 } else { l.d_predicate(d)?.0 };
            let (predicate, negated) = l.predicate(o.get(1)?)?;
            let mask = mask(l, has("sync"), o.get(2))?;
            Op::Vote { mode, d, predicate, negated, mask }
        }
        "match" => {
            let wide = *i.modifiers.last()? == "b64";
            let (d, equal) = match o.first()? {
                Operand::Dual(d, p) => (l.d_word(d)?, l.d_predicate(p)?),
                d => (l.d_word(d)?, Predicate::NONE),
            };
            let a = o.get(1)?;
            let a = if wide { l.pair(a)?.0 } else { l.word(a)?.0 };
            let mask = l.word(o.get(2)?)?;
            Op::Match { all: has("all"), wide, d, equal, a, mask }
        }
        "redux" => {
            let kind = *i.modifiers.last()?;
            let op = match (i.modifiers.iter().copied().find(|&m| m != "sync")?, kind) {
                ("add", "u32" | "s32") => ReduxOp::Add,
                ("min", "u32") => ReduxOp::MinU,
                ("max", "u32") => ReduxOp::MaxU,
                ("min", "s32") => ReduxOp::MinS,
                ("max", "s32") => ReduxOp::MaxS,
                ("and", "b32") => ReduxOp::And,
                ("or", "b32") => ReduxOp::Or,
                ("xor", "b32") => ReduxOp::Xor,
                _ => return None,
            };
            let (d, a, mask) = l.words3(o)?;
            Op::Redux { op, d, a, mask }
        }
        "activemask" => Op::ActiveMask { d: l.d_word(o.first()?)? },
        "elect" => {
            let (d, elected) = match o.first()? {
                Operand::Dual(d, p) if **d == Operand::Name("_") => (Word::NONE, l.d_predicate(p)?),
                Operand::Dual(d, p) => (l.d_word(d)?, l.d_predicate(p)?),
                _ => return None,
            };
            Op::Elect { d, elected, mask: l.word(o.get(1)?)? }
        }
        "nanosleep" => Op::Hint { sleeps: true },
        "setmaxnreg" => Op::Warpgroup(Warpgroup::Registers),
        "pmevent" | "griddepcontrol" => Op::Hint { sleeps: false },
        _ => return None,
    };
    l.emit(op);
    Some(())
}

/// The member mask; the old forms without `.sync` have none.
fn mask(l: &mut Lowering<'_, '_, '_>, sync: bool, operand: Option<&Operand<'_>>) -> Option<Word> {
    match (sync, operand) {
        (true, Some(operand)) => l.word(operand),
        (false, None) => Some(Word::NONE),
        _ => None,
    }
}
