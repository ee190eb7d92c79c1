//! Bulk copies (`cp.async.bulk`) without tensor maps, in the forms of one block: a copy from one block of a cluster into another, or into
//! several, is not among them.

use super::function::Lowering;
use crate::{
    ir::{Bulk, Op},
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

/// The operands but for the cache policy, which changes no value.
fn without_policy<'i, 'a>(i: &'i ParsedInstruction<'a>) -> Option<&'i [Operand<'a>]> {
    let hint = usize::from(i.modifiers.contains(&"L2::cache_hint"));
    i.operands.get(..i.operands.len().checked_sub(hint)?)
}

/// True if nothing is asked for but a cache policy.
fn is_plain(modifiers: &[&str]) -> bool {
    modifiers.iter().all(|&modifier| modifier == "L2::cache_hint")
}
