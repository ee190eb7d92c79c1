//! What each operation on whole words and pairs, on halves and in conversions makes of undefined bits.

use super::bits::{
    H, Value, W, all, and, bit_field_extract, by_halves, compares, field, flushed, leading, or, permute,
    product, select, selector, shift, shl, shr, sum, upwards,
};
use crate::ir::{Compare, ConvertKind, HalfKind, Pair2, Word1, Word2, Word3};

pub(super) fn half_operation(kind: HalfKind, undefined: u64) -> u64 {
    match kind {
        HalfKind::F16 | HalfKind::Bf16 => all(undefined & H, W),
        HalfKind::F16x2 | HalfKind::Bf16x2 => by_halves(undefined, |half| all(half, H)),
    }
}

pub(super) fn word1(op: Word1, a: Value) -> u64 {
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

pub(super) fn word2(op: Word2, a: Value, b: Value) -> u64 {
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

/// The smaller (or, by another order, larger) operand: that side's undefined bits where
/// it is certain which it is.
pub(super) fn least(order: Compare, a: Value, b: Value, sign: u64, whole: u64) -> u64 {
    let first = compares(order, a, b, sign);
    if first.is_defined() { select(first, a, b) } else { all(a.undefined | b.undefined, whole) }
}

pub(super) fn word3(op: Word3, a: Value, b: Value, c: Value) -> u64 {
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
pub(super) fn sixteen(a: Value) -> Value {
    Value { bits: field(a.bits, 0, 16, true), undefined: field(a.undefined, 0, 16, true) }
}

pub(super) fn pair2(op: Pair2, a: Value, b: Value) -> u64 {
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
pub(super) fn lop3(a: Value, b: Value, c: Value, table: u8) -> u64 {
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

pub(super) fn convert(to: ConvertKind, from: ConvertKind, sat: bool, a: Value) -> u64 {
    let whole = if to.is_wide() { u64::MAX } else { W };
    let used = a.low(u64::MAX >> (64 - from.bits()));
    if to.is_float() || from.is_float() || sat {
        return all(used.undefined, whole);
    }
    let extended = field(used.undefined, 0, from.bits(), from.is_signed());
    // Narrow results are extended to a word by their own sign.
    field(extended, 0, to.bits(), to.is_signed()) & whole
}
