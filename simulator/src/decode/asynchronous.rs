//! Asynchronous copies and the barriers in shared memory.

use super::{
    bulk,
    function::{Lowering, NamedRegister},
    memory::space,
};
use crate::{
    ir::{Address, AddressSpace, Asynchronous, Mbarrier, Op, Order, Pair, Predicate, Word},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers `cp` and `mbarrier`.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    match i.opcode {
        "cp" => {
            match *i.modifiers.first()? {
                "async" => {}
                "reduce" => return bulk::reduce(l, i),
                _ => return None,
            }
            if has("bulk") {
                return bulk::lower(l, i);
            }
            let operation = match *i.modifiers.get(1)? {
                "commit_group" => Asynchronous::Commit,
                "wait_all" => Asynchronous::WaitAll,
                "wait_group" => match i.operands.first()? {
                    Operand::Integer(groups) => {
                        Asynchronous::Wait { groups: u32::try_from(*groups).unwrap_or(u32::MAX) }
                    }
                    _ => return None,
                },
                "mbarrier" if has("arrive") => Asynchronous::Arrive {
                    address: shared_address(l, i, i.operands.first()?)?,
                    counted: has("noinc"),
                },
                "ca" | "cg" => return copy(l, i),
                _ => return None,
            };
            l.emit(Op::Asynchronous(operation));
        }
        "mbarrier" => mbarrier(l, i)?,
        _ => return None,
    }
    Some(())
}

/// `cp.async.ca.shared.global [to], [from], bytes{, reads | ignore}{, policy}`.
fn copy(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let [to, from, Operand::Integer(bytes), rest @ ..] = &i.operands[..] else { return None };
    let bytes = u8::try_from(*bytes).ok().filter(|bytes| [4, 8, 16].contains(bytes))?;
    let hint = usize::from(i.modifiers.contains(&"L2::cache_hint"));
    let rest = rest.get(..rest.len().checked_sub(hint)?)?;
    let (mut reads, mut ignore, mut negated) = (Word::NONE, Predicate::NONE, false);
    match rest {
        [] => {}
        [one] => match (one, l.register(one)) {
            (Operand::Not(_), _) | (_, Some(NamedRegister::Predicate(_))) => {
                (ignore, negated) = l.predicate(one)?
            }
            _ => reads = l.word(one)?,
        },
        _ => return None,
    }
    let (to, from) = (l.address(to)?, l.address(from)?);
    l.emit(Op::Asynchronous(Asynchronous::Copy {
        to,
        from,
        bytes,
        reads,
        ignore,
        negated,
        past_l1: i.modifiers.contains(&"cg"),
    }));
    Some(())
}

/// An address in the shared space: a generic one is converted, for `mbarrier` without a space.
fn shared_address(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    operand: &Operand<'_>,
) -> Option<Address> {
    let address = l.address(operand)?;
    match space(i) {
        AddressSpace::Shared | AddressSpace::Cluster => Some(address),
        AddressSpace::Generic if address.wide => {
            let d = l.new_pair().0;
            let a = address.register;
            l.emit(Op::ConvertAddress { space: AddressSpace::Shared, to_space: true, wide: true, d, a });
            Some(Address { register: d, ..address })
        }
        _ => None,
    }
}

fn order(i: &ParsedInstruction<'_>, usual: Order) -> Order {
    if i.modifiers.contains(&"relaxed") { Order::Relaxed } else { usual }
}

fn mbarrier(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    let o = &i.operands[..];
    let operation = match *i.modifiers.first()? {
        "init" => Mbarrier::Init { address: shared_address(l, i, o.first()?)?, count: l.word(o.get(1)?)? },
        "inval" => Mbarrier::Invalidate { address: shared_address(l, i, o.first()?)? },
        "pending_count" => Mbarrier::Pending { d: l.d_word(o.first()?)?, state: l.pair(o.get(1)?)? },
        what @ ("expect_tx" | "complete_tx") => Mbarrier::Bytes {
            address: shared_address(l, i, o.first()?)?,
            bytes: l.word(o.get(1)?)?,
            came: what == "complete_tx",
        },
        what @ ("arrive" | "arrive_drop") => {
            // For a barrier of another block of the cluster there is no state to give.
            let (d, rest) = match o {
                [Operand::Address(..), ..] => (Pair::NONE, o),
                [d, rest @ ..] if *d == Operand::Name("_") => (Pair::NONE, rest),
                [d, rest @ ..] => (l.d_pair(d)?, rest),
                [] => return None,
            };
            let address = shared_address(l, i, rest.first()?)?;
            let count = match rest.get(1) {
                Some(count) => l.word(count)?,
                None => Word::NONE,
            };
            let expects = has("expect_tx");
            if expects && !count.is_some() {
                return None;
            }
            Mbarrier::Arrive {
                address,
                d,
                count,
                expects,
                drops: what == "arrive_drop",
                completes: !has("noComplete"),
                order: order(i, Order::Release),
            }
        }
        "test_wait" | "try_wait" => {
            let d = l.d_predicate(o.first()?)?;
            let address = shared_address(l, i, o.get(1)?)?;
            let parity = has("parity");
            let phase = if parity { l.word(o.get(2)?)?.0 } else { l.pair(o.get(2)?)?.0 };
            let limit = match o.get(3) {
                Some(limit) => l.word(limit)?,
                None => Word::NONE,
            };
            Mbarrier::Wait { address, d, phase, parity, order: order(i, Order::Acquire), limit }
        }
        _ => return None,
    };
    l.emit(Op::Mbarrier(operation));
    Some(())
}
