//! Loads, stores, atomics, and conversions of addresses.

use super::function::{Binding, Lowering, NamedRegister};
use crate::{
    ir::{
        Address, AddressSpace, Alu, AtomicOp, AtomicType, ConvertKind, Element, FloatMode, Memory, Op, Order,
        Pair, Scope, UNUSED, Word,
    },
    ptx::{Operand, ParsedInstruction, scalar_bytes},
};

const SINK: u16 = u16::MAX;

/// The state space named, generic when none is.
pub fn space(i: &ParsedInstruction<'_>) -> AddressSpace {
    i.modifiers
        .iter()
        .find_map(|m| {
            Some(match *m {
                "global" => AddressSpace::Global,
                "shared" | "shared::cta" => AddressSpace::Shared,
                "shared::cluster" => AddressSpace::Cluster,
                "local" => AddressSpace::Local,
                "const" => AddressSpace::Constant,
                "param" | "param::entry" | "param::func" => AddressSpace::Param,
                _ => return None,
            })
        })
        .unwrap_or(AddressSpace::Generic)
}

/// The scope named.
pub fn scope(i: &ParsedInstruction<'_>) -> Option<Scope> {
    i.modifiers.iter().find_map(|m| {
        Some(match *m {
            "cta" => Scope::Block,
            "cluster" => Scope::Cluster,
            "gpu" | "gl" => Scope::Gpu,
            "sys" => Scope::System,
            _ => return None,
        })
    })
}

fn order(i: &ParsedInstruction<'_>) -> Option<Order> {
    i.modifiers.iter().find_map(|m| {
        Some(match *m {
            "weak" => Order::Weak,
            // `.cv` fetches again each time, which is what it is used for.
            "volatile" | "cv" | "mmio" => Order::Volatile,
            "relaxed" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcquireRelease,
            _ => return None,
        })
    })
}

/// Lowers an instruction that concerns memory or addresses.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    match i.opcode {
        "ld" | "ldu" => load(l, i),
        "st" => store(l, i),
        "atom" => atomic(l, i, true),
        "red" => atomic(l, i, false),
        "cvta" => convert_address(l, i),
        "isspacep" => {
            let [d, a] = &i.operands[..] else { return None };
            let d = l.d_predicate(d)?;
            let (wide, a) = address_value(l, a)?;
            l.emit(Op::IsSpace { space: space(i), d, wide, a });
            Some(())
        }
        "mapa" => {
            let [d, a, rank] = &i.operands[..] else { return None };
            let (wide, d) = destination(l, d)?;
            let a = mapped(l, a, wide)?;
            let rank = l.word(rank)?;
            l.emit(Op::MapRank { generic: space(i) == AddressSpace::Generic, wide, d, a, rank });
            Some(())
        }
        "getctarank" => {
            let [d, a] = &i.operands[..] else { return None };
            let d = l.d_word(d)?;
            let wide = i.modifiers.last() == Some(&"u64");
            let a = mapped(l, a, wide)?;
            l.emit(Op::RankOf { generic: space(i) == AddressSpace::Generic, wide, d, a });
            Some(())
        }
        "alloca" => {
            let (wide, d) = destination(l, i.operands.first()?)?;
            let bytes = if wide { l.pair(i.operands.get(1)?)?.0 } else { l.word(i.operands.get(1)?)?.0 };
            let align = match i.operands.get(2) {
                Some(Operand::Integer(align)) => u16::try_from(*align).ok()?,
                None => 8,
                _ => return None,
            };
            l.function.takes_stack = true;
            l.emit(Op::StackAllocate { wide, d, bytes, align });
            Some(())
        }
        "stacksave" => {
            let (wide, d) = destination(l, i.operands.first()?)?;
            l.emit(Op::StackSave { wide, d });
            Some(())
        }
        "stackrestore" => {
            let (wide, a) = address_value(l, i.operands.first()?)?;
            l.emit(Op::StackRestore { wide, a });
            Some(())
        }
        "createpolicy" => {
            let (d, a) = (l.d_pair(i.operands.first()?)?, l.pair_bits(0));
            l.alu(Alu::MovePair { d, a })
        }
        // prefetch, discard, applypriority: hints about caches.
        _ => {
            l.emit(Op::Hint { sleeps: false });
            Some(())
        }
    }
}

fn destination(l: &Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<(bool, u16)> {
    match l.register(operand)? {
        NamedRegister::Pair(pair) => Some((true, pair.0)),
        NamedRegister::Word(word) => Some((false, word.0)),
        NamedRegister::Predicate(_) => None,
    }
}

/// The address that `mapa` and `getctarank` take, in a register of this width: a register, or a variable with an offset.
fn mapped(l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>, wide: bool) -> Option<u16> {
    match (wide, l.register(operand)) {
        (_, Some(NamedRegister::Predicate(_))) => None,
        (true, Some(NamedRegister::Pair(pair))) => Some(pair.0),
        (false, Some(NamedRegister::Word(word))) => Some(word.0),
        (_, Some(_)) => None,
        (true, None) => Some(l.pair(operand)?.0),
        (false, None) => Some(l.word(operand)?.0),
    }
}

/// An address held in a register or constant: whether it is a pair, and its index.
fn address_value(l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<(bool, u16)> {
    match l.register(operand) {
        Some(NamedRegister::Pair(pair)) => Some((true, pair.0)),
        Some(NamedRegister::Word(word)) => Some((false, word.0)),
        Some(NamedRegister::Predicate(_)) => None,
        None => Some((true, l.pair(operand)?.0)),
    }
}

/// What the modifiers say about element, count and order; the registers' width is still open.
/// 128 bits are two elements.
fn memory<'a>(i: &ParsedInstruction<'a>) -> Option<(Memory, &'a str)> {
    let kind = i.modifiers.iter().rev().copied().find(|m| scalar_bytes(m) > 0)?;
    let bytes = scalar_bytes(kind).min(8);
    let vector = i.modifiers.iter().any(|m| matches!(*m, "v2" | "v4" | "v8"));
    let count = match () {
        () if kind == "b128" && vector => return None,
        () if kind == "b128" => 2,
        () if i.modifiers.contains(&"v2") => 2,
        () if i.modifiers.contains(&"v4") => 4,
        () if i.modifiers.contains(&"v8") => return None,
        () => 1,
    };
    let order = order(i).unwrap_or(Order::Weak);
    let scope = scope(i).unwrap_or(Scope::System);
    let element = Element { bytes: bytes as u8, signed: kind.starts_with('s'), wide: bytes == 8 };
    let space = space(i);
    let read_only = space == AddressSpace::Global && (i.opcode == "ldu" || i.modifiers.contains(&"nc"));
    Some((Memory { space, element, count, order, scope, read_only }, kind))
}

/// The registers of a vector of so many, or the one that stands for it.
pub fn elements<'o, 'a>(operand: &'o Operand<'a>, count: u8) -> Option<&'o [Operand<'a>]> {
    let found = match operand {
        Operand::Vector(parts) => &parts[..],
        single => std::slice::from_ref(single),
    };
    (found.len() == usize::from(count)).then_some(found)
}

fn load(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let (mut memory, kind) = memory(i)?;
    if kind == "b128" {
        let [d, source] = &i.operands[..] else { return None };
        let ([lo, hi], address) = (l.quad(d)?, l.address(source)?);
        l.emit(Op::Load { memory, d: [lo.0, hi.0, SINK, SINK], address });
        return Some(());
    }
    let d = elements(i.operands.first()?, memory.count)?;
    let source = i.operands.get(1)?;
    if let Operand::Address(Some(name), offset) = source
        && let Some(Binding::Param { first, words }) = l.binding(name)
    {
        return load_words(l, memory, d, first, words, u32::try_from(*offset).ok()?);
    }
    if let Operand::Address(Some(name), _) = source
        && let Some(Binding::Local { .. }) = l.binding(name)
    {
        // Also a parameter that was put there.
        memory.space = AddressSpace::Local;
    }
    if let Operand::Address(Some(name), _) = source
        && l.register(&Operand::Name(name)).is_some()
    {
        memory.space = space_of_address(l, i);
    }
    // Every register of a vector has the same width.
    let wide = d
        .iter()
        .find_map(|operand| l.register(operand))
        .map(|register| matches!(register, NamedRegister::Pair(_)));
    memory.element.wide = wide.unwrap_or(memory.element.wide);
    if memory.element.bytes == 8 && !memory.element.wide {
        return None;
    }
    let mut registers = [SINK; 4];
    for (register, operand) in registers.iter_mut().zip(d) {
        *register = match (l.register(operand), memory.element.wide) {
            (Some(NamedRegister::Pair(pair)), true) => pair.0,
            (Some(NamedRegister::Word(word)), false) => word.0,
            (None, _) if *operand == Operand::Name("_") => SINK,
            _ => return None,
        };
    }
    let address = l.address(source)?;
    l.emit(Op::Load { memory, d: registers, address });
    Some(())
}

fn store(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let (mut memory, kind) = memory(i)?;
    if kind == "b128" {
        let [target, a] = &i.operands[..] else { return None };
        let (Operand::Name(name), [lo, hi]) = (a, l.quad(a)?) else { return None };
        if *name == "_" {
            return None;
        }
        let address = l.address(target)?;
        l.emit(Op::Store { memory, a: [lo.0, hi.0, SINK, SINK], address });
        return Some(());
    }
    let a = elements(i.operands.get(1)?, memory.count)?;
    let target = i.operands.first()?;
    if let Operand::Address(Some(name), offset) = target
        && let Some(Binding::Param { first, words }) = l.binding(name)
    {
        return store_words(l, memory, kind, name, a, first, words, u32::try_from(*offset).ok()?);
    }
    let wide = a
        .iter()
        .find_map(|operand| l.register(operand))
        .map(|register| matches!(register, NamedRegister::Pair(_)));
    memory.element.wide = memory.element.bytes == 8 || wide.unwrap_or(false);
    let mut registers = [SINK; 4];
    for (register, operand) in registers.iter_mut().zip(a) {
        *register = match (memory.element.wide, kind) {
            (true, "f64") => l.double(operand)?.0,
            (true, _) => l.pair(operand)?.0,
            (false, "f32") => l.float(operand)?.0,
            (false, _) => l.word(operand)?.0,
        };
    }
    let address = l.address(target)?;
    l.emit(Op::Store { memory, a: registers, address });
    Some(())
}

/// `ld.param` from a variable that lives in words.
fn load_words(
    l: &mut Lowering<'_, '_, '_>,
    memory: Memory,
    d: &[Operand<'_>],
    first: u16,
    words: u16,
    offset: u32,
) -> Option<()> {
    let bytes = u32::from(memory.element.bytes);
    for (index, operand) in d.iter().enumerate() {
        let at = offset.checked_add(index as u32 * bytes)?;
        if at.checked_add(bytes)? > 4 * u32::from(words) {
            return None;
        }
        if *operand == Operand::Name("_") {
            continue;
        }
        let a = Word(first + (at / 4) as u16);
        if bytes == 8 {
            let d = l.d_pair(operand)?;
            l.alu(Alu::PackPair { d, lo: a, hi: Word(a.0 + 1) })?;
            continue;
        }
        let narrow = |d: Word| match bytes {
            4 => Alu::MoveWord { d, a },
            _ => Alu::Extract {
                signed: memory.element.signed,
                shift: (at % 4 * 8) as u8,
                width: (bytes * 8) as u8,
                d,
                a,
            },
        };
        match l.register(operand)? {
            NamedRegister::Word(d) => l.alu(narrow(d))?,
            NamedRegister::Pair(d) => {
                let low = l.new_word();
                l.alu(narrow(low))?;
                let (to, from) = match memory.element.signed {
                    true => (ConvertKind::S64, ConvertKind::S32),
                    false => (ConvertKind::U64, ConvertKind::U32),
                };
                l.alu(Alu::Convert { to, from, mode: FloatMode::NEAREST, integer: false, d: d.0, a: low.0 })?;
            }
            NamedRegister::Predicate(_) => return None,
        }
    }
    Some(())
}

/// `st.param` to a variable that lives in words.
#[expect(clippy::too_many_arguments, reason = "the parts of one store")]
fn store_words(
    l: &mut Lowering<'_, '_, '_>,
    memory: Memory,
    kind: &str,
    name: &str,
    a: &[Operand<'_>],
    first: u16,
    words: u16,
    offset: u32,
) -> Option<()> {
    let bytes = u32::from(memory.element.bytes);
    for (index, operand) in a.iter().enumerate() {
        let at = offset.checked_add(index as u32 * bytes)?;
        if at.checked_add(bytes)? > 4 * u32::from(words) {
            return None;
        }
        let d = Word(first + (at / 4) as u16);
        if bytes == 8 {
            let a: Pair = if kind == "f64" { l.double(operand)? } else { l.pair(operand)? };
            l.alu(Alu::UnpackPair { lo: d, hi: Word(d.0 + 1), a })?;
            continue;
        }
        let a = if kind == "f32" { l.float(operand)? } else { l.word(operand)? };
        // Alone in its word, a narrow value needs no neighbours kept.
        let alone = at.is_multiple_of(4) && l.stores_to(name, at / 4) == 1;
        if bytes == 4 || alone {
            l.alu(Alu::MoveWord { d, a })?;
        } else {
            l.alu(Alu::Insert { shift: (at % 4 * 8) as u8, width: (bytes * 8) as u8, d, a })?;
        }
    }
    Some(())
}

fn atomic(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>, returns: bool) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    if has("async") {
        return None;
    }
    let kind: AtomicType = i.modifiers.last()?.parse().ok()?;
    let op = i.modifiers.iter().find_map(|m| {
        Some(match *m {
            "and" => AtomicOp::And,
            "or" => AtomicOp::Or,
            "xor" => AtomicOp::Xor,
            "exch" => AtomicOp::Exchange,
            "cas" => AtomicOp::CompareAndSwap,
            "add" => AtomicOp::Add,
            "inc" => AtomicOp::Increment,
            "dec" => AtomicOp::Decrement,
            "min" => AtomicOp::Min,
            "max" => AtomicOp::Max,
            _ => return None,
        })
    })?;
    let exchanges = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
    if kind == AtomicType::B128 && !(exchanges && returns) {
        return None;
    }
    let elements = ["v2", "v4", "v8"].iter().zip([2, 4, 8]).find(|(of, _)| has(of)).map(|(_, count)| count);
    if let Some(count) = elements {
        return atomics(l, i, (op, kind, count), returns);
    }
    let wide = kind.is_wide();
    let mut operands = i.operands.iter();
    let d = match (returns, kind) {
        (false, _) => UNUSED,
        (true, AtomicType::B128) => l.quad(operands.next()?)?.map(|pair| pair.0),
        (true, _) if wide => [l.d_pair(operands.next()?)?.0, SINK],
        (true, _) => [l.d_word(operands.next()?)?.0, SINK],
    };
    let target = operands.next()?;
    let mut value = |l: &mut Lowering<'_, '_, '_>| -> Option<[u16; 2]> {
        let operand = operands.next()?;
        let one = match kind {
            AtomicType::B128 if *operand == Operand::Name("_") => return None,
            AtomicType::B128 => return Some(l.quad(operand)?.map(|pair| pair.0)),
            AtomicType::F32 => l.float(operand)?.0,
            AtomicType::F64 => l.double(operand)?.0,
            _ if wide => l.pair(operand)?.0,
            _ => l.word(operand)?.0,
        };
        Some([one, SINK])
    };
    let b = value(l)?;
    let c = if op == AtomicOp::CompareAndSwap { value(l)? } else { UNUSED };
    let address = l.address(target)?;
    let order = order(i).unwrap_or(Order::Relaxed);
    let scope = scope(i).unwrap_or(Scope::Gpu);
    // If its old value is read after all, `unused` says `Add` again.
    let counts = op == AtomicOp::Add
        && matches!(kind, AtomicType::U32 | AtomicType::S32)
        && space(i) == AddressSpace::Shared
        && matches!(i.operands.last(), Some(Operand::Integer(1)));
    let op = if counts { AtomicOp::Count } else { op };
    l.emit(Op::Atomic { op, kind, space: space(i), order, scope, d, address, b, c });
    Some(())
}

/// An atomic on a vector, which PTX takes for one on each element, in any order.
fn atomics(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    (op, kind, count): (AtomicOp, AtomicType, u8),
    returns: bool,
) -> Option<()> {
    let first = usize::from(returns);
    let [target, values] = i.operands.get(first..)? else { return None };
    let values = elements(values, count)?;
    let results = if returns { elements(&i.operands[0], count)? } else { &[] };
    // Each is read and written by an atomic of its own.
    let float = matches!(kind, AtomicType::F32);
    let half = kind.bytes() == 2 || kind.is_packed();
    if !(float || half) || results.iter().any(|d| values.contains(d) && *d != Operand::Name("_")) {
        return None;
    }
    let address = l.address(target)?;
    let (order, scope) = (order(i).unwrap_or(Order::Relaxed), scope(i).unwrap_or(Scope::Gpu));
    for (at, value) in (0..).zip(values) {
        let d = match results.get(at) {
            Some(d) => [l.d_word(d)?.0, SINK],
            None => UNUSED,
        };
        let b = [if float { l.float(value)?.0 } else { l.word(value)?.0 }, SINK];
        let offset = address.offset.checked_add(at as i32 * i32::from(kind.bytes()))?;
        let address = Address { offset, ..address };
        l.emit(Op::Atomic { op, kind, space: space(i), order, scope, d, address, b, c: UNUSED });
    }
    Some(())
}

/// The state space, which for an address in a register is the stack's where a function that is no kernel says `.param`: a parameter
/// whose address is taken lies there.
fn space_of_address(l: &Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> AddressSpace {
    match space(i) {
        AddressSpace::Param if !l.function.is_entry && !i.modifiers.contains(&"param::entry") => {
            AddressSpace::Local
        }
        space => space,
    }
}

fn convert_address(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let [d, a] = &i.operands[..] else { return None };
    let to_space = i.modifiers.first() == Some(&"to");
    let (wide, d) = destination(l, d)?;
    let space = space(i);
    // Kernels alone have parameters in that space: of a function's own a GPU makes the address of something else.
    if space == AddressSpace::Param && !l.function.is_entry {
        return None;
    }
    // `cvta.local.u64 %rd, __local_depot0;`
    let local = match a {
        Operand::Name(name) => l.binding(name),
        _ => None,
    };
    let a = match local {
        Some(Binding::Local { offset }) => {
            let address = if wide { l.new_pair().0 } else { l.new_word().0 };
            l.emit(Op::LocalAddress { wide, d: address, offset });
            address
        }
        _ if wide => l.pair(a)?.0,
        _ => l.word(a)?.0,
    };
    l.emit(Op::ConvertAddress { space, to_space, wide, d, a });
    Some(())
}
