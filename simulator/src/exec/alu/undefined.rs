//! Which bits of a result are undefined, given which bits of the operands are.
//!
//! Sound: a bit that is called defined has one value whatever the undefined bits of the operands are. Exact,
//! each operand bit taken for itself, where bits are moved, masked and joined: logic, shifts, fields,
//! permutations, selections, integer conversions, comparisons of integers. Elsewhere more may be called
//! undefined than is: sums and low products from the lowest undefined bit upwards, everything else
//! altogether. This is off the fast path, so it goes lane by lane.

mod bits;
mod words;

use std::cell::Cell;

use bits::{
    H, Value, W, all, bit_field_extract, bit_field_insert, by_halves, combine, compares, field, flushed, not,
    product, select, selector, shift, shl, shr, truth_value, upwards,
};
use words::{convert, half_operation, lop3, pair2, word1, word2, word3};

use crate::{
    exec::{
        registers::Registers,
        undefined::{Register, Undefined},
    },
    ir::{
        Alu, Combine, Compare, CompareKind, Constants, LANES, Pair, Pair1, Pair2, Pair3, PairShift,
        Predicate, Word, Word2, Word3,
    },
    memory::lanes,
};

/// Executes an operation of which an operand is poisoned. `run` executes it as if none were.
#[cold]
#[inline(never)]
pub fn with_undefined(
    alu: &Alu,
    registers: &mut Registers,
    constants: &Constants,
    mask: u32,
    run: impl FnOnce(&mut Registers),
) {
    let mut results = [None, None];
    for lane in lanes(mask) {
        for (result, (register, value)) in results.iter_mut().zip(results_of(alu, registers, constants, lane))
        {
            result.get_or_insert((register, [Undefined::NONE; LANES])).1[lane] = value;
        }
    }
    registers.hide_poison();
    run(registers);
    registers.hide_poison();
    for (register, values) in results.into_iter().flatten() {
        for lane in lanes(mask) {
            registers.set_undefined(register, lane, values[lane]);
        }
    }
}

/// The results of one lane: register, undefined bits and their history.
fn results_of(
    alu: &Alu,
    registers: &Registers,
    constants: &Constants,
    lane: usize,
) -> impl Iterator<Item = (Register, Undefined)> {
    let blamed = Cell::new(Undefined::NONE);
    let undefined = |register: Register| {
        let undefined = registers.undefined(register, lane);
        blamed.set(blamed.get().merge(undefined));
        undefined.bits
    };
    let operands = Operands {
        word: &|word| Value {
            bits: registers.word(constants, word)[lane].into(),
            undefined: undefined(Register::Word(word)),
        },
        pair: &|pair| Value {
            bits: registers.pair(constants, pair)[lane],
            undefined: undefined(Register::Pair(pair)),
        },
        predicate: &|predicate| Value {
            bits: u64::from(registers.predicate(predicate) >> lane & 1),
            undefined: undefined(Register::Predicate(predicate)),
        },
    };
    let results = rule(alu, &operands);
    let blamed = blamed.get();
    let in_place = blamed.in_place
        && keeps_places(alu)
        && (masks_by_constant(alu) || results.iter().flatten().all(|result| result.1 == blamed.bits));
    let moved = blamed.moved && moves(alu);
    results
        .into_iter()
        .flatten()
        .map(move |(register, bits)| (register, Undefined { bits, in_place, moved, ..blamed }))
}

/// Only moves whole values, or their parts.
fn moves(alu: &Alu) -> bool {
    matches!(
        alu,
        Alu::MoveWord { .. }
            | Alu::MovePair { .. }
            | Alu::SelectWord { .. }
            | Alu::SelectPair { .. }
            | Alu::PackPair { .. }
            | Alu::UnpackPair { .. }
            | Alu::Extract { .. }
            | Alu::Insert { .. }
            | Alu::Word2 { op: Word2::Pack16, .. }
    )
}

/// Leaves every bit of the value that it changes in its place.
fn keeps_places(alu: &Alu) -> bool {
    match alu {
        Alu::Word2 { op, .. } => matches!(op, Word2::And | Word2::Or | Word2::Xor),
        Alu::Pair2 { op, .. } => matches!(op, Pair2::And | Pair2::Or | Pair2::Xor),
        Alu::Convert { to, from, mode, .. } => !to.is_float() && !from.is_float() && !mode.sat,
        Alu::MoveWord { .. }
        | Alu::MovePair { .. }
        | Alu::Lop3 { .. }
        | Alu::Bfi { .. }
        | Alu::PairBfi { .. }
        | Alu::SelectWord { .. }
        | Alu::SelectPair { .. }
        | Alu::Word3 { op: Word3::Prmt, .. } => true,
        Alu::Insert { shift, .. } | Alu::Extract { shift, .. } => *shift == 0,
        _ => false,
    }
}

/// No undefined bits become defined by what another register holds: a field is masked by a constant. What
/// `|=` makes of a word that nothing wrote is an accident.
fn masks_by_constant(alu: &Alu) -> bool {
    match alu {
        Alu::Word2 { a, b, .. } => a.is_constant() || b.is_constant(),
        Alu::Pair2 { a, b, .. } => a.is_constant() || b.is_constant(),
        Alu::Lop3 { .. } => false,
        _ => true,
    }
}

/// How a rule sees the operands of its lane.
struct Operands<'a> {
    word: &'a dyn Fn(Word) -> Value,
    pair: &'a dyn Fn(Pair) -> Value,
    predicate: &'a dyn Fn(Predicate) -> Value,
}

impl Operands<'_> {
    fn either(&self, wide: bool, register: u16) -> Value {
        if wide { (self.pair)(Pair(register)) } else { (self.word)(Word(register)) }
    }
}

type Results = [Option<(Register, u64)>; 2];

fn word(d: Word, undefined: u64) -> Results {
    [Some((Register::Word(d), undefined & W)), None]
}

fn pair(d: Pair, undefined: u64) -> Results {
    [Some((Register::Pair(d), undefined)), None]
}

fn rule(alu: &Alu, o: &Operands<'_>) -> Results {
    let (w, p, q) = (o.word, o.pair, o.predicate);
    match *alu {
        Alu::MoveWord { d, a } => word(d, w(a).undefined),
        Alu::MovePair { d, a } => pair(d, p(a).undefined),
        Alu::MovePredicate { d, a } | Alu::PredicateNot { d, a } => {
            [Some((Register::Predicate(d), q(a).undefined)), None]
        }
        Alu::Word1 { op, d, a } => word(d, word1(op, w(a))),
        Alu::Word2 { op, d, a, b } => {
            // Of a register with itself these do not depend on its value.
            let vanishes = a == b && matches!(op, Word2::Sub | Word2::Xor);
            word(d, if vanishes { 0 } else { word2(op, w(a), w(b)) })
        }
        Alu::Word3 { op, d, a, b, c } => word(d, word3(op, w(a), w(b), w(c))),
        Alu::Lop3 { d, a, b, c, table } => word(d, lop3(w(a), w(b), w(c), table)),
        Alu::Bfi { d, a, b, c, e } => word(d, bit_field_insert(w(a), w(b), w(c), w(e), 32)),
        Alu::Pair1 { op, d, a } => {
            let a = p(a);
            let undefined = match op {
                Pair1::Not => a.undefined,
                Pair1::CNot => {
                    if a.ones() != 0 {
                        0
                    } else {
                        all(a.undefined, 1)
                    }
                }
                Pair1::Neg => upwards(a.undefined),
                Pair1::Abs => all(a.undefined, u64::MAX),
                Pair1::Brev => a.undefined.reverse_bits(),
            };
            pair(d, undefined)
        }
        Alu::PairToWord { d, a, .. } => word(d, all(p(a).undefined, W)),
        Alu::Pair2 { op, d, a, b } => {
            let vanishes = a == b && matches!(op, Pair2::Sub | Pair2::Xor);
            pair(d, if vanishes { 0 } else { pair2(op, p(a), p(b)) })
        }
        Alu::Pair3 { op, d, a, b, c } => {
            let (a, b, c) = (p(a), p(b), p(c));
            let undefined = match op {
                Pair3::MadLo => upwards(product(a, b) | c.undefined),
                _ => all(a.undefined | b.undefined | c.undefined, u64::MAX),
            };
            pair(d, undefined)
        }
        Alu::PairShift { op, d, a, b } => {
            let undefined = shift(p(a), w(b), 64, |a, by| match op {
                PairShift::Shl => shl(a, by),
                PairShift::ShrU => shr(a, by),
                PairShift::ShrS => (a as i64 >> by.min(63)) as u64,
            });
            pair(d, undefined)
        }
        Alu::PairBfe { signed, d, a, b, c } => pair(d, bit_field_extract(p(a), w(b), w(c), 64, signed)),
        Alu::PairBfi { d, a, b, c, e } => pair(d, bit_field_insert(p(a), p(b), w(c), w(e), 64)),
        Alu::PairSlct { float, ftz, d, a, b, c } => {
            let c = if ftz { flushed(w(c)) } else { w(c) };
            pair(d, select(selector(c, float), p(a), p(b)))
        }
        Alu::MulWide { signed, d, a, b } => pair(d, product(w(a).extend(signed), w(b).extend(signed))),
        Alu::MadWide { signed, d, a, b, c } => {
            pair(d, upwards(product(w(a).extend(signed), w(b).extend(signed)) | p(c).undefined))
        }
        Alu::AddCarry { d, a, b, carry_in, carry_out, .. } => {
            let undefined = w(a).undefined | w(b).undefined | carry_in.some().map_or(0, |c| q(c).undefined);
            carried(Register::Word(d), upwards(undefined) & W, carry_out)
        }
        Alu::PairAddCarry { d, a, b, carry_in, carry_out, .. } => {
            let undefined = p(a).undefined | p(b).undefined | carry_in.some().map_or(0, |c| q(c).undefined);
            carried(Register::Pair(d), upwards(undefined), carry_out)
        }
        Alu::Float1 { d, a, .. } => word(d, all(w(a).undefined, W)),
        Alu::Float2 { d, a, b, .. } => word(d, all(w(a).undefined | w(b).undefined, W)),
        Alu::FloatFma { d, a, b, c, .. } => word(d, all(w(a).undefined | w(b).undefined | w(c).undefined, W)),
        Alu::Double1 { d, a, .. } => pair(d, all(p(a).undefined, u64::MAX)),
        Alu::Double2 { d, a, b, .. } => pair(d, all(p(a).undefined | p(b).undefined, u64::MAX)),
        Alu::DoubleFma { d, a, b, c, .. } => {
            pair(d, all(p(a).undefined | p(b).undefined | p(c).undefined, u64::MAX))
        }
        Alu::Half1 { kind, d, a, .. } => word(d, half_operation(kind, w(a).undefined)),
        Alu::Half2 { kind, d, a, b, .. } => word(d, half_operation(kind, w(a).undefined | w(b).undefined)),
        Alu::HalfFma { kind, d, a, b, c, .. } => {
            word(d, half_operation(kind, w(a).undefined | w(b).undefined | w(c).undefined))
        }
        Alu::SetPredicate { kind, compare, combine: op, negated, d, e, a, b, c } => {
            // Without a third predicate: and with true.
            let other = match c.some().map(q) {
                None => Value { bits: 1, undefined: 0 },
                Some(value) if negated => not(value),
                Some(value) => value,
            };
            let joined = |negate: bool| match comparison(kind, compare, a, b, o) {
                Some(found) => combine(op, if negate { not(found) } else { found }, other),
                // Defined, but not worked out.
                None => other.undefined,
            };
            [
                Some((Register::Predicate(d), joined(false))),
                e.some().map(|e| (Register::Predicate(e), joined(true))),
            ]
        }
        Alu::SetPredicateX2 { d, e, a, b, .. } => {
            let undefined = w(a).undefined | w(b).undefined;
            let of = |half: u64| all(half & H, 1);
            [
                Some((Register::Predicate(d), of(undefined))),
                Some((Register::Predicate(e), of(undefined >> 16))),
            ]
        }
        Alu::SetX2 { d, a, b, .. } => {
            word(d, by_halves(w(a).undefined | w(b).undefined, |half| all(half, H)))
        }
        Alu::TestClass { double, d, a, .. } => {
            [Some((Register::Predicate(d), all(o.either(double, a).undefined, 1))), None]
        }
        Alu::SelectWord { d, a, b, p } => word(d, chosen(q(p), a == b, || w(a), || w(b))),
        Alu::SelectPair { d, a, b, p: by } => pair(d, chosen(q(by), a == b, || p(a), || p(b))),
        Alu::Predicate2 { op, d, a, b } => {
            let vanishes = a == b && op == Combine::Xor;
            let undefined = if vanishes { 0 } else { combine(op, q(a), q(b)) };
            [Some((Register::Predicate(d), undefined)), None]
        }
        Alu::Convert { to, from, mode, d, a, .. } => {
            let undefined = convert(to, from, mode.sat, o.either(from.is_wide(), a));
            if to.is_wide() { pair(Pair(d), undefined) } else { word(Word(d), undefined) }
        }
        Alu::ConvertX2 { d, a, b, .. } => word(d, all(w(a).undefined, H) << 16 | all(w(b).undefined, H)),
        Alu::ConvertTf32 { d, a, .. } => word(d, all(w(a).undefined, W)),
        Alu::ConvertToBytes { from_halves, d, a, b, .. } => {
            let (a, b) = (w(a).undefined, w(b).undefined);
            let (high, low) = if from_halves { (b >> 16, b & H) } else { (a, b) };
            word(d, all(high, 0xFF) << 8 | all(low, 0xFF))
        }
        Alu::ConvertFromBytes { d, a, .. } => {
            let bytes = w(a).undefined;
            word(d, all(bytes >> 8 & 0xFF, H) << 16 | all(bytes & 0xFF, H))
        }
        Alu::ConvertPack { bits, d, a, b, c, .. } => {
            let field = (1 << bits) - 1;
            let low = all(w(a).undefined, field) << bits | all(w(b).undefined, field);
            word(d, if bits == 16 { low } else { w(c).undefined << (2 * bits) | low })
        }
        Alu::AbsDifferences { sum, d, a, b, c, .. } => {
            let third = if sum { w(c).undefined } else { 0 };
            word(d, all(w(a).undefined | w(b).undefined | third, W))
        }
        Alu::PackPair { d, lo, hi } => pair(d, w(lo).undefined | w(hi).undefined << 32),
        Alu::UnpackPair { lo, hi, a } => {
            let undefined = p(a).undefined;
            [
                lo.some().map(|lo| (Register::Word(lo), undefined & W)),
                hi.some().map(|hi| (Register::Word(hi), undefined >> 32)),
            ]
        }
        Alu::Extract { signed, shift, width, d, a } => {
            word(d, field(w(a).undefined, shift.into(), width.into(), signed))
        }
        Alu::Insert { shift, width, d, a } => {
            let taken = (W >> (32 - width)) << shift;
            word(d, w(a).undefined << shift & taken | w(d).undefined & !taken)
        }
    }
}

/// A sum and its carry.
fn carried(d: Register, undefined: u64, carry_out: Predicate) -> Results {
    [Some((d, undefined)), carry_out.some().map(|flag| (Register::Predicate(flag), all(undefined, 1)))]
}

/// `p ? a : b`, looking at the chosen side only.
fn chosen(p: Value, same: bool, a: impl FnOnce() -> Value, b: impl FnOnce() -> Value) -> u64 {
    if same {
        return a().undefined;
    }
    match (p.is_defined(), p.bits & 1 == 1) {
        (true, true) => a().undefined,
        (true, false) => b().undefined,
        (false, _) => select(p, a(), b()),
    }
}

/// The truth of a comparison; nothing for one of defined floats.
fn comparison(kind: CompareKind, compare: Compare, a: u16, b: u16, o: &Operands<'_>) -> Option<Value> {
    let wide = matches!(kind, CompareKind::S64 | CompareKind::U64 | CompareKind::F64);
    let (width, sign) = match kind {
        CompareKind::S16 => (H, 1 << 15),
        CompareKind::U16 => (H, 0),
        CompareKind::S32 => (W, 1 << 31),
        CompareKind::U32 => (W, 0),
        CompareKind::S64 => (u64::MAX, 1 << 63),
        CompareKind::U64 => (u64::MAX, 0),
        CompareKind::F16 | CompareKind::F16Ftz | CompareKind::Bf16 => (H, 0),
        CompareKind::F32 | CompareKind::F32Ftz => (W, 0),
        CompareKind::F64 => (u64::MAX, 0),
    };
    let float = matches!(
        kind,
        CompareKind::F16
            | CompareKind::F16Ftz
            | CompareKind::Bf16
            | CompareKind::F32
            | CompareKind::F32Ftz
            | CompareKind::F64
    );
    if !float && a == b {
        // A register compared with itself.
        return Some(truth_value(Some(matches!(compare, Compare::Eq | Compare::Le | Compare::Ge))));
    }
    let (x, y) = (o.either(wide, a).low(width), o.either(wide, b).low(width));
    if float {
        let defined = x.is_defined() && y.is_defined();
        return if defined { None } else { Some(truth_value(None)) };
    }
    Some(compares(compare, x, y, sign))
}
