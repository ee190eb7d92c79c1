//! Integer arithmetic, logic, shifts and bit fields.

use super::function::Lowering;
use crate::{
    ir::{
        Alu, Combine, Compare, CompareKind, Pair1, Pair2, Pair3, PairShift, PairToWord, Predicate, Word,
        Word1, Word2, Word3,
    },
    ptx::{Operand, ParsedInstruction},
};

/// Lowers an instruction on integers or bits.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    let kind = i.modifiers.iter().rev().copied().find(|m| crate::ptx::scalar_bytes(m) > 0)?;
    let o = &i.operands[..];
    let wide = matches!(kind, "b64" | "u64" | "s64");
    let signed = kind.starts_with('s');
    let narrow = matches!(kind, "b16" | "u16" | "s16");
    /// The signed or the unsigned variant.
    macro_rules! by_sign {
        ($kind:ident, $s:ident, $u:ident) => {
            if signed { $kind::$s } else { $kind::$u }
        };
        ($s:ident, $u:ident, $s16:ident, $u16:ident) => {
            match (narrow, signed) {
                (false, true) => Word2::$s,
                (false, false) => Word2::$u,
                (true, true) => Word2::$s16,
                (true, false) => Word2::$u16,
            }
        };
    }
    match i.opcode {
        "add" | "sub" if has("cc") => carry(l, i, i.opcode == "sub", false, true),
        "addc" | "subc" => carry(l, i, i.opcode == "subc", true, has("cc")),
        "mad" if has("cc") => mad_carry(l, i, false, true),
        "madc" => mad_carry(l, i, true, has("cc")),
        "add" => match kind {
            "u16x2" | "s16x2" => word2(l, Word2::AddX2, o),
            _ if wide => pair2(l, Pair2::Add, o),
            _ if has("sat") => word2(l, Word2::AddSatS, o),
            _ => word2(l, Word2::Add, o),
        },
        "sub" if wide => pair2(l, Pair2::Sub, o),
        "sub" if has("sat") => word2(l, Word2::SubSatS, o),
        "sub" => word2(l, Word2::Sub, o),
        "mul" if has("wide") && narrow => word2(l, by_sign!(Word2, MulWideS16, MulWideU16), o),
        "mul" if has("wide") && !wide => {
            let [d, a, b] = o else { return None };
            let (d, a, b) = (l.d_pair(d)?, l.word(a)?, l.word(b)?);
            l.alu(Alu::MulWide { signed, d, a, b })
        }
        "mul" if has("hi") && wide => pair2(l, by_sign!(Pair2, MulHiS, MulHiU), o),
        "mul" if has("hi") => word2(l, by_sign!(MulHiS, MulHiU, MulHiS16, MulHiU16), o),
        "mul" if has("lo") && wide => pair2(l, Pair2::MulLo, o),
        "mul" if has("lo") => word2(l, Word2::MulLo, o),
        "mul24" if has("hi") => word2(l, by_sign!(Word2, Mul24HiS, Mul24HiU), o),
        "mul24" => word2(l, by_sign!(Word2, Mul24LoS, Mul24LoU), o),
        "mad" if has("wide") && narrow => word3(l, by_sign!(Word3, MadWideS16, MadWideU16), o),
        "mad" if has("wide") && !wide => {
            let [d, a, b, c] = o else { return None };
            let (d, a, b, c) = (l.d_pair(d)?, l.word(a)?, l.word(b)?, l.pair(c)?);
            l.alu(Alu::MadWide { signed, d, a, b, c })
        }
        "mad" if wide => {
            let op = if has("lo") { Pair3::MadLo } else { by_sign!(Pair3, MadHiS, MadHiU) };
            pair3(l, op, o)
        }
        "mad" if has("lo") => word3(l, Word3::MadLo, o),
        "mad" if has("sat") => word3(l, Word3::MadHiSatS, o),
        "mad" if narrow => word3(l, by_sign!(Word3, MadHiS16, MadHiU16), o),
        "mad" => word3(l, by_sign!(Word3, MadHiS, MadHiU), o),
        "mad24" if has("sat") => word3(l, Word3::Mad24HiSatS, o),
        "mad24" if has("hi") => word3(l, by_sign!(Word3, Mad24HiS, Mad24HiU), o),
        "mad24" => word3(l, by_sign!(Word3, Mad24LoS, Mad24LoU), o),
        "div" if wide => pair2(l, by_sign!(Pair2, DivS, DivU), o),
        "div" => word2(l, by_sign!(DivS, DivU, DivS16, DivU16), o),
        "rem" if wide => pair2(l, by_sign!(Pair2, RemS, RemU), o),
        "rem" => word2(l, by_sign!(RemS, RemU, RemS16, RemU16), o),
        "min" | "max" => {
            let smaller = i.opcode == "min";
            let pick = |a, b| if smaller { a } else { b };
            match kind {
                "s16x2" if has("relu") => {
                    let (d, a, b) = l.words3(o)?;
                    let (picked, zero) = (l.new_word(), l.word_bits(0));
                    l.alu(Alu::Word2 { op: pick(Word2::MinS16x2, Word2::MaxS16x2), d: picked, a, b })?;
                    l.alu(Alu::Word2 { op: Word2::MaxS16x2, d, a: picked, b: zero })
                }
                "s16x2" => word2(l, pick(Word2::MinS16x2, Word2::MaxS16x2), o),
                "u16x2" => word2(l, pick(Word2::MinU16x2, Word2::MaxU16x2), o),
                "s32" if has("relu") => word2(l, pick(Word2::MinSRelu, Word2::MaxSRelu), o),
                _ if has("relu") => None,
                "s64" => pair2(l, if smaller { Pair2::MinS } else { Pair2::MaxS }, o),
                "u64" => pair2(l, if smaller { Pair2::MinU } else { Pair2::MaxU }, o),
                _ if smaller => word2(l, by_sign!(MinS, MinU, MinS16, MinU16), o),
                _ => word2(l, by_sign!(MaxS, MaxU, MaxS16, MaxU16), o),
            }
        }
        "sad" if wide => pair3(l, by_sign!(Pair3, SadS, SadU), o),
        "sad" if narrow => word3(l, by_sign!(Word3, SadS16, SadU16), o),
        "sad" => word3(l, by_sign!(Word3, SadS, SadU), o),
        "and" if wide => pair2(l, Pair2::And, o),
        "and" => word2(l, Word2::And, o),
        "or" if wide => pair2(l, Pair2::Or, o),
        "or" => word2(l, Word2::Or, o),
        "xor" if wide => pair2(l, Pair2::Xor, o),
        "xor" => word2(l, Word2::Xor, o),
        "not" if wide => pair1(l, Pair1::Not, o),
        "not" => word1(l, Word1::Not, o),
        "cnot" if wide => pair1(l, Pair1::CNot, o),
        "cnot" if narrow => {
            let (d, a) = l.words2(o)?;
            let low = l.new_word();
            l.alu(Alu::Extract { signed: false, shift: 0, width: 16, d: low, a })?;
            l.alu(Alu::Word1 { op: Word1::CNot, d, a: low })
        }
        "cnot" => word1(l, Word1::CNot, o),
        "neg" if wide => pair1(l, Pair1::Neg, o),
        "neg" => word1(l, Word1::Neg, o),
        "abs" if wide => pair1(l, Pair1::Abs, o),
        "abs" if narrow => word1(l, Word1::Abs16, o),
        "abs" => word1(l, Word1::Abs, o),
        "brev" if wide => pair1(l, Pair1::Brev, o),
        "brev" => word1(l, Word1::Brev, o),
        "popc" if wide => pair_to_word(l, PairToWord::Popc, o),
        "popc" => word1(l, Word1::Popc, o),
        "clz" if wide => pair_to_word(l, PairToWord::Clz, o),
        "clz" => word1(l, Word1::Clz, o),
        "bfind" if wide && has("shiftamt") => {
            pair_to_word(l, by_sign!(PairToWord, BfindShiftS, BfindShiftU), o)
        }
        "bfind" if wide => pair_to_word(l, by_sign!(PairToWord, BfindS, BfindU), o),
        "bfind" if has("shiftamt") => word1(l, by_sign!(Word1, BfindShiftS, BfindShiftU), o),
        "bfind" => word1(l, by_sign!(Word1, BfindS, BfindU), o),
        "shl" | "shr" if wide => {
            let [d, a, b] = o else { return None };
            let op = match (i.opcode, signed) {
                ("shl", _) => PairShift::Shl,
                (_, true) => PairShift::ShrS,
                (_, false) => PairShift::ShrU,
            };
            let (d, a, b) = (l.d_pair(d)?, l.pair(a)?, l.word(b)?);
            l.alu(Alu::PairShift { op, d, a, b })
        }
        "shl" => word2(l, if narrow { Word2::Shl16 } else { Word2::Shl }, o),
        "shr" => word2(l, by_sign!(ShrS, ShrU, ShrS16, ShrU16), o),
        "shf" => {
            let op = match (has("l"), has("wrap")) {
                (true, true) => Word3::ShfLeftWrap,
                (true, false) => Word3::ShfLeftClamp,
                (false, true) => Word3::ShfRightWrap,
                (false, false) => Word3::ShfRightClamp,
            };
            word3(l, op, o)
        }
        "prmt" => {
            let op = match *i.modifiers.first()? {
                "f4e" => Word3::PrmtF4e,
                "b4e" => Word3::PrmtB4e,
                "rc8" => Word3::PrmtRc8,
                "ecl" => Word3::PrmtEcl,
                "ecr" => Word3::PrmtEcr,
                "rc16" => Word3::PrmtRc16,
                "b32" => Word3::Prmt,
                _ => return None,
            };
            word3(l, op, o)
        }
        "lop3" => lop3(l, i),
        "fns" => word3(l, Word3::Fns, o),
        "bfe" if wide => {
            let [d, a, b, c] = o else { return None };
            let (d, a, b, c) = (l.d_pair(d)?, l.pair(a)?, l.word(b)?, l.word(c)?);
            l.alu(Alu::PairBfe { signed, d, a, b, c })
        }
        "bfe" => word3(l, by_sign!(Word3, BfeS, BfeU), o),
        "bfi" => {
            let [d, a, b, c, e] = o else { return None };
            if wide {
                let (d, a, b, c, e) = (l.d_pair(d)?, l.pair(a)?, l.pair(b)?, l.word(c)?, l.word(e)?);
                l.alu(Alu::PairBfi { d, a, b, c, e })
            } else {
                let (d, a, b, c, e) = (l.d_word(d)?, l.word(a)?, l.word(b)?, l.word(c)?, l.word(e)?);
                l.alu(Alu::Bfi { d, a, b, c, e })
            }
        }
        "bmsk" => word2(l, if has("wrap") { Word2::BmskWrap } else { Word2::BmskClamp }, o),
        "szext" => {
            let op = match (has("wrap"), signed) {
                (true, true) => Word2::SzextWrapS,
                (true, false) => Word2::SzextWrapU,
                (false, true) => Word2::SzextClampS,
                (false, false) => Word2::SzextClampU,
            };
            word2(l, op, o)
        }
        "dp4a" => {
            let op = match i.modifiers[..] {
                ["s32", "s32"] => Word3::Dp4aSS,
                ["s32", "u32"] => Word3::Dp4aSU,
                ["u32", "s32"] => Word3::Dp4aUS,
                ["u32", "u32"] => Word3::Dp4aUU,
                _ => return None,
            };
            word3(l, op, o)
        }
        "dp2a" => {
            let op = match i.modifiers[..] {
                ["lo", "s32", "s32"] => Word3::Dp2aLoSS,
                ["lo", "s32", "u32"] => Word3::Dp2aLoSU,
                ["lo", "u32", "s32"] => Word3::Dp2aLoUS,
                ["lo", "u32", "u32"] => Word3::Dp2aLoUU,
                ["hi", "s32", "s32"] => Word3::Dp2aHiSS,
                ["hi", "s32", "u32"] => Word3::Dp2aHiSU,
                ["hi", "u32", "s32"] => Word3::Dp2aHiUS,
                ["hi", "u32", "u32"] => Word3::Dp2aHiUU,
                _ => return None,
            };
            word3(l, op, o)
        }
        "vabsdiff2" | "vabsdiff4" => {
            let signed = match i.modifiers[..] {
                ["u32", "u32", "u32"] | ["add", "u32", "u32", "u32"] => false,
                ["u32" | "s32", "s32", "s32"] | ["add", "u32" | "s32", "s32", "s32"] => true,
                _ => return None,
            };
            let (d, a, b, c) = l.words4(o)?;
            let bits = if i.opcode == "vabsdiff4" { 8 } else { 16 };
            l.alu(Alu::AbsDifferences { bits, signed, sum: has("add"), d, a, b, c })
        }
        _ => None,
    }
}

/// `lop3.b32 d, a, b, c, table`, or `lop3.{or,and}.b32 d|p, a, b, c, table, q`: then `p` is whether any bit
/// of `d` is set, combined with `q`.
fn lop3(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let combine = match i.modifiers[..] {
        ["b32"] => None,
        ["and", "b32"] => Some(Combine::And),
        ["or", "b32"] => Some(Combine::Or),
        _ => return None,
    };
    let [d, a, b, c, Operand::Integer(table), rest @ ..] = &i.operands[..] else { return None };
    let (d, p) = match (d, combine) {
        (Operand::Dual(d, p), Some(_)) => (l.d_word(d)?, l.d_predicate(p)?),
        (d, None) => (l.d_word(d)?, Predicate::NONE),
        _ => return None,
    };
    let (a, b, c) = (l.word(a)?, l.word(b)?, l.word(c)?);
    l.alu(Alu::Lop3 { d, a, b, c, table: *table as u8 })?;
    let (combine, q) = match (combine, rest) {
        (None, []) => return Some(()),
        (Some(combine), [q]) => (combine, q),
        _ => return None,
    };
    let ((c, negated), zero) = (l.predicate(q)?, l.word_bits(0));
    l.alu(Alu::SetPredicate {
        kind: CompareKind::U32,
        compare: Compare::Ne,
        combine,
        negated,
        d: p,
        e: Predicate::NONE,
        a: d.0,
        b: zero.0,
        c,
    })
}

fn word1(l: &mut Lowering<'_, '_, '_>, op: Word1, o: &[Operand<'_>]) -> Option<()> {
    let (d, a) = l.words2(o)?;
    l.alu(Alu::Word1 { op, d, a })
}

fn word2(l: &mut Lowering<'_, '_, '_>, op: Word2, o: &[Operand<'_>]) -> Option<()> {
    let (d, a, b) = l.words3(o)?;
    l.alu(Alu::Word2 { op, d, a, b })
}

fn word3(l: &mut Lowering<'_, '_, '_>, op: Word3, o: &[Operand<'_>]) -> Option<()> {
    let (d, a, b, c) = l.words4(o)?;
    l.alu(Alu::Word3 { op, d, a, b, c })
}

fn pair1(l: &mut Lowering<'_, '_, '_>, op: Pair1, o: &[Operand<'_>]) -> Option<()> {
    let (d, a) = l.pairs2(o)?;
    l.alu(Alu::Pair1 { op, d, a })
}

fn pair2(l: &mut Lowering<'_, '_, '_>, op: Pair2, o: &[Operand<'_>]) -> Option<()> {
    let (d, a, b) = l.pairs3(o)?;
    l.alu(Alu::Pair2 { op, d, a, b })
}

fn pair3(l: &mut Lowering<'_, '_, '_>, op: Pair3, o: &[Operand<'_>]) -> Option<()> {
    let (d, a, b, c) = l.pairs4(o)?;
    l.alu(Alu::Pair3 { op, d, a, b, c })
}

fn pair_to_word(l: &mut Lowering<'_, '_, '_>, op: PairToWord, o: &[Operand<'_>]) -> Option<()> {
    let [d, a] = o else { return None };
    let (d, a) = (l.d_word(d)?, l.pair(a)?);
    l.alu(Alu::PairToWord { op, d, a })
}

/// `add.cc`, `addc`, `sub.cc`, `subc`.
fn carry(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    subtract: bool,
    takes: bool,
    gives: bool,
) -> Option<()> {
    let flag = l.carry();
    let carry_in = if takes { flag } else { Predicate::NONE };
    let carry_out = if gives { flag } else { Predicate::NONE };
    if matches!(*i.modifiers.last()?, "u64" | "s64") {
        let (d, a, b) = l.pairs3(&i.operands)?;
        l.alu(Alu::PairAddCarry { subtract, d, a, b, carry_in, carry_out })
    } else {
        let (d, a, b) = l.words3(&i.operands)?;
        l.alu(Alu::AddCarry { subtract, d, a, b, carry_in, carry_out })
    }
}

/// `mad.cc`, `madc`: a product, then an addition with carry.
fn mad_carry(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    takes: bool,
    gives: bool,
) -> Option<()> {
    let flag = l.carry();
    let carry_in = if takes { flag } else { Predicate::NONE };
    let carry_out = if gives { flag } else { Predicate::NONE };
    let high = i.modifiers.contains(&"hi");
    let kind = *i.modifiers.last()?;
    let signed = kind.starts_with('s');
    if matches!(kind, "u64" | "s64") {
        let op = match (high, signed) {
            (false, _) => Pair2::MulLo,
            (true, true) => Pair2::MulHiS,
            (true, false) => Pair2::MulHiU,
        };
        let (d, a, b, c) = l.pairs4(&i.operands)?;
        let product = l.new_pair();
        l.alu(Alu::Pair2 { op, d: product, a, b })?;
        l.alu(Alu::PairAddCarry { subtract: false, d, a: product, b: c, carry_in, carry_out })
    } else {
        let op = match (high, signed) {
            (false, _) => Word2::MulLo,
            (true, true) => Word2::MulHiS,
            (true, false) => Word2::MulHiU,
        };
        let (d, a, b, c): (Word, Word, Word, Word) = l.words4(&i.operands)?;
        let product = l.new_word();
        l.alu(Alu::Word2 { op, d: product, a, b })?;
        l.alu(Alu::AddCarry { subtract: false, d, a: product, b: c, carry_in, carry_out })
    }
}
