//! Which bits of a result are undefined, given which bits of the operands are.
//!
//! Sound: a bit that is called defined has one value whatever the undefined bits of the operands are. Exact, each operand
//! bit taken for itself, where bits are moved, masked and joined: logic, shifts, fields, permutations, selections, integer
//! conversions, comparisons of integers. Elsewhere more may be called undefined than is: sums and low products from the
//! lowest undefined bit upwards, everything else altogether. This is off the fast path, so it goes lane by lane.

use std::cell::Cell;

use crate::{
    exec::{
        registers::Registers,
        undefined::{Register, Undefined},
    },
    ir::{
        Alu, Combine, Compare, CompareKind, Constants, ConvertKind, HalfKind, LANES, Pair, Pair1, Pair2,
        Pair3, PairShift, Predicate, Word, Word1, Word2, Word3,
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

/// An operand of one lane: its bits, and those of them that are undefined.
#[derive(Clone, Copy, Debug)]
struct Value {
    bits: u64,
    undefined: u64,
}

impl Value {
    /// The low bits only.
    fn low(self, width: u64) -> Value {
        Value { bits: self.bits & width, undefined: self.undefined & width }
    }

    /// Bits that are certainly 1.
    fn ones(self) -> u64 {
        self.bits & !self.undefined
    }

    /// Bits that may be 1.
    fn may_be_one(self) -> u64 {
        self.bits | self.undefined
    }

    /// Bits that may be 0.
    fn may_be_zero(self) -> u64 {
        !self.bits | self.undefined
    }

    fn is_defined(self) -> bool {
        self.undefined == 0
    }

    fn is_zero(self) -> bool {
        self.may_be_one() == 0
    }

    /// From the low 32 bits to 64, by their sign or not.
    fn extend(self, signed: bool) -> Value {
        if !signed {
            return self.low(W);
        }
        Value {
            bits: self.bits as i32 as i64 as u64,
            // An undefined sign makes all its copies undefined.
            undefined: self.undefined as i32 as i64 as u64,
        }
    }
}

const W: u64 = 0xFFFF_FFFF;
const H: u64 = 0xFFFF;

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

/// No undefined bits become defined by what another register holds: a field is masked by a constant. What `|=` makes of
/// a word that nothing wrote is an accident.
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

/// All of `width` if anything is undefined.
fn all(undefined: u64, width: u64) -> u64 {
    if undefined == 0 { 0 } else { width }
}

/// From the lowest undefined bit upwards.
fn upwards(undefined: u64) -> u64 {
    undefined | undefined.wrapping_neg()
}

/// Each half for itself.
fn by_halves(undefined: u64, f: impl Fn(u64) -> u64) -> u64 {
    (f(undefined >> 16 & H) & H) << 16 | f(undefined & H) & H
}

fn and(a: Value, b: Value) -> u64 {
    a.undefined & b.may_be_one() | b.undefined & a.may_be_one()
}

fn or(a: Value, b: Value) -> u64 {
    a.undefined & b.may_be_zero() | b.undefined & a.may_be_zero()
}

fn sum(a: Value, b: Value) -> u64 {
    upwards(a.undefined | b.undefined)
}

/// A product's low bits: an undefined bit of one side comes no lower than the other side's certain zeros lift it.
fn product(a: Value, b: Value) -> u64 {
    let lifted = |undefined: u64, other: Value| {
        if undefined == 0 || other.is_zero() {
            64
        } else {
            undefined.trailing_zeros() + other.may_be_one().trailing_zeros()
        }
    };
    let lowest = lifted(a.undefined, b).min(lifted(b.undefined, a));
    if lowest < 64 { u64::MAX << lowest } else { 0 }
}

/// `p ? a : b`
fn select(p: Value, a: Value, b: Value) -> u64 {
    match (p.is_defined(), p.bits & 1 == 1) {
        (false, _) => a.undefined | b.undefined | (a.bits ^ b.bits),
        (true, true) => a.undefined,
        (true, false) => b.undefined,
    }
}

/// The truth of a comparison; of integers of one width, `sign` being the bit that orders them last or 0.
fn compares(compare: Compare, a: Value, b: Value, sign: u64) -> Value {
    let shifted =
        |value: Value| (value.ones(), value.may_be_one(), value.undefined & sign, value.bits & sign);
    // With the sign's bit turned over, signed order is unsigned order.
    let range = |value: Value| {
        let (low, high, sign_undefined, sign_bits) = shifted(value);
        if sign == 0 {
            (low, high)
        } else if sign_undefined != 0 {
            (low & !sign, high | sign)
        } else {
            (low & !sign | (sign & !sign_bits), high & !sign | (sign & !sign_bits))
        }
    };
    let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
    let less = |low: u64, high: u64, than_low: u64, than_high: u64| {
        if high < than_low {
            Some(true)
        } else if low >= than_high {
            Some(false)
        } else {
            None
        }
    };
    let equal = || {
        if (a.bits ^ b.bits) & !(a.undefined | b.undefined) != 0 {
            Some(false)
        } else {
            (a.is_defined() && b.is_defined()).then_some(true)
        }
    };
    let truth = match compare {
        Compare::Eq => equal(),
        Compare::Ne => equal().map(|equal| !equal),
        Compare::Lt => less(a_low, a_high, b_low, b_high),
        Compare::Ge => less(a_low, a_high, b_low, b_high).map(|less| !less),
        Compare::Gt => less(b_low, b_high, a_low, a_high),
        Compare::Le => less(b_low, b_high, a_low, a_high).map(|less| !less),
        _ => (a.is_defined() && b.is_defined()).then_some(false),
    };
    truth_value(truth)
}

fn truth_value(truth: Option<bool>) -> Value {
    Value { bits: truth.map_or(0, u64::from), undefined: truth.is_none().into() }
}

fn not(p: Value) -> Value {
    Value { bits: !p.bits & 1, ..p }
}

fn combine(op: Combine, a: Value, b: Value) -> u64 {
    1 & match op {
        Combine::And => and(a, b),
        Combine::Or => or(a, b),
        Combine::Xor => a.undefined | b.undefined,
    }
}

/// Bits `shift .. shift + width` of 64, by their sign or not; works on undefined bits too, whose sign spreads likewise.
fn field(bits: u64, shift: u32, width: u32, signed: bool) -> u64 {
    if width == 0 {
        return 0;
    }
    let moved = bits << (64 - shift - width);
    if signed { (moved as i64 >> (64 - width)) as u64 } else { moved >> (64 - width) }
}

fn shl(a: u64, by: u64) -> u64 {
    if by < 64 { a << by } else { 0 }
}

fn shr(a: u64, by: u64) -> u64 {
    if by < 64 { a >> by } else { 0 }
}

/// A shift of an operand of `width` bits.
fn shift(a: Value, by: Value, width: u32, f: impl Fn(u64, u64) -> u64) -> u64 {
    let all_bits = u64::MAX >> (64 - width);
    if a.is_zero() {
        0
    } else if by.is_defined() {
        f(a.undefined, by.bits)
    } else {
        all_bits
    }
}

/// The bytes of `{b, a}` that selectors choose; a copied sign is undefined where the sign is.
fn permute(a: Value, b: Value, selectors: [u64; 4]) -> u64 {
    let undefined = b.undefined << 32 | a.undefined & W;
    (0..4).fold(0, |result, i| {
        let byte = (undefined >> (8 * (selectors[i] & 7))) as u8;
        let byte = if selectors[i] & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
        result | u64::from(byte) << (8 * i)
    })
}

fn bit_field_extract(a: Value, position: Value, length: Value, width: u32, signed: bool) -> u64 {
    // The 64-bit forms take all of both.
    let counts = if width == 64 { W } else { 0xFF };
    let (position, length) = (position.low(counts), length.low(counts));
    if !position.is_defined() || !length.is_defined() {
        return if a.is_zero() { 0 } else { u64::MAX };
    }
    let (position, length) = (position.bits, length.bits);
    if length == 0 {
        return 0;
    }
    if signed {
        let wide = field(a.undefined, 0, width, true) as i64;
        let moved = (wide >> position.min(63)) as u64;
        field(moved, 0, length.min(64) as u32, true)
    } else {
        shr(a.undefined & (u64::MAX >> (64 - width)), position) & !shl(u64::MAX, length)
    }
}

fn bit_field_insert(a: Value, b: Value, position: Value, length: Value, width: u32) -> u64 {
    // The 64-bit forms take all of both.
    let counts = if width == 64 { W } else { 0xFF };
    let (position, length) = (position.low(counts), length.low(counts));
    if !position.is_defined() || !length.is_defined() {
        return u64::MAX;
    }
    let whole = u64::MAX >> (64 - width);
    let taken = shl(!shl(u64::MAX, length.bits), position.bits) & whole;
    shl(a.undefined, position.bits) & taken | b.undefined & !taken
}

/// Leading zeros, if the certain bits tell.
fn leading(a: Value) -> Option<u32> {
    let (most, least) = (a.ones().leading_zeros(), a.may_be_one().leading_zeros());
    (most == least).then_some(most)
}

fn half_operation(kind: HalfKind, undefined: u64) -> u64 {
    match kind {
        HalfKind::F16 | HalfKind::Bf16 => all(undefined & H, W),
        HalfKind::F16x2 | HalfKind::Bf16x2 => by_halves(undefined, |half| all(half, H)),
    }
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

/// The selector of `slct.ftz`.
fn flushed(c: Value) -> Value {
    if c.bits & 0x7F80_0000 == 0 { Value { bits: c.bits & 0x8000_0000, ..c } } else { c }
}

/// Whether `slct` chooses its first operand.
fn selector(c: Value, float: bool) -> Value {
    const SIGN: u64 = 1 << 31;
    match float {
        // NaN and −0 make more than the sign count.
        true if !c.is_defined() => truth_value(None),
        true => truth_value(Some(f32::from_bits(c.bits as u32) >= 0.0)),
        false if c.undefined & SIGN != 0 => truth_value(None),
        false => truth_value(Some(c.bits & SIGN == 0)),
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

fn word1(op: Word1, a: Value) -> u64 {
    let u = a.undefined;
    match op {
        Word1::Not => u,
        Word1::CNot => {
            if a.ones() != 0 {
                0
            } else {
                all(u, 1)
            }
        }
        Word1::Neg => upwards(u),
        Word1::Abs => all(u, W),
        Word1::Abs16 => all(u & H, W),
        Word1::Popc => all(u, 0x3F),
        Word1::Clz => {
            if leading(a.low(W)).is_some() {
                0
            } else {
                all(u, 0x3F)
            }
        }
        Word1::Brev => (u as u32).reverse_bits().into(),
        Word1::BfindU | Word1::BfindShiftU => {
            if leading(a.low(W)).is_some() {
                0
            } else {
                all(u, W)
            }
        }
        Word1::BfindS | Word1::BfindShiftS => all(u, W),
    }
}

fn word2(op: Word2, a: Value, b: Value) -> u64 {
    let both = a.undefined | b.undefined;
    let sign_extended =
        |u: u64, bits: u64| if bits == 0 { 0 } else { field(u, 0, bits.min(32) as u32, true) };
    match op {
        Word2::Add | Word2::Sub => sum(a, b),
        Word2::MulLo => product(a, b),
        Word2::MulWideS16 | Word2::MulWideU16 => product(a.low(H), b.low(H)),
        Word2::Mul24LoS | Word2::Mul24LoU => product(a.low(0xFF_FFFF), b.low(0xFF_FFFF)),
        Word2::Mul24HiS | Word2::Mul24HiU => all(both & 0xFF_FFFF, W),
        Word2::MulHiS16
        | Word2::MulHiU16
        | Word2::DivS16
        | Word2::DivU16
        | Word2::RemS16
        | Word2::RemU16
        | Word2::MinS16
        | Word2::MinU16
        | Word2::MaxS16
        | Word2::MaxU16 => all(both & H, W),
        Word2::AddSatS
        | Word2::SubSatS
        | Word2::MulHiS
        | Word2::MulHiU
        | Word2::DivS
        | Word2::DivU
        | Word2::RemS
        | Word2::RemU
        | Word2::MinSRelu
        | Word2::MaxSRelu
        | Word2::BmskClamp
        | Word2::BmskWrap => all(both, W),
        Word2::MinS => least(Compare::Lt, a, b, 1 << 31, W),
        Word2::MinU => least(Compare::Lt, a, b, 0, W),
        Word2::MaxS => least(Compare::Gt, a, b, 1 << 31, W),
        Word2::MaxU => least(Compare::Gt, a, b, 0, W),
        Word2::AddX2 => by_halves(both, upwards),
        Word2::MinS16x2 | Word2::MinU16x2 | Word2::MaxS16x2 | Word2::MaxU16x2 => {
            by_halves(both, |half| all(half, H))
        }
        Word2::And => and(a, b),
        Word2::Or => or(a, b),
        Word2::Xor => both,
        Word2::Shl | Word2::Shl16 => shift(a, b, 32, shl),
        Word2::ShrU => shift(a, b, 32, shr),
        Word2::ShrS => shift(a, b, 32, |u, by| (u as i32 >> by.min(31)) as u64),
        Word2::ShrU16 => shift(a.low(H), b, 32, shr),
        Word2::ShrS16 => shift(a.low(H), b, 32, |u, by| (i32::from(u as i16) >> by.min(31)) as u64),
        Word2::SzextClampS | Word2::SzextWrapS | Word2::SzextClampU | Word2::SzextWrapU => {
            let wrap = matches!(op, Word2::SzextWrapS | Word2::SzextWrapU);
            let b = if wrap { b.low(31) } else { b };
            if !b.is_defined() {
                return if a.is_zero() { 0 } else { W };
            }
            match op {
                Word2::SzextClampS | Word2::SzextWrapS => sign_extended(a.undefined, b.bits),
                _ => a.undefined & !shl(u64::MAX, b.bits),
            }
        }
        Word2::CopysignF32 => a.undefined & 0x8000_0000 | b.undefined & 0x7FFF_FFFF,
        Word2::Pack16 => a.undefined & H | b.undefined << 16,
    }
}

/// The smaller (or, by another order, larger) operand: that side's undefined bits where it is certain which it is.
fn least(order: Compare, a: Value, b: Value, sign: u64, whole: u64) -> u64 {
    let first = compares(order, a, b, sign);
    if first.is_defined() { select(first, a, b) } else { all(a.undefined | b.undefined, whole) }
}

fn word3(op: Word3, a: Value, b: Value, c: Value) -> u64 {
    let any = a.undefined | b.undefined | c.undefined;
    let by_selectors = |used: u64, selectors: &dyn Fn(u64) -> [u64; 4]| {
        let used = c.low(used);
        if used.is_defined() { permute(a, b, selectors(used.bits)) } else { W }
    };
    let funnel = |used: u64, right: bool| {
        let by = c.low(used);
        if !by.is_defined() {
            return W;
        }
        let undefined = b.undefined << 32 | a.undefined & W;
        let by = by.bits.min(32);
        if right {
            shr(undefined, by)
        } else {
            shl(undefined, by) >> 32 | if by == 32 { a.undefined & W } else { 0 }
        }
    };
    match op {
        Word3::MadLo => upwards(product(a, b) | c.undefined),
        Word3::MadWideS16 => upwards(product(sixteen(a), sixteen(b)) | c.undefined),
        Word3::MadWideU16 => upwards(product(a.low(H), b.low(H)) | c.undefined),
        Word3::Mad24LoS | Word3::Mad24LoU => {
            upwards(product(a.low(0xFF_FFFF), b.low(0xFF_FFFF)) | c.undefined)
        }
        Word3::BfeS => bit_field_extract(a, b, c, 32, true),
        Word3::BfeU => bit_field_extract(a, b, c, 32, false),
        Word3::Prmt => by_selectors(H, &|c| [c, c >> 4, c >> 8, c >> 12]),
        Word3::PrmtF4e => by_selectors(3, &|c| [0, 1, 2, 3].map(|i| i + c)),
        Word3::PrmtB4e => by_selectors(3, &|c| [0, 7, 6, 5].map(|i| (i + c) & 7)),
        Word3::PrmtRc8 => by_selectors(3, &|c| [c; 4]),
        Word3::PrmtEcl => by_selectors(3, &|c| [0, 1, 2, 3].map(|i: u64| i.max(c))),
        Word3::PrmtEcr => by_selectors(3, &|c| [0, 1, 2, 3].map(|i: u64| i.min(c))),
        Word3::PrmtRc16 => by_selectors(1, &|c| [2 * c, 2 * c + 1, 2 * c, 2 * c + 1]),
        Word3::ShfLeftClamp => funnel(W, false),
        Word3::ShfLeftWrap => funnel(31, false),
        Word3::ShfRightClamp => funnel(W, true),
        Word3::ShfRightWrap => funnel(31, true),
        Word3::SlctS32 => select(selector(c, false), a, b),
        Word3::SlctF32 | Word3::SlctF32Ftz => {
            let c = if op == Word3::SlctF32Ftz { flushed(c) } else { c };
            select(selector(c, true), a, b)
        }
        Word3::MadHiS16 | Word3::MadHiU16 | Word3::SadS16 | Word3::SadU16 => {
            all((a.undefined | b.undefined) & H | c.undefined, W)
        }
        Word3::Mad24HiS | Word3::Mad24HiU | Word3::Mad24HiSatS => {
            all((a.undefined | b.undefined) & 0xFF_FFFF | c.undefined, W)
        }
        Word3::MadHiS
        | Word3::MadHiU
        | Word3::MadHiSatS
        | Word3::SadS
        | Word3::SadU
        | Word3::Fns
        | Word3::Dp4aSS
        | Word3::Dp4aSU
        | Word3::Dp4aUS
        | Word3::Dp4aUU
        | Word3::Dp2aLoSS
        | Word3::Dp2aLoSU
        | Word3::Dp2aLoUS
        | Word3::Dp2aLoUU
        | Word3::Dp2aHiSS
        | Word3::Dp2aHiSU
        | Word3::Dp2aHiUS
        | Word3::Dp2aHiUU => all(any, W),
    }
}

/// The low 16 bits by their sign.
fn sixteen(a: Value) -> Value {
    Value { bits: field(a.bits, 0, 16, true), undefined: field(a.undefined, 0, 16, true) }
}

fn pair2(op: Pair2, a: Value, b: Value) -> u64 {
    match op {
        Pair2::Add | Pair2::Sub => sum(a, b),
        Pair2::MulLo => product(a, b),
        Pair2::MinS => least(Compare::Lt, a, b, 1 << 63, u64::MAX),
        Pair2::MinU => least(Compare::Lt, a, b, 0, u64::MAX),
        Pair2::MaxS => least(Compare::Gt, a, b, 1 << 63, u64::MAX),
        Pair2::MaxU => least(Compare::Gt, a, b, 0, u64::MAX),
        Pair2::And => and(a, b),
        Pair2::Or => or(a, b),
        Pair2::Xor => a.undefined | b.undefined,
        Pair2::CopysignF64 => a.undefined & 1 << 63 | b.undefined & !(1 << 63),
        Pair2::MulHiS | Pair2::MulHiU | Pair2::DivS | Pair2::DivU | Pair2::RemS | Pair2::RemU => {
            all(a.undefined | b.undefined, u64::MAX)
        }
    }
}

/// A bit is undefined if both results are possible: if rows of the table that the operands may choose differ.
fn lop3(a: Value, b: Value, c: Value, table: u8) -> u64 {
    let (mut may_be_one, mut may_be_zero) = (0, 0);
    for row in 0..8 {
        let may = |value: Value, one: bool| if one { value.may_be_one() } else { value.may_be_zero() };
        let chosen = may(a, row & 4 != 0) & may(b, row & 2 != 0) & may(c, row & 1 != 0);
        if table >> row & 1 != 0 {
            may_be_one |= chosen;
        } else {
            may_be_zero |= chosen;
        }
    }
    may_be_one & may_be_zero
}

fn convert(to: ConvertKind, from: ConvertKind, sat: bool, a: Value) -> u64 {
    let whole = if to.is_wide() { u64::MAX } else { W };
    let used = a.low(u64::MAX >> (64 - from.bits()));
    if to.is_float() || from.is_float() || sat {
        return all(used.undefined, whole);
    }
    let extended = field(used.undefined, 0, from.bits(), from.is_signed());
    // Narrow results are extended to a word by their own sign.
    field(extended, 0, to.bits(), to.is_signed()) & whole
}
