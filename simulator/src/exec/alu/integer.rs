//! Integer arithmetic, logic, shifts and bit fields.

use super::lanes::{Lanes, map2, map3};
use crate::ir::{Pair, Pair1, Pair2, Pair3, PairShift, PairToWord, Predicate, Word, Word1, Word2, Word3};

// A 16-bit operand is the low half of its word.
#[inline(always)]
fn s16(a: u32) -> i32 {
    i32::from(a as i16)
}

#[inline(always)]
fn u16(a: u32) -> u32 {
    a & 0xFFFF
}

/// The low 24 bits, signed.
#[inline(always)]
fn s24(a: u32) -> i64 {
    i64::from((a << 8) as i32 >> 8)
}

#[inline(always)]
fn u24(a: u32) -> u64 {
    u64::from(a & 0xFF_FFFF)
}

#[inline(always)]
fn saturate(value: i64) -> u32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 as u32
}

// PTX leaves division by zero open (`exec::division`); GPUs give all ones, as remainder too.
#[inline(always)]
fn div_u(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(u32::MAX)
}

#[inline(always)]
fn div_s(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }
}

#[inline(always)]
fn rem_u(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(u32::MAX)
}

#[inline(always)]
fn rem_s(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { (a as i32).wrapping_rem(b as i32) as u32 }
}

// Shift amounts are clamped, not wrapped.
#[inline(always)]
fn shl(a: u32, b: u32) -> u32 {
    if b < 32 { a << (b & 31) } else { 0 }
}

#[inline(always)]
fn shr_u(a: u32, b: u32) -> u32 {
    if b < 32 { a >> (b & 31) } else { 0 }
}

#[inline(always)]
fn shr_s(a: u32, b: u32) -> u32 {
    (a as i32 >> b.min(31)) as u32
}

/// Both halves of a word.
#[inline(always)]
fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16 | u32::from(f(a as u16, b as u16))
}

/// Position of the highest bit that differs from the sign; all ones when there is none.
#[inline(always)]
fn bfind(a: u32) -> u32 {
    31u32.wrapping_sub(a.leading_zeros())
}

#[inline(always)]
fn unsigned_part(a: u32) -> u32 {
    a ^ (a as i32 >> 31) as u32
}

#[inline(always)]
fn bfind64(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

#[inline(always)]
fn unsigned_part64(a: u64) -> u64 {
    a ^ (a as i64 >> 63) as u64
}

#[inline(always)]
fn shift_amount(position: u32, top: u32) -> u32 {
    if position == u32::MAX { position } else { top - position }
}

#[inline(always)]
pub fn word1(l: &mut Lanes<'_>, op: Word1, d: Word, a: Word) {
    match op {
        Word1::Not => l.w1(d, a, |a| !a),
        Word1::CNot => l.w1(d, a, |a| u32::from(a == 0)),
        Word1::Neg => l.w1(d, a, u32::wrapping_neg),
        Word1::Abs => l.w1(d, a, |a| (a as i32).wrapping_abs() as u32),
        Word1::Abs16 => l.w1(d, a, |a| s16(a).wrapping_abs() as u32),
        Word1::Popc => l.w1(d, a, u32::count_ones),
        Word1::Clz => l.w1(d, a, u32::leading_zeros),
        Word1::Brev => l.w1(d, a, u32::reverse_bits),
        Word1::BfindU => l.w1(d, a, bfind),
        Word1::BfindS => l.w1(d, a, |a| bfind(unsigned_part(a))),
        Word1::BfindShiftU => l.w1(d, a, |a| shift_amount(bfind(a), 31)),
        Word1::BfindShiftS => l.w1(d, a, |a| shift_amount(bfind(unsigned_part(a)), 31)),
    }
}

#[inline(always)]
pub fn word2(l: &mut Lanes<'_>, op: Word2, d: Word, a: Word, b: Word) {
    match op {
        Word2::Add => l.w2(d, a, b, u32::wrapping_add),
        Word2::Sub => same_is_defined(l, d, a, b, u32::wrapping_sub),
        Word2::AddSatS => l.w2(d, a, b, |a, b| (a as i32).saturating_add(b as i32) as u32),
        Word2::SubSatS => l.w2(d, a, b, |a, b| (a as i32).saturating_sub(b as i32) as u32),
        Word2::MulLo => l.w2(d, a, b, u32::wrapping_mul),
        Word2::MulHiS => l.w2(d, a, b, |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        Word2::MulHiU => l.w2(d, a, b, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Word2::MulHiS16 => l.w2(d, a, b, |a, b| ((s16(a) * s16(b)) >> 16) as u32),
        Word2::MulHiU16 => l.w2(d, a, b, |a, b| (u16(a) * u16(b)) >> 16),
        Word2::MulWideS16 => l.w2(d, a, b, |a, b| (s16(a) * s16(b)) as u32),
        Word2::MulWideU16 => l.w2(d, a, b, |a, b| u16(a) * u16(b)),
        Word2::Mul24LoS => l.w2(d, a, b, |a, b| (s24(a) * s24(b)) as u32),
        Word2::Mul24LoU => l.w2(d, a, b, |a, b| (u24(a) * u24(b)) as u32),
        Word2::Mul24HiS => l.w2(d, a, b, |a, b| ((s24(a) * s24(b)) >> 16) as u32),
        Word2::Mul24HiU => l.w2(d, a, b, |a, b| ((u24(a) * u24(b)) >> 16) as u32),
        Word2::DivS => l.w2(d, a, b, div_s),
        Word2::DivU => l.w2(d, a, b, div_u),
        Word2::RemS => l.w2(d, a, b, rem_s),
        Word2::RemU => l.w2(d, a, b, rem_u),
        Word2::DivS16 => l.w2(d, a, b, |a, b| div_s(s16(a) as u32, s16(b) as u32)),
        Word2::DivU16 => l.w2(d, a, b, |a, b| div_u(u16(a), u16(b))),
        Word2::RemS16 => l.w2(d, a, b, |a, b| rem_s(s16(a) as u32, s16(b) as u32)),
        Word2::RemU16 => l.w2(d, a, b, |a, b| rem_u(u16(a), u16(b))),
        Word2::MinS => l.w2(d, a, b, |a, b| (a as i32).min(b as i32) as u32),
        Word2::MinU => l.w2(d, a, b, |a, b| a.min(b)),
        Word2::MaxS => l.w2(d, a, b, |a, b| (a as i32).max(b as i32) as u32),
        Word2::MaxU => l.w2(d, a, b, |a, b| a.max(b)),
        Word2::MinS16 => l.w2(d, a, b, |a, b| s16(a).min(s16(b)) as u32),
        Word2::MinU16 => l.w2(d, a, b, |a, b| u16(a).min(u16(b))),
        Word2::MaxS16 => l.w2(d, a, b, |a, b| s16(a).max(s16(b)) as u32),
        Word2::MaxU16 => l.w2(d, a, b, |a, b| u16(a).max(u16(b))),
        Word2::MinSRelu => l.w2(d, a, b, |a, b| (a as i32).min(b as i32).max(0) as u32),
        Word2::MaxSRelu => l.w2(d, a, b, |a, b| (a as i32).max(b as i32).max(0) as u32),
        Word2::AddX2 => l.w2(d, a, b, |a, b| halves(a, b, u16::wrapping_add)),
        Word2::MinS16x2 => l.w2(d, a, b, |a, b| halves(a, b, |a, b| (a as i16).min(b as i16) as u16)),
        Word2::MinU16x2 => l.w2(d, a, b, |a, b| halves(a, b, |a, b| a.min(b))),
        Word2::MaxS16x2 => l.w2(d, a, b, |a, b| halves(a, b, |a, b| (a as i16).max(b as i16) as u16)),
        Word2::MaxU16x2 => l.w2(d, a, b, |a, b| halves(a, b, |a, b| a.max(b))),
        Word2::And => l.w2(d, a, b, |a, b| a & b),
        Word2::Or => l.w2(d, a, b, |a, b| a | b),
        Word2::Xor => same_is_defined(l, d, a, b, |a, b| a ^ b),
        Word2::Shl => l.w2(d, a, b, shl),
        Word2::ShrS => l.w2(d, a, b, shr_s),
        Word2::ShrU => l.w2(d, a, b, shr_u),
        Word2::Shl16 => l.w2(d, a, b, shl),
        Word2::ShrS16 => l.w2(d, a, b, |a, b| shr_s(s16(a) as u32, b)),
        Word2::ShrU16 => l.w2(d, a, b, |a, b| shr_u(u16(a), b)),
        Word2::BmskClamp => l.w2(d, a, b, |a, b| shl(!shl(u32::MAX, b), a)),
        Word2::BmskWrap => l.w2(d, a, b, |a, b| shl(!shl(u32::MAX, b & 31), a & 31)),
        Word2::SzextClampS => l.w2(d, a, b, |a, b| sign_extend(a, b.min(32))),
        Word2::SzextClampU => l.w2(d, a, b, |a, b| a & !shl(u32::MAX, b)),
        Word2::SzextWrapS => l.w2(d, a, b, |a, b| sign_extend(a, b & 31)),
        Word2::SzextWrapU => l.w2(d, a, b, |a, b| a & !shl(u32::MAX, b & 31)),
        Word2::CopysignF32 => l.w2(d, a, b, |a, b| a & 0x8000_0000 | b & 0x7FFF_FFFF),
        Word2::Pack16 => {
            let value = map2(l.word(a), l.word(b), |a, b| a & 0xFFFF | b << 16);
            let poison = l.registers.word_poison(a) | l.registers.word_poison(b);
            l.set_word(d, &value, poison);
        }
    }
}

/// As `w2`; of a register with itself the result does not depend on its value.
#[inline(always)]
fn same_is_defined(l: &mut Lanes<'_>, d: Word, a: Word, b: Word, f: impl Fn(u32, u32) -> u32) {
    let value = map2(l.word(a), l.word(b), f);
    let poison = if a == b { 0 } else { l.registers.word_poison(a) | l.registers.word_poison(b) };
    l.set_word(d, &value, poison);
}

/// The low `bits` bits (0 to 32) of `a`, signed.
#[inline(always)]
fn sign_extend(a: u32, bits: u32) -> u32 {
    if bits == 0 { 0 } else { ((a << (32 - bits)) as i32 >> (32 - bits)) as u32 }
}

/// `bfe.s32`, PTX ISA 9.7.1.
#[inline(always)]
fn bfe_s(a: u32, b: u32, c: u32) -> u32 {
    let (position, length) = (b & 0xFF, c & 0xFF);
    if length == 0 {
        return 0;
    }
    // Beyond the top bit the field repeats the sign.
    let field = shr_s(a, position);
    if length >= 32 { field } else { sign_extend(field, length) }
}

#[inline(always)]
fn bfe_u(a: u32, b: u32, c: u32) -> u32 {
    shr_u(a, b & 0xFF) & !shl(u32::MAX, c & 0xFF)
}

/// Byte `selector & 7` of `{b, a}`; with bit 3, its sign in all bits.
#[inline(always)]
fn prmt_byte(bytes: u64, selector: u32) -> u32 {
    let byte = (bytes >> (8 * (selector & 7))) as u8;
    u32::from(if selector & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte })
}

#[inline(always)]
fn prmt_by(a: u32, b: u32, selectors: [u32; 4]) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, i| result | prmt_byte(bytes, selectors[i]) << (8 * i))
}

#[inline(always)]
fn shf_left(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) << n >> 32) as u32
}

#[inline(always)]
fn shf_right(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> n) as u32
}

/// `fns.b32`, PTX ISA 9.7.1: bits are counted from `base` upwards, downwards for a negative `number`; for 0
/// the bit at `base` itself is meant. All ones where there is no such bit.
#[inline(never)]
fn fns(mask: u32, base: u32, number: i32) -> u32 {
    const NOT_FOUND: u32 = u32::MAX;
    let is_set = |position: &u32| mask >> position & 1 == 1;
    let skipped = number.unsigned_abs().saturating_sub(1) as usize;
    let found = match number {
        _ if base > 31 => None,
        0 => Some(base).filter(is_set),
        1.. => (base..32).filter(is_set).nth(skipped),
        _ => (0..=base).rev().filter(is_set).nth(skipped),
    };
    found.unwrap_or(NOT_FOUND)
}

/// Field `index` of `bits` bits, signed or not.
#[inline(always)]
fn field(a: u32, index: u32, bits: u32, signed: bool) -> i32 {
    let top = a << (32 - bits - index * bits);
    if signed { top as i32 >> (32 - bits) } else { (top >> (32 - bits)) as i32 }
}

#[inline(always)]
fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((field(a, i, 8, a_signed) * field(b, i, 8, b_signed)) as u32))
}

/// Halves of `a` by two bytes of `b`, the upper two when `high`.
#[inline(always)]
fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    let first = if high { 2 } else { 0 };
    (0..2).fold(c, |sum, i| {
        let product = i64::from(field(a, i, 16, a_signed)) * i64::from(field(b, first + i, 8, b_signed));
        sum.wrapping_add(product as u32)
    })
}

#[inline(always)]
fn float_selects_a(c: u32) -> bool {
    f32::from_bits(c) >= 0.0
}

#[inline(always)]
pub fn word3(l: &mut Lanes<'_>, op: Word3, d: Word, a: Word, b: Word, c: Word) {
    match op {
        Word3::MadLo => l.w3(d, a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Word3::MadHiS => {
            l.w3(d, a, b, c, |a, b, c| {
                (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32).wrapping_add(c)
            });
        }
        Word3::MadHiU => {
            l.w3(d, a, b, c, |a, b, c| (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c))
        }
        Word3::MadHiSatS => l.w3(d, a, b, c, |a, b, c| {
            saturate(((i64::from(a as i32) * i64::from(b as i32)) >> 32) + i64::from(c as i32))
        }),
        Word3::MadHiS16 => l.w3(d, a, b, c, |a, b, c| (((s16(a) * s16(b)) >> 16) as u32).wrapping_add(c)),
        Word3::MadHiU16 => l.w3(d, a, b, c, |a, b, c| ((u16(a) * u16(b)) >> 16).wrapping_add(c)),
        Word3::MadWideS16 => l.w3(d, a, b, c, |a, b, c| ((s16(a) * s16(b)) as u32).wrapping_add(c)),
        Word3::MadWideU16 => l.w3(d, a, b, c, |a, b, c| (u16(a) * u16(b)).wrapping_add(c)),
        Word3::Mad24LoS => l.w3(d, a, b, c, |a, b, c| ((s24(a) * s24(b)) as u32).wrapping_add(c)),
        Word3::Mad24LoU => l.w3(d, a, b, c, |a, b, c| ((u24(a) * u24(b)) as u32).wrapping_add(c)),
        Word3::Mad24HiS => l.w3(d, a, b, c, |a, b, c| (((s24(a) * s24(b)) >> 16) as u32).wrapping_add(c)),
        Word3::Mad24HiU => l.w3(d, a, b, c, |a, b, c| (((u24(a) * u24(b)) >> 16) as u32).wrapping_add(c)),
        Word3::Mad24HiSatS => {
            l.w3(d, a, b, c, |a, b, c| saturate(((s24(a) * s24(b)) >> 16) + i64::from(c as i32)));
        }
        Word3::SadS => l.w3(d, a, b, c, |a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c)),
        Word3::SadU => l.w3(d, a, b, c, |a, b, c| a.abs_diff(b).wrapping_add(c)),
        Word3::SadS16 => l.w3(d, a, b, c, |a, b, c| s16(a).abs_diff(s16(b)).wrapping_add(c)),
        Word3::SadU16 => l.w3(d, a, b, c, |a, b, c| u16(a).abs_diff(u16(b)).wrapping_add(c)),
        Word3::BfeS => l.w3(d, a, b, c, bfe_s),
        Word3::BfeU => l.w3(d, a, b, c, bfe_u),
        Word3::Prmt => {
            l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [c, c >> 4, c >> 8, c >> 12].map(|s| s & 15)))
        }
        // The remaining modes take a 2-bit selector and never copy signs.
        Word3::PrmtF4e => l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [0, 1, 2, 3].map(|i| i + (c & 3)))),
        Word3::PrmtB4e => l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [0, 7, 6, 5].map(|i| (i + (c & 3)) & 7))),
        Word3::PrmtRc8 => l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [c & 3; 4])),
        Word3::PrmtEcl => l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [0, 1, 2, 3].map(|i: u32| i.max(c & 3)))),
        Word3::PrmtEcr => l.w3(d, a, b, c, |a, b, c| prmt_by(a, b, [0, 1, 2, 3].map(|i: u32| i.min(c & 3)))),
        Word3::PrmtRc16 => l.w3(d, a, b, c, |a, b, c| {
            let first = (c & 1) * 2;
            prmt_by(a, b, [first, first + 1, first, first + 1])
        }),
        Word3::ShfLeftClamp => l.w3(d, a, b, c, |a, b, c| shf_left(a, b, c.min(32))),
        Word3::ShfLeftWrap => l.w3(d, a, b, c, |a, b, c| shf_left(a, b, c & 31)),
        Word3::ShfRightClamp => l.w3(d, a, b, c, |a, b, c| shf_right(a, b, c.min(32))),
        Word3::ShfRightWrap => l.w3(d, a, b, c, |a, b, c| shf_right(a, b, c & 31)),
        Word3::Fns => l.w3(d, a, b, c, |a, b, c| fns(a, b, c as i32)),
        Word3::Dp4aSS => l.w3(d, a, b, c, |a, b, c| dp4a(a, b, c, true, true)),
        Word3::Dp4aSU => l.w3(d, a, b, c, |a, b, c| dp4a(a, b, c, true, false)),
        Word3::Dp4aUS => l.w3(d, a, b, c, |a, b, c| dp4a(a, b, c, false, true)),
        Word3::Dp4aUU => l.w3(d, a, b, c, |a, b, c| dp4a(a, b, c, false, false)),
        Word3::Dp2aLoSS => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, true, true, false)),
        Word3::Dp2aLoSU => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, true, false, false)),
        Word3::Dp2aLoUS => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, false, true, false)),
        Word3::Dp2aLoUU => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, false, false, false)),
        Word3::Dp2aHiSS => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, true, true, true)),
        Word3::Dp2aHiSU => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, true, false, true)),
        Word3::Dp2aHiUS => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, false, true, true)),
        Word3::Dp2aHiUU => l.w3(d, a, b, c, |a, b, c| dp2a(a, b, c, false, false, true)),
        Word3::SlctS32 => l.w3(d, a, b, c, |a, b, c| if c as i32 >= 0 { a } else { b }),
        // Flushing c changes nothing: a subnormal has the order of its zero, but for
        // the sign of a negative one.
        Word3::SlctF32 => l.w3(d, a, b, c, |a, b, c| if float_selects_a(c) { a } else { b }),
        Word3::SlctF32Ftz => {
            l.w3(d, a, b, c, |a, b, c| {
                let flushed = if c & 0x7F80_0000 == 0 { c & 0x8000_0000 } else { c };
                if float_selects_a(flushed) { a } else { b }
            });
        }
    }
}

/// `lop3.b32`: bit `4a + 2b + c` of the table, for each bit.
#[inline(always)]
pub fn lop3(l: &mut Lanes<'_>, d: Word, a: Word, b: Word, c: Word, table: u8) {
    // Each row of the table as a mask of all bits.
    let rows = [0, 1, 2, 3, 4, 5, 6, 7].map(|row| if table >> row & 1 != 0 { u32::MAX } else { 0 });
    l.w3(d, a, b, c, |a, b, c| {
        let by_c = |low: usize| rows[low] & !c | rows[low + 1] & c;
        let by_b = |low: usize| by_c(low) & !b | by_c(low + 2) & b;
        by_b(0) & !a | by_b(4) & a
    });
}

/// `bfi.b32`
#[inline(always)]
pub fn bfi(l: &mut Lanes<'_>, d: Word, a: Word, b: Word, c: Word, e: Word) {
    let fields = map2(l.word(c), l.word(e), |c, e| shl(!shl(u32::MAX, e & 0xFF), c & 0xFF));
    let shifted = map2(l.word(a), l.word(c), |a, c| shl(a, c & 0xFF));
    let value = map3(&shifted, l.word(b), &fields, |a, b, field| a & field | b & !field);
    let poison = [a, b, c, e].iter().fold(0, |poison, &word| poison | l.registers.word_poison(word));
    l.set_word(d, &value, poison);
}

#[inline(always)]
pub fn pair1(l: &mut Lanes<'_>, op: Pair1, d: Pair, a: Pair) {
    match op {
        Pair1::Not => l.p1(d, a, |a| !a),
        Pair1::CNot => l.p1(d, a, |a| u64::from(a == 0)),
        Pair1::Neg => l.p1(d, a, u64::wrapping_neg),
        Pair1::Abs => l.p1(d, a, |a| (a as i64).wrapping_abs() as u64),
        Pair1::Brev => l.p1(d, a, u64::reverse_bits),
    }
}

#[inline(always)]
pub fn pair_to_word(l: &mut Lanes<'_>, op: PairToWord, d: Word, a: Pair) {
    let f = match op {
        PairToWord::Popc => |a: u64| a.count_ones(),
        PairToWord::Clz => |a: u64| a.leading_zeros(),
        PairToWord::BfindU => |a: u64| bfind64(a),
        PairToWord::BfindS => |a: u64| bfind64(unsigned_part64(a)),
        PairToWord::BfindShiftU => |a: u64| shift_amount(bfind64(a), 63),
        PairToWord::BfindShiftS => |a: u64| shift_amount(bfind64(unsigned_part64(a)), 63),
    };
    let value = super::lanes::map1(l.pair(a), f);
    let poison = l.registers.pair_poison(a);
    l.set_word(d, &value, poison);
}

#[inline(always)]
fn mul_hi_s(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
}

#[inline(always)]
fn mul_hi_u(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[inline(always)]
pub fn pair2(l: &mut Lanes<'_>, op: Pair2, d: Pair, a: Pair, b: Pair) {
    match op {
        Pair2::Add => l.p2(d, a, b, u64::wrapping_add),
        Pair2::Sub => pairs_same_is_defined(l, d, a, b, u64::wrapping_sub),
        Pair2::MulLo => l.p2(d, a, b, u64::wrapping_mul),
        Pair2::MulHiS => l.p2(d, a, b, mul_hi_s),
        Pair2::MulHiU => l.p2(d, a, b, mul_hi_u),
        Pair2::DivS => {
            l.p2(d, a, b, |a, b| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 });
        }
        Pair2::DivU => l.p2(d, a, b, |a, b| a.checked_div(b).unwrap_or(u64::MAX)),
        Pair2::RemS => {
            l.p2(d, a, b, |a, b| if b == 0 { u64::MAX } else { (a as i64).wrapping_rem(b as i64) as u64 })
        }
        Pair2::RemU => l.p2(d, a, b, |a, b| a.checked_rem(b).unwrap_or(u64::MAX)),
        Pair2::MinS => l.p2(d, a, b, |a, b| (a as i64).min(b as i64) as u64),
        Pair2::MinU => l.p2(d, a, b, |a, b| a.min(b)),
        Pair2::MaxS => l.p2(d, a, b, |a, b| (a as i64).max(b as i64) as u64),
        Pair2::MaxU => l.p2(d, a, b, |a, b| a.max(b)),
        Pair2::And => l.p2(d, a, b, |a, b| a & b),
        Pair2::Or => l.p2(d, a, b, |a, b| a | b),
        Pair2::Xor => pairs_same_is_defined(l, d, a, b, |a, b| a ^ b),
        Pair2::CopysignF64 => l.p2(d, a, b, |a, b| a & 1 << 63 | b & !(1 << 63)),
    }
}

#[inline(always)]
fn pairs_same_is_defined(l: &mut Lanes<'_>, d: Pair, a: Pair, b: Pair, f: impl Fn(u64, u64) -> u64) {
    let value = map2(l.pair(a), l.pair(b), f);
    let poison = if a == b { 0 } else { l.registers.pair_poison(a) | l.registers.pair_poison(b) };
    l.set_pair(d, &value, poison);
}

#[inline(always)]
pub fn pair3(l: &mut Lanes<'_>, op: Pair3, d: Pair, a: Pair, b: Pair, c: Pair) {
    match op {
        Pair3::MadLo => l.p3(d, a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Pair3::MadHiS => l.p3(d, a, b, c, |a, b, c| mul_hi_s(a, b).wrapping_add(c)),
        Pair3::MadHiU => l.p3(d, a, b, c, |a, b, c| mul_hi_u(a, b).wrapping_add(c)),
        Pair3::SadS => l.p3(d, a, b, c, |a, b, c| (a as i64).abs_diff(b as i64).wrapping_add(c)),
        Pair3::SadU => l.p3(d, a, b, c, |a, b, c| a.abs_diff(b).wrapping_add(c)),
    }
}

#[inline(always)]
fn shl64(a: u64, b: u32) -> u64 {
    if b < 64 { a << (b & 63) } else { 0 }
}

#[inline(always)]
fn shr64(a: u64, b: u32) -> u64 {
    if b < 64 { a >> (b & 63) } else { 0 }
}

#[inline(always)]
pub fn pair_shift(l: &mut Lanes<'_>, op: PairShift, d: Pair, a: Pair, b: Word) {
    if !l.may_write_pair(d, l.registers.pair_poison(a) | l.registers.word_poison(b)) {
        return;
    }
    let value = match op {
        PairShift::Shl => map2(l.pair(a), l.word(b), shl64),
        PairShift::ShrS => map2(l.pair(a), l.word(b), |a, b| (a as i64 >> b.min(63)) as u64),
        PairShift::ShrU => map2(l.pair(a), l.word(b), shr64),
    };
    l.registers.set_pair(d, &value, 0, l.mask);
}

// PTX restricts positions and lengths to 0 … 255; unlike the 32-bit forms, which take the low 8
// bits, these take all 32.
pub fn pair_bfe(l: &mut Lanes<'_>, signed: bool, d: Pair, a: Pair, b: Word, c: Word) {
    let value = map3(l.pair(a), l.word(b), l.word(c), |a, b, c| {
        let (position, length) = (b, c);
        if !signed {
            return shr64(a, position) & !shl64(u64::MAX, length);
        }
        let field = (a as i64 >> position.min(63)) as u64;
        match length {
            0 => 0,
            1..64 => ((field << (64 - length)) as i64 >> (64 - length)) as u64,
            _ => field,
        }
    });
    let poison = l.registers.pair_poison(a) | l.registers.word_poison(b) | l.registers.word_poison(c);
    l.set_pair(d, &value, poison);
}

pub fn pair_bfi(l: &mut Lanes<'_>, d: Pair, a: Pair, b: Pair, c: Word, e: Word) {
    let fields = map2(l.word(c), l.word(e), |c, e| shl64(!shl64(u64::MAX, e), c));
    let shifted = map2(l.pair(a), l.word(c), shl64);
    let value = map3(&shifted, l.pair(b), &fields, |a, b, field| a & field | b & !field);
    let r = &l.registers;
    let poison = r.pair_poison(a) | r.pair_poison(b) | r.word_poison(c) | r.word_poison(e);
    l.set_pair(d, &value, poison);
}

pub fn pair_slct(l: &mut Lanes<'_>, float: bool, ftz: bool, d: Pair, a: Pair, b: Pair, c: Word) {
    let value = map3(l.pair(a), l.pair(b), l.word(c), |a, b, c| {
        let c = if ftz && c & 0x7F80_0000 == 0 { c & 0x8000_0000 } else { c };
        let chooses_a = if float { float_selects_a(c) } else { c as i32 >= 0 };
        if chooses_a { a } else { b }
    });
    let poison = l.registers.pair_poison(a) | l.registers.pair_poison(b) | l.registers.word_poison(c);
    l.set_pair(d, &value, poison);
}

#[inline(always)]
pub fn mul_wide(l: &mut Lanes<'_>, signed: bool, d: Pair, a: Word, b: Word) {
    let value = if signed {
        map2(l.word(a), l.word(b), |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64)
    } else {
        map2(l.word(a), l.word(b), |a, b| u64::from(a) * u64::from(b))
    };
    let poison = l.registers.word_poison(a) | l.registers.word_poison(b);
    l.set_pair(d, &value, poison);
}

#[inline(always)]
pub fn mad_wide(l: &mut Lanes<'_>, signed: bool, d: Pair, a: Word, b: Word, c: Pair) {
    let value = if signed {
        map3(l.word(a), l.word(b), l.pair(c), |a, b, c| {
            ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
        })
    } else {
        map3(l.word(a), l.word(b), l.pair(c), |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c))
    };
    let poison = l.registers.word_poison(a) | l.registers.word_poison(b) | l.registers.pair_poison(c);
    l.set_pair(d, &value, poison);
}

/// The carry that goes into the adder. The hardware has one adder and one flag, its carry out, and subtracts by
/// adding the complement and 1: after a subtraction the flag says that nothing was borrowed. PTX speaks of a
/// "borrow"; only where an addition and a subtraction share the flag can the two be told apart.
fn carries(l: &Lanes<'_>, subtract: bool, carry_in: Predicate) -> (u32, u32) {
    carry_in.some().map_or((if subtract { u32::MAX } else { 0 }, 0), |flag| l.predicate(flag))
}

pub fn add_carry(
    l: &mut Lanes<'_>,
    subtract: bool,
    d: Word,
    a: Word,
    b: Word,
    carry_in: Predicate,
    carry_out: Predicate,
) {
    let (carry, poisoned) = carries(l, subtract, carry_in);
    let (x, y) = (*l.word(a), *l.word(b));
    let (mut value, mut out) = ([0; 32], 0);
    for lane in 0..32 {
        let carry = u64::from(carry >> lane & 1);
        let y = if subtract { !y[lane] } else { y[lane] };
        let wide = u64::from(x[lane]) + u64::from(y) + carry;
        value[lane] = wide as u32;
        out |= ((wide >> 32 & 1) as u32) << lane;
    }
    let poison = l.registers.word_poison(a) | l.registers.word_poison(b) | poisoned;
    l.set_word(d, &value, poison);
    if carry_out.is_some() {
        l.set_predicate(carry_out, out, poison);
    }
}

pub fn pair_add_carry(
    l: &mut Lanes<'_>,
    subtract: bool,
    d: Pair,
    a: Pair,
    b: Pair,
    carry_in: Predicate,
    carry_out: Predicate,
) {
    let (carry, poisoned) = carries(l, subtract, carry_in);
    let (x, y) = (*l.pair(a), *l.pair(b));
    let (mut value, mut out) = ([0; 32], 0);
    for lane in 0..32 {
        let carry = u128::from(carry >> lane & 1);
        let y = if subtract { !y[lane] } else { y[lane] };
        let wide = u128::from(x[lane]) + u128::from(y) + carry;
        value[lane] = wide as u64;
        out |= ((wide >> 64 & 1) as u32) << lane;
    }
    let poison = l.registers.pair_poison(a) | l.registers.pair_poison(b) | poisoned;
    l.set_pair(d, &value, poison);
    if carry_out.is_some() {
        l.set_predicate(carry_out, out, poison);
    }
}

#[expect(clippy::too_many_arguments, reason = "the fields of one operation")]
pub fn abs_differences(
    l: &mut Lanes<'_>,
    bits: u8,
    signed: bool,
    sum: bool,
    d: Word,
    a: Word,
    b: Word,
    c: Word,
) {
    let bits = u32::from(bits);
    l.w3(d, a, b, c, |a, b, c| {
        let mut result = if sum { c } else { 0 };
        for index in 0..32 / bits {
            let difference = field(a, index, bits, signed).abs_diff(field(b, index, bits, signed));
            // The largest signed difference fits the field unsigned.
            result =
                if sum { result.wrapping_add(difference) } else { result | difference << (index * bits) };
        }
        result
    });
}
