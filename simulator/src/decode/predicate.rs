//! Comparisons, `testp` and logic of predicates.

use std::str::FromStr;

use super::function::Lowering;
use crate::{
    ir::{Alu, Class, Combine, Compare, CompareKind, Predicate, Word2},
    ptx::{Operand, ParsedInstruction},
};

fn compare(name: &str, signed_or_float: bool) -> Option<Compare> {
    // `lo`, `ls`, `hi`, `hs` are the unsigned names; the kind already says unsigned.
    Some(match name {
        "eq" => Compare::Eq,
        "ne" => Compare::Ne,
        "lt" | "lo" => Compare::Lt,
        "le" | "ls" => Compare::Le,
        "gt" | "hi" => Compare::Gt,
        "ge" | "hs" => Compare::Ge,
        "equ" if signed_or_float => Compare::Equ,
        "neu" if signed_or_float => Compare::Neu,
        "ltu" if signed_or_float => Compare::Ltu,
        "leu" if signed_or_float => Compare::Leu,
        "gtu" if signed_or_float => Compare::Gtu,
        "geu" if signed_or_float => Compare::Geu,
        "num" if signed_or_float => Compare::Num,
        "nan" if signed_or_float => Compare::Nan,
        _ => return None,
    })
}

fn kind(name: &str, ftz: bool) -> Option<CompareKind> {
    Some(match name {
        "b16" | "u16" => CompareKind::U16,
        "s16" => CompareKind::S16,
        "b32" | "u32" => CompareKind::U32,
        "s32" => CompareKind::S32,
        "b64" | "u64" => CompareKind::U64,
        "s64" => CompareKind::S64,
        "f16" | "f16x2" if ftz => CompareKind::F16Ftz,
        "f16" | "f16x2" => CompareKind::F16,
        "bf16" | "bf16x2" => CompareKind::Bf16,
        "f32" if ftz => CompareKind::F32Ftz,
        "f32" => CompareKind::F32,
        "f64" => CompareKind::F64,
        _ => return None,
    })
}

/// Lowers `setp`, `set` and `testp`.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    match i.opcode {
        "setp" => setp(l, i),
        "set" => set(l, i),
        _ => testp(l, i),
    }
}

/// A source operand as its kind's register index.
fn source(l: &mut Lowering<'_, '_, '_>, kind: CompareKind, operand: &Operand<'_>) -> Option<u16> {
    Some(match kind {
        CompareKind::F32 | CompareKind::F32Ftz => l.float(operand)?.0,
        CompareKind::F64 => l.double(operand)?.0,
        CompareKind::U64 | CompareKind::S64 => l.pair(operand)?.0,
        _ => l.word(operand)?.0,
    })
}

/// How two values are compared, and how the outcome is combined with a predicate, if it is.
fn comparison(i: &ParsedInstruction<'_>) -> Option<(Compare, Option<Combine>)> {
    let how = i.modifiers.iter().find_map(|m| Combine::from_str(m).ok());
    Some((compare(i.modifiers.first()?, true)?, how))
}

fn setp(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let (compare, how) = comparison(i)?;
    let (d, e) = match i.operands.first()? {
        Operand::Dual(d, e) => (l.d_predicate(d)?, l.d_predicate(e)?),
        d => (l.d_predicate(d)?, Predicate::NONE),
    };
    let (c, negated) = match (how, i.operands.get(3)) {
        (Some(_), Some(c)) => l.predicate(c)?,
        (None, None) => (Predicate::NONE, false),
        _ => return None,
    };
    let combine = how.unwrap_or(Combine::And);
    let [a, b] = [i.operands.get(1)?, i.operands.get(2)?];
    let name = *i.modifiers.last()?;
    if matches!(name, "f16x2" | "bf16x2") {
        let (a, b) = (l.word(a)?, l.word(b)?);
        let e = if e.is_some() { e } else { l.new_predicate() };
        let kind = kind(name, i.modifiers.contains(&"ftz"))?;
        l.alu(Alu::SetPredicateX2 { kind, compare, d, e, a, b })?;
        if c.is_some() {
            let other = if negated {
                let other = l.new_predicate();
                l.alu(Alu::PredicateNot { d: other, a: c })?;
                other
            } else {
                c
            };
            l.alu(Alu::Predicate2 { op: combine, d, a: d, b: other })?;
            l.alu(Alu::Predicate2 { op: combine, d: e, a: e, b: other })?;
        }
        return Some(());
    }
    let kind = kind(name, i.modifiers.contains(&"ftz"))?;
    let (a, b) = (source(l, kind, a)?, source(l, kind, b)?);
    l.alu(Alu::SetPredicate { kind, compare, combine, negated, d, e, a, b, c })
}

/// `set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, c}`.
fn set(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let (compare, how) = comparison(i)?;
    let [.., to, from] = i.modifiers[..] else { return None };
    let d = l.d_word(i.operands.first()?)?;
    let [a, b] = [i.operands.get(1)?, i.operands.get(2)?];
    if matches!(from, "f16x2" | "bf16x2") {
        let (mask, ones) = match to {
            "f16x2" => (false, 0x3C00_3C00),
            "bf16x2" => (false, 0x3F80_3F80),
            "u32" | "s32" => (true, u32::MAX),
            _ => return None,
        };
        let (a, b) = (l.word(a)?, l.word(b)?);
        let kind = kind(from, i.modifiers.contains(&"ftz"))?;
        let Some(how) = how else { return l.alu(Alu::SetX2 { kind, compare, mask, d, a, b }) };
        let (p, negated) = l.predicate(i.operands.get(3)?)?;
        let [alone, combined] = [l.new_word(), l.new_word()];
        l.alu(Alu::SetX2 { kind, compare, mask, d: alone, a, b })?;
        // What a true predicate makes of both halves; a false one leaves them, or makes them 0.
        let (ones, zero) = (l.word_bits(ones), l.word_bits(0));
        let (when_true, when_false) = match how {
            Combine::And => (alone, zero),
            Combine::Or => (ones, alone),
            Combine::Xor => {
                l.alu(Alu::Word2 { op: Word2::Xor, d: combined, a: alone, b: ones })?;
                (combined, alone)
            }
        };
        let (a, b) = if negated { (when_false, when_true) } else { (when_true, when_false) };
        return l.alu(Alu::SelectWord { d, a, b, p });
    }
    let (c, negated) = match (how, i.operands.get(3)) {
        (Some(_), Some(c)) => l.predicate(c)?,
        (None, None) => (Predicate::NONE, false),
        _ => return None,
    };
    let kind = kind(from, i.modifiers.contains(&"ftz"))?;
    let (a, b) = (source(l, kind, a)?, source(l, kind, b)?);
    let p = l.new_predicate();
    let combine = how.unwrap_or(Combine::And);
    l.alu(Alu::SetPredicate { kind, compare, combine, negated, d: p, e: Predicate::NONE, a, b, c })?;
    let one = match to {
        "u32" | "s32" => u32::MAX,
        "u16" | "s16" => 0xFFFF,
        "f32" => 1f32.to_bits(),
        "f16" => 0x3C00,
        "bf16" => 0x3F80,
        _ => return None,
    };
    let (a, b) = (l.word_bits(one), l.word_bits(0));
    l.alu(Alu::SelectWord { d, a, b, p })
}

fn testp(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let class: Class = i.modifiers.first()?.parse().ok()?;
    let [d, a] = &i.operands[..] else { return None };
    let double = *i.modifiers.last()? == "f64";
    let (d, a) = (l.d_predicate(d)?, if double { l.double(a)?.0 } else { l.float(a)?.0 });
    l.alu(Alu::TestClass { class, double, d, a })
}

/// `and.pred`, `or.pred`, `xor.pred`, `not.pred`.
pub fn logic(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    match (&i.operands[..], i.opcode) {
        ([d, a], "not") => {
            let (d, (a, negated)) = (l.d_predicate(d)?, l.predicate(a)?);
            l.alu(if negated { Alu::MovePredicate { d, a } } else { Alu::PredicateNot { d, a } })
        }
        ([d, a, b], name) => {
            let op = Combine::from_str(name).ok()?;
            let d = l.d_predicate(d)?;
            let a = plain(l, a)?;
            let b = plain(l, b)?;
            l.alu(Alu::Predicate2 { op, d, a, b })
        }
        _ => None,
    }
}

/// A predicate operand with its negation carried out.
fn plain(l: &mut Lowering<'_, '_, '_>, operand: &Operand<'_>) -> Option<Predicate> {
    let (a, negated) = l.predicate(operand)?;
    if !negated {
        return Some(a);
    }
    let d = l.new_predicate();
    l.alu(Alu::PredicateNot { d, a })?;
    Some(d)
}
