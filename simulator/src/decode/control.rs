//! Branches, calls, returns, block-wide barriers and fences.

use super::{
    function::{Binding, Lowering, NamedRegister},
    lacking,
    memory::scope,
    names::CallTarget,
};
use crate::{
    ir::{
        Alu, BarrierKind, BarrierSite, Builtin, Bulk, Callee, FenceKind, List, NO_JOIN, Op, Pair, Pc,
        Predicate, Scope, Word,
    },
    ptx::{Operand, ParsedInstruction},
};

/// Lowers an instruction that decides what is executed next, or when.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    match i.opcode {
        "bra" => {
            let [Operand::Name(name)] = i.operands[..] else { return None };
            // Until `flow` arranges the code, a target is the number of a label.
            let target = l.label(name)? as Pc;
            l.emit(Op::Branch { target, join: NO_JOIN });
        }
        "brx" => {
            let [index, Operand::Name(table)] = &i.operands[..] else { return None };
            let Binding::Targets(labels) = l.binding(table)? else { return None };
            let index = l.word(index)?;
            let targets = list(l.function.targets.len(), labels.len())?;
            l.function.targets.extend(labels.into_iter().map(|label| label as Pc));
            l.emit(Op::BranchIndexed { index, targets, join: NO_JOIN });
        }
        "call" => return call(l, i),
        "ret" => l.returns(),
        "exit" => l.emit(Op::Exit),
        "trap" => l.emit(Op::Trap),
        "brkpt" => l.emit(Op::Breakpoint),
        "bar" | "barrier" => return barrier(l, i),
        "membar" => {
            let scope = scope(i);
            match (scope, i.modifiers.first()) {
                (Some(scope), _) => l.emit(Op::Fence { scope, kind: FenceKind::SequentiallyConsistent }),
                (None, Some(&"proxy")) => l.emit(Op::Hint { sleeps: false }),
                _ => return None,
            }
        }
        "fence" => return fence(l, i),
        _ => return None,
    }
    Some(())
}

fn list(start: usize, len: usize) -> Option<List> {
    Some(List { start: u32::try_from(start).ok()?, len: u16::try_from(len).ok()? })
}

fn fence(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let first = *i.modifiers.first()?;
    // Between other proxies nothing is told apart. `fence.mbarrier_init` is taken for a fence of all that came before: it may order more
    // than it should.
    // One for global memory alone hands over nothing of what lies in shared memory, and only that is told apart.
    let hands_over =
        i.modifiers.get(1).is_some_and(|of| of.starts_with("async")) && i.modifiers.get(2) != Some(&"global");
    if first == "proxy" && hands_over {
        l.emit(Op::Bulk(Bulk::Fence));
        return Some(());
    }
    if first == "proxy" || i.modifiers.iter().any(|m| m.starts_with("sync_restrict")) {
        l.emit(Op::Hint { sleeps: false });
        return Some(());
    }
    let scope = scope(i).unwrap_or(Scope::System);
    let kind = match first {
        "sc" => FenceKind::SequentiallyConsistent,
        _ => FenceKind::AcquireRelease,
    };
    l.emit(Op::Fence { scope, kind });
    Some(())
}

/// `bar.…`, `barrier{.cta}.…`, `barrier.cluster.…`; see PTX ISA 9.7.13.1 and 9.7.13.4.
fn barrier(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    let o = &i.operands[..];
    if has("warp") {
        let mask = l.word(o.first()?)?;
        l.emit(Op::WarpSync { mask });
        return Some(());
    }
    let site = u16::try_from(l.function.barriers.len()).ok()?;
    let (mut kind, mut d, mut predicate, mut negated) = (BarrierKind::Sync, u16::MAX, Predicate::NONE, false);
    if has("cluster") {
        kind = match () {
            () if has("arrive") => BarrierKind::ClusterArrive { relaxed: has("relaxed") },
            () if has("wait") => BarrierKind::ClusterWait,
            () => return None,
        };
        l.emit(Op::Barrier { kind, id: Word::NONE, count: Word::NONE, d, predicate, negated, site });
        let pc = l.function.code.len() as Pc - 1;
        l.function.barriers.push(BarrierSite { pc, past: None, original: site });
        return Some(());
    }
    let rest = if has("red") {
        let [result, id_and_count @ .., reduced] = o else { return None };
        (kind, d) = if has("popc") {
            (BarrierKind::Popcount, l.d_word(result)?.0)
        } else if has("and") {
            (BarrierKind::And, l.d_predicate(result)?.0)
        } else if has("or") {
            (BarrierKind::Or, l.d_predicate(result)?.0)
        } else {
            return None;
        };
        (predicate, negated) = l.predicate(reduced)?;
        id_and_count
    } else {
        if has("arrive") {
            kind = BarrierKind::Arrive;
        }
        o
    };
    let id = l.word(rest.first()?)?;
    let count = match rest.get(1) {
        Some(count) => l.word(count)?,
        None => Word::NONE,
    };
    l.emit(Op::Barrier { kind, id, count, d, predicate, negated, site });
    l.function.barriers.push(BarrierSite { pc: l.function.code.len() as Pc - 1, past: None, original: site });
    Some(())
}

/// `call{.uni} {(results),} callee {, (arguments)} {, prototype}`.
fn call(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let (results, rest): (&[Operand<'_>], _) = match &i.operands[..] {
        [Operand::List(results), rest @ ..] => (results, rest),
        rest => (&[], rest),
    };
    let [callee, rest @ ..] = rest else { return None };
    let arguments: &[Operand<'_>] = match rest.first() {
        Some(Operand::List(arguments)) => arguments,
        _ => &[],
    };
    let Operand::Name(name) = callee else { return None };
    let parameters = match l.target(name) {
        Some(CallTarget::Defined(index)) => &l.names.definition(index).parameters[..],
        _ => &[],
    };
    let mut words = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        // A number is as wide as its parameter.
        let wide = parameters.get(at).is_some_and(|parameter| parameter.kind.bytes() == 8);
        argument_words(l, argument, wide, &mut words)?;
    }
    let mut result_words = Vec::new();
    let mut pairs = Vec::new();
    // A single result may be left: `(_)`.
    let kept = if *results == [Operand::Name("_")] { &[] } else { results };
    for result in kept {
        result_word(l, result, &mut result_words, &mut pairs)?;
    }
    let callee = match l.register(callee) {
        Some(NamedRegister::Pair(pair)) => Callee::Indirect(pair),
        Some(_) => return None,
        None => match l.target(name) {
            Some(CallTarget::Defined(index)) => {
                let definition = l.names.definition(index);
                let size = |variables: &[crate::ptx::ParsedVariable<'_>]| -> u64 {
                    variables.iter().map(crate::ptx::ParsedVariable::words).sum()
                };
                if size(&definition.parameters) != words.len() as u64
                    || size(&definition.results) < result_words.len() as u64
                {
                    l.unsupported(
                        format!("a call of {name} whose arguments do not match its parameters"),
                        None,
                    );
                    return Some(());
                }
                Callee::Function(index)
            }
            Some(CallTarget::Builtin(builtin)) => {
                let expected = match builtin {
                    Builtin::Vprintf => 4,
                    Builtin::Malloc | Builtin::Free => 2,
                    Builtin::AssertFail => 9,
                    Builtin::CooperativeHandle => 1,
                    Builtin::CooperativeSynchronize => 3,
                };
                if words.len() != expected {
                    return None;
                }
                Callee::Builtin(builtin)
            }
            Some(CallTarget::Missing) | None => {
                let part = lacking::family_of_call(name);
                l.unsupported(format!("a call of {name}, which the module does not define"), part);
                return Some(());
            }
        },
    };
    let arguments = l.list(words)?;
    let results = l.list(result_words)?;
    l.emit(Op::Call { callee, arguments, results });
    for (d, [lo, hi]) in pairs {
        l.alu(Alu::PackPair { d, lo, hi })?;
    }
    Some(())
}

/// The words that a result comes in. Those of a pair are put together behind the call.
fn result_word(
    l: &mut Lowering<'_, '_, '_>,
    result: &Operand<'_>,
    words: &mut Vec<Word>,
    pairs: &mut Vec<(Pair, [Word; 2])>,
) -> Option<()> {
    if let Operand::Name(name) = result
        && let Some(Binding::Param { first, words: count }) = l.binding(name)
    {
        words.extend((first..first + count).map(Word));
        return Some(());
    }
    if let Operand::Vector(elements) = result {
        return elements.iter().try_for_each(|element| result_word(l, element, words, pairs));
    }
    match l.register(result)? {
        NamedRegister::Word(word) => words.push(word),
        NamedRegister::Pair(pair) => {
            let halves = [l.new_word(), l.new_word()];
            words.extend(halves);
            pairs.push((pair, halves));
        }
        NamedRegister::Predicate(_) => return None,
    }
    Some(())
}

fn argument_words(
    l: &mut Lowering<'_, '_, '_>,
    argument: &Operand<'_>,
    wide: bool,
    words: &mut Vec<Word>,
) -> Option<()> {
    if let Operand::Name(name) = argument
        && let Some(Binding::Param { first, words: count }) = l.binding(name)
    {
        words.extend((first..first + count).map(Word));
        return Some(());
    }
    if let Operand::Vector(elements) = argument {
        return elements.iter().try_for_each(|element| argument_words(l, element, wide, words));
    }
    match l.register(argument) {
        Some(NamedRegister::Pair(a)) => unpack(l, a, words)?,
        Some(NamedRegister::Predicate(_)) => return None,
        None if wide => {
            let a = l.double(argument)?;
            unpack(l, a, words)?;
        }
        _ => words.push(l.float(argument)?),
    }
    Some(())
}

fn unpack(l: &mut Lowering<'_, '_, '_>, a: Pair, words: &mut Vec<Word>) -> Option<()> {
    let (lo, hi) = (l.new_word(), l.new_word());
    l.alu(Alu::UnpackPair { lo, hi, a })?;
    words.extend([lo, hi]);
    Some(())
}
