//! Register-to-register operations: what they compute is PTX ISA 9.0, section 9.7.
//!
//! Variants are grouped by shape (which files the operands are in); the operation within a shape is a field.

use strum::EnumString;

use super::{Pair, Predicate, Word};

/// IEEE rounding, or rounding to an integer in conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards −∞.
    Down,
    /// Towards +∞.
    Up,
    /// To nearest, ties away from zero (conversions only).
    NearestAway,
}

/// Modifiers of a floating-point operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// Rounding.
    pub rounding: Rounding,
    /// Subnormal inputs and results are flushed to zero, keeping the sign.
    pub ftz: bool,
    /// The result is clamped to [0, 1]; NaN becomes +0.
    pub sat: bool,
    /// Of an approximate function: the last bit of the result is the other one than that nearest to the
    /// truth ([`crate::Environment`]).
    pub other_last_bit: bool,
}

impl FloatMode {
    /// To nearest, nothing flushed or clamped.
    pub const NEAREST: FloatMode =
        FloatMode { rounding: Rounding::Nearest, ftz: false, sat: false, other_last_bit: false };
}

/// How a floating-point number of eight bits is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteFormat {
    /// Four bits of exponent, three of mantissa; no infinities.
    E4m3,
    /// Five bits of exponent, two of mantissa.
    E5m2,
}

/// 16-bit floating-point formats, alone in the low half of a word or two in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum HalfKind {
    /// `f16`
    F16,
    /// `f16x2`
    F16x2,
    /// `bf16`
    Bf16,
    /// `bf16x2`
    Bf16x2,
}

/// One word in, one word out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Word1 {
    Not,
    CNot,
    Neg,
    Abs,
    Abs16,
    Popc,
    Clz,
    Brev,
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
}

/// Two words in, one word out. A suffix 16 means that only the low 16 bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Word2 {
    Add,
    Sub,
    AddSatS,
    SubSatS,
    MulLo,
    MulHiS,
    MulHiU,
    MulHiS16,
    MulHiU16,
    MulWideS16,
    MulWideU16,
    Mul24LoS,
    Mul24LoU,
    Mul24HiS,
    Mul24HiU,
    DivS,
    DivU,
    RemS,
    RemU,
    DivS16,
    DivU16,
    RemS16,
    RemU16,
    MinS,
    MinU,
    MaxS,
    MaxU,
    MinS16,
    MinU16,
    MaxS16,
    MaxU16,
    MinSRelu,
    MaxSRelu,
    AddX2,
    MinS16x2,
    MinU16x2,
    MaxS16x2,
    MaxU16x2,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    Shl16,
    ShrS16,
    ShrU16,
    BmskClamp,
    BmskWrap,
    SzextClampS,
    SzextClampU,
    SzextWrapS,
    SzextWrapU,
    CopysignF32,
    /// `{a, b}`: the low half of `a` below the low half of `b`.
    Pack16,
}

/// Three words in, one word out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Word3 {
    MadLo,
    MadHiS,
    MadHiU,
    MadHiSatS,
    MadHiS16,
    MadHiU16,
    MadWideS16,
    MadWideU16,
    Mad24LoS,
    Mad24LoU,
    Mad24HiS,
    Mad24HiU,
    Mad24HiSatS,
    SadS,
    SadU,
    SadS16,
    SadU16,
    BfeS,
    BfeU,
    Prmt,
    PrmtF4e,
    PrmtB4e,
    PrmtRc8,
    PrmtEcl,
    PrmtEcr,
    PrmtRc16,
    ShfLeftClamp,
    ShfLeftWrap,
    ShfRightClamp,
    ShfRightWrap,
    /// `fns.b32`: the position of the `c`-th set bit of `a`, counted from bit `b` on.
    Fns,
    Dp4aSS,
    Dp4aSU,
    Dp4aUS,
    Dp4aUU,
    Dp2aLoSS,
    Dp2aLoSU,
    Dp2aLoUS,
    Dp2aLoUU,
    Dp2aHiSS,
    Dp2aHiSU,
    Dp2aHiUS,
    Dp2aHiUU,
    /// `slct`: `c ≥ 0 ? a : b`, c as s32.
    SlctS32,
    /// `slct`: c as f32, NaN selects b.
    SlctF32,
    /// As `SlctF32`, subnormal c flushed.
    SlctF32Ftz,
}

/// One pair in, one pair out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Pair1 {
    Not,
    CNot,
    Neg,
    Abs,
    Brev,
}

/// One pair in, one word out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum PairToWord {
    Popc,
    Clz,
    BfindU,
    BfindS,
    BfindShiftU,
    BfindShiftS,
}

/// Two pairs in, one pair out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Pair2 {
    Add,
    Sub,
    MulLo,
    MulHiS,
    MulHiU,
    DivS,
    DivU,
    RemS,
    RemU,
    MinS,
    MinU,
    MaxS,
    MaxU,
    And,
    Or,
    Xor,
    CopysignF64,
}

/// Three pairs in, one pair out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Pair3 {
    MadLo,
    MadHiS,
    MadHiU,
    SadS,
    SadU,
}

/// A pair shifted by a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum PairShift {
    Shl,
    ShrS,
    ShrU,
}

/// One float in, one float out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Float1 {
    Neg,
    Abs,
    Rcp,
    RcpApprox,
    Sqrt,
    SqrtApprox,
    RsqrtApprox,
    SinApprox,
    CosApprox,
    Lg2Approx,
    Ex2Approx,
    TanhApprox,
    /// `rcp.approx.ftz.f64`: 20 bits, the low word is zero.
    RcpApproxF64,
    /// `rsqrt.approx.ftz.f64`: 20 bits, the low word is zero.
    RsqrtApproxF64,
}

/// Two floats in, one float out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX instructions")]
pub enum Float2 {
    Add,
    Sub,
    Mul,
    Div,
    DivApprox,
    /// `div.full`: any divisor.
    DivFull,
    /// The other operand when one is NaN.
    Min,
    Max,
    /// NaN when one is NaN.
    MinNan,
    MaxNan,
    /// `.xorsign.abs`: of the magnitudes; sign is the product's.
    MinXorsign,
    MaxXorsign,
    MinNanXorsign,
    MaxNanXorsign,
}

/// How two values are compared. The `u` forms are also true when one is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX modifiers")]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Neither is NaN.
    Num,
    /// One is NaN.
    Nan,
}

/// The type that is compared: S32, U32, … in words; S64, U64, F64 in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after their PTX types")]
pub enum CompareKind {
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
    F16,
    F16Ftz,
    Bf16,
    F32,
    F32Ftz,
    F64,
}

/// How a comparison is combined with a third predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs, reason = "named after their PTX modifiers")]
pub enum Combine {
    And,
    Or,
    Xor,
}

/// Class of numbers for `testp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs, reason = "named after their PTX modifiers")]
pub enum Class {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// Type of either side of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs, reason = "named after their PTX types")]
pub enum ConvertKind {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

impl ConvertKind {
    /// True when the value lives in a pair.
    pub fn is_wide(self) -> bool {
        matches!(self, ConvertKind::U64 | ConvertKind::S64 | ConvertKind::F64)
    }

    /// True for the floating-point formats.
    pub fn is_float(self) -> bool {
        matches!(self, ConvertKind::F16 | ConvertKind::Bf16 | ConvertKind::F32 | ConvertKind::F64)
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            ConvertKind::U8 | ConvertKind::S8 => 8,
            ConvertKind::U16 | ConvertKind::S16 | ConvertKind::F16 | ConvertKind::Bf16 => 16,
            ConvertKind::U32 | ConvertKind::S32 | ConvertKind::F32 => 32,
            ConvertKind::U64 | ConvertKind::S64 | ConvertKind::F64 => 64,
        }
    }

    /// True for signed integers.
    pub fn is_signed(self) -> bool {
        matches!(self, ConvertKind::S8 | ConvertKind::S16 | ConvertKind::S32 | ConvertKind::S64)
    }
}

/// A register-to-register operation.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "d: result; a, b, c: operands in PTX order")]
pub enum Alu {
    /// `d = a`
    MoveWord {
        d: Word,
        a: Word,
    },
    /// `d = a`
    MovePair {
        d: Pair,
        a: Pair,
    },
    /// `d = a`
    MovePredicate {
        d: Predicate,
        a: Predicate,
    },

    Word1 {
        op: Word1,
        d: Word,
        a: Word,
    },
    Word2 {
        op: Word2,
        d: Word,
        a: Word,
        b: Word,
    },
    Word3 {
        op: Word3,
        d: Word,
        a: Word,
        b: Word,
        c: Word,
    },
    /// `lop3.b32`, its truth table in `table`.
    Lop3 {
        d: Word,
        a: Word,
        b: Word,
        c: Word,
        table: u8,
    },
    /// `bfi.b32`: `a` inserted into `b` at `c`, `e` bits.
    Bfi {
        d: Word,
        a: Word,
        b: Word,
        c: Word,
        e: Word,
    },

    Pair1 {
        op: Pair1,
        d: Pair,
        a: Pair,
    },
    PairToWord {
        op: PairToWord,
        d: Word,
        a: Pair,
    },
    Pair2 {
        op: Pair2,
        d: Pair,
        a: Pair,
        b: Pair,
    },
    Pair3 {
        op: Pair3,
        d: Pair,
        a: Pair,
        b: Pair,
        c: Pair,
    },
    PairShift {
        op: PairShift,
        d: Pair,
        a: Pair,
        b: Word,
    },
    /// `bfe` on 64 bits.
    PairBfe {
        signed: bool,
        d: Pair,
        a: Pair,
        b: Word,
        c: Word,
    },
    /// `bfi.b64`.
    PairBfi {
        d: Pair,
        a: Pair,
        b: Pair,
        c: Word,
        e: Word,
    },
    /// `slct` on 64-bit values; `c` as s32 or f32.
    PairSlct {
        float: bool,
        ftz: bool,
        d: Pair,
        a: Pair,
        b: Pair,
        c: Word,
    },
    /// `mul.wide.s32`, `.u32`.
    MulWide {
        signed: bool,
        d: Pair,
        a: Word,
        b: Word,
    },
    /// `mad.wide.s32`, `.u32`.
    MadWide {
        signed: bool,
        d: Pair,
        a: Word,
        b: Word,
        c: Pair,
    },

    /// `d = a ± b`, with the adder's carry in and out, each optional: `a - b` is `a + !b + 1`.
    AddCarry {
        subtract: bool,
        d: Word,
        a: Word,
        b: Word,
        carry_in: Predicate,
        carry_out: Predicate,
    },
    /// The same on pairs.
    PairAddCarry {
        subtract: bool,
        d: Pair,
        a: Pair,
        b: Pair,
        carry_in: Predicate,
        carry_out: Predicate,
    },

    Float1 {
        op: Float1,
        mode: FloatMode,
        d: Word,
        a: Word,
    },
    Float2 {
        op: Float2,
        mode: FloatMode,
        d: Word,
        a: Word,
        b: Word,
    },
    /// `a × b + c`, rounded once.
    FloatFma {
        mode: FloatMode,
        d: Word,
        a: Word,
        b: Word,
        c: Word,
    },
    Double1 {
        op: Float1,
        mode: FloatMode,
        d: Pair,
        a: Pair,
    },
    Double2 {
        op: Float2,
        mode: FloatMode,
        d: Pair,
        a: Pair,
        b: Pair,
    },
    DoubleFma {
        mode: FloatMode,
        d: Pair,
        a: Pair,
        b: Pair,
        c: Pair,
    },
    Half1 {
        op: Float1,
        kind: HalfKind,
        mode: FloatMode,
        d: Word,
        a: Word,
    },
    Half2 {
        op: Float2,
        kind: HalfKind,
        mode: FloatMode,
        d: Word,
        a: Word,
        b: Word,
    },
    /// Rounded once; `relu` clamps negative results and NaN as PTX says.
    HalfFma {
        kind: HalfKind,
        mode: FloatMode,
        relu: bool,
        d: Word,
        a: Word,
        b: Word,
        c: Word,
    },

    /// `setp`: `d = compare combine c`, `e = !compare combine c`. `c` is `NONE` when not
    /// combined; `e` may be `NONE`.
    SetPredicate {
        kind: CompareKind,
        compare: Compare,
        combine: Combine,
        negated: bool,
        d: Predicate,
        e: Predicate,
        a: u16,
        b: u16,
        c: Predicate,
    },
    /// `setp` on two halves, of the kind of one: `d` of the low ones, `e` of the high ones. Not combined.
    SetPredicateX2 {
        kind: CompareKind,
        compare: Compare,
        d: Predicate,
        e: Predicate,
        a: Word,
        b: Word,
    },
    /// Two halves at once, of the kind of one: 1.0 or 0.0 in each (or all ones, when `mask`).
    SetX2 {
        kind: CompareKind,
        compare: Compare,
        mask: bool,
        d: Word,
        a: Word,
        b: Word,
    },
    /// `testp`.
    TestClass {
        class: Class,
        double: bool,
        d: Predicate,
        a: u16,
    },
    /// `p ? a : b`
    SelectWord {
        d: Word,
        a: Word,
        b: Word,
        p: Predicate,
    },
    /// `p ? a : b`
    SelectPair {
        d: Pair,
        a: Pair,
        b: Pair,
        p: Predicate,
    },
    /// And, or, exclusive or of predicates.
    Predicate2 {
        op: Combine,
        d: Predicate,
        a: Predicate,
        b: Predicate,
    },
    /// `!a`
    PredicateNot {
        d: Predicate,
        a: Predicate,
    },

    /// `cvt`. A float-to-float conversion of one width with `integer` rounds to an integral value.
    Convert {
        to: ConvertKind,
        from: ConvertKind,
        mode: FloatMode,
        integer: bool,
        d: u16,
        a: u16,
    },
    /// `cvt` of two floats into two halves: `a` is the upper one. `relu` makes negative numbers 0; with
    /// `finite` (PTX's `.satfinite`) the largest number stands for what is beyond it.
    ConvertX2 {
        bf16: bool,
        mode: FloatMode,
        relu: bool,
        finite: bool,
        d: Word,
        a: Word,
        b: Word,
    },
    /// `cvt` of a single to tf32: a single whose lower 13 bits are zero.
    ConvertTf32 {
        rounding: Rounding,
        relu: bool,
        d: Word,
        a: Word,
    },
    /// `cvt` of two floats (`a` is the upper one), or of the two halves in `b`, into two numbers of eight bits.
    ConvertToBytes {
        format: ByteFormat,
        from_halves: bool,
        relu: bool,
        d: Word,
        a: Word,
        b: Word,
    },
    /// `cvt` of two numbers of eight bits into two halves.
    ConvertFromBytes {
        format: ByteFormat,
        relu: bool,
        d: Word,
        a: Word,
    },
    /// `cvt.pack.sat` from s32: saturated to `bits`, `a` above `b`, both below the lower bits of
    /// `c` (forms below 16 bits).
    ConvertPack {
        bits: u8,
        to_signed: bool,
        d: Word,
        a: Word,
        b: Word,
        c: Word,
    },
    /// `vabsdiff2`, `vabsdiff4`: absolute differences of fields of `bits` bits; with
    /// `sum`, their sum plus `c`.
    AbsDifferences {
        bits: u8,
        signed: bool,
        sum: bool,
        d: Word,
        a: Word,
        b: Word,
        c: Word,
    },

    /// `d = {lo, hi}`
    PackPair {
        d: Pair,
        lo: Word,
        hi: Word,
    },
    /// `{lo, hi} = a`; either may be `NONE`.
    UnpackPair {
        lo: Word,
        hi: Word,
        a: Pair,
    },
    /// The bits `shift .. shift + width` of `a`, sign- or zero-extended.
    Extract {
        signed: bool,
        shift: u8,
        width: u8,
        d: Word,
        a: Word,
    },
    /// The low `width` bits of `a` replace bits `shift ..` of `d`.
    Insert {
        shift: u8,
        width: u8,
        d: Word,
        a: Word,
    },
}
