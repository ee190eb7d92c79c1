//! What is called undefined against brute force: an operation is executed with every value that the undefined
//! bits of its operands may have, one in each lane, and the bits of the result that differ are compared with
//! the bits called undefined.
//!
//! Sound: no bit that can differ is called defined. Where the module promises it, exact: no other
//! bit is called undefined.

use proptest::prelude::*;

use super::*;
use crate::exec::undefined::{Register, Undefined};

/// At most this many bits of all operands together, so that a warp has a lane for every value.
const MOST: usize = 5;

/// A register and its value, with undefined bits.
#[derive(Clone, Copy, Debug)]
struct Operand {
    register: Register,
    bits: u64,
    undefined: u64,
}

fn write(bench: &mut Bench, register: Register, lane: usize, bits: u64) {
    let mask = 1 << lane;
    match register {
        Register::Word(word) => bench.registers.set_word(word, &[bits as u32; 32], 0, mask),
        Register::Pair(pair) => bench.registers.set_pair(pair, &[bits; 32], 0, mask),
        Register::Predicate(predicate) => {
            let all = if bits & 1 == 1 { FULL } else { 0 };
            bench.registers.set_predicate(predicate, all, 0, mask);
        }
    }
}

fn read(bench: &Bench, register: Register, lane: usize) -> u64 {
    match register {
        Register::Word(word) => bench.word(word.0)[lane].into(),
        Register::Pair(pair) => bench.pair(pair.0)[lane],
        Register::Predicate(predicate) => u64::from(bench.registers.predicate(predicate) >> lane & 1),
    }
}

/// The undefined bits of all operands, numbered.
fn places(operands: &[Operand]) -> Vec<(usize, u32)> {
    (operands.iter().enumerate())
        .flat_map(|(index, operand)| {
            (0..64).filter(move |bit| operand.undefined >> bit & 1 == 1).map(move |bit| (index, bit))
        })
        .collect()
}

/// Bits of a result that differ between the values that the undefined bits may have.
fn differing(alu: Alu, operands: &[Operand], result: Register) -> u64 {
    let mut bench = Bench::new();
    let places = places(operands);
    for lane in 0..32 {
        for (index, operand) in operands.iter().enumerate() {
            let mut bits = operand.bits;
            for (number, &(at, bit)) in places.iter().enumerate() {
                if at == index && lane >> number & 1 == 1 {
                    bits ^= 1 << bit;
                }
            }
            write(&mut bench, operand.register, lane, bits);
        }
    }
    bench.run(alu);
    (0..32).fold(0, |all, lane| all | read(&bench, result, lane) ^ read(&bench, result, 0))
}

/// Bits of a result that are called undefined.
fn called_undefined(alu: Alu, operands: &[Operand], result: Register) -> u64 {
    let mut bench = Bench::new();
    for operand in operands {
        write(&mut bench, operand.register, 3, operand.bits);
        let value = Undefined { bits: operand.undefined, ..Undefined::NONE };
        bench.registers.set_undefined(operand.register, 3, value);
    }
    bench.run_in(alu, 1 << 3);
    bench.registers.undefined(result, 3).bits
}

const W: fn(u16) -> Register = |index| Register::Word(Word(index));
const P: fn(u16) -> Register = |index| Register::Pair(Pair(index));
const Q: fn(u16) -> Register = |index| Register::Predicate(Predicate(index));

/// Words 0 to 3, pairs 0 to 2 and predicates 0 and 1 are operands; words 6 and 7, pairs 6 and 7,
/// predicates 6 and 7 results.
const OPERANDS: [Register; 9] = [
    Register::Word(Word(0)),
    Register::Word(Word(1)),
    Register::Word(Word(2)),
    Register::Word(Word(3)),
    Register::Pair(Pair(0)),
    Register::Pair(Pair(1)),
    Register::Pair(Pair(2)),
    Register::Predicate(Predicate(0)),
    Register::Predicate(Predicate(1)),
];

const A: Word = Word(0);
const B: Word = Word(1);
const C: Word = Word(2);
const E: Word = Word(3);
const D: Word = Word(6);
const PA: Pair = Pair(0);
const PB: Pair = Pair(1);
const PC: Pair = Pair(2);
const PD: Pair = Pair(6);

const NEAREST: FloatMode = FloatMode::NEAREST;

/// An operation, its results, and the operands whose undefined bits are told apart
/// exactly: none if not at all.
type Case = (Alu, Vec<Register>, Vec<Register>);

fn words1() -> Vec<Case> {
    use Word1::*;
    let exact = [Not, CNot, Brev];
    [Not, CNot, Neg, Abs, Abs16, Popc, Clz, Brev, BfindU, BfindS, BfindShiftU, BfindShiftS]
        .into_iter()
        .map(|op| {
            let told = if exact.contains(&op) { vec![W(0)] } else { vec![] };
            (Alu::Word1 { op, d: D, a: A }, vec![W(6)], told)
        })
        .collect()
}

fn words2() -> Vec<Case> {
    use Word2::*;
    let both = [And, Or, Xor, CopysignF32, Pack16];
    let first = [Shl, ShrS, ShrU, SzextClampS, SzextClampU, SzextWrapS, SzextWrapU];
    [
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
        Pack16,
    ]
    .into_iter()
    .map(|op| {
        let told = if both.contains(&op) {
            vec![W(0), W(1)]
        } else if first.contains(&op) {
            vec![W(0)]
        } else {
            vec![]
        };
        (Alu::Word2 { op, d: D, a: A, b: B }, vec![W(6)], told)
    })
    .collect()
}

fn words3() -> Vec<Case> {
    use Word3::*;
    let first = [BfeS, BfeU];
    let two = [
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
        SlctF32,
        SlctF32Ftz,
    ];
    let mut cases: Vec<Case> = [
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
        SlctS32,
        SlctF32,
        SlctF32Ftz,
    ]
    .into_iter()
    .map(|op| {
        let told = if first.contains(&op) {
            vec![W(0)]
        } else if two.contains(&op) {
            vec![W(0), W(1)]
        } else if op == SlctS32 {
            vec![W(0), W(1), W(2)]
        } else {
            vec![]
        };
        (Alu::Word3 { op, d: D, a: A, b: B, c: C }, vec![W(6)], told)
    })
    .collect();
    for table in [0x80, 0xFE, 0x96, 0xCA, 0xE8, 0x01, 0x6A, 0xF0, 0x2C] {
        cases.push((Alu::Lop3 { d: D, a: A, b: B, c: C, table }, vec![W(6)], vec![W(0), W(1), W(2)]));
    }
    cases.push((Alu::Bfi { d: D, a: A, b: B, c: C, e: E }, vec![W(6)], vec![W(0), W(1)]));
    for bits in [8, 16] {
        for (signed, sum) in [(false, false), (true, true)] {
            cases.push((
                Alu::AbsDifferences { bits, signed, sum, d: D, a: A, b: B, c: C },
                vec![W(6)],
                vec![],
            ));
        }
        for to_signed in [false, true] {
            cases.push((Alu::ConvertPack { bits, to_signed, d: D, a: A, b: B, c: C }, vec![W(6)], vec![]));
        }
    }
    cases
}

fn pairs() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for op in [Pair1::Not, Pair1::CNot, Pair1::Neg, Pair1::Abs, Pair1::Brev] {
        let told = if matches!(op, Pair1::Neg | Pair1::Abs) { vec![] } else { vec![P(0)] };
        cases.push((Alu::Pair1 { op, d: PD, a: PA }, vec![P(6)], told));
    }
    use PairToWord as To;
    for op in [To::Popc, To::Clz, To::BfindU, To::BfindS, To::BfindShiftU, To::BfindShiftS] {
        cases.push((Alu::PairToWord { op, d: D, a: PA }, vec![W(6)], vec![]));
    }
    use Pair2::*;
    for op in [
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
    ] {
        let told = if matches!(op, And | Or | Xor | CopysignF64) { vec![P(0), P(1)] } else { vec![] };
        cases.push((Alu::Pair2 { op, d: PD, a: PA, b: PB }, vec![P(6)], told));
    }
    for op in [Pair3::MadLo, Pair3::MadHiS, Pair3::MadHiU, Pair3::SadS, Pair3::SadU] {
        cases.push((Alu::Pair3 { op, d: PD, a: PA, b: PB, c: PC }, vec![P(6)], vec![]));
    }
    for op in [PairShift::Shl, PairShift::ShrS, PairShift::ShrU] {
        cases.push((Alu::PairShift { op, d: PD, a: PA, b: B }, vec![P(6)], vec![P(0)]));
    }
    for yes in [false, true] {
        cases.push((Alu::PairBfe { signed: yes, d: PD, a: PA, b: B, c: C }, vec![P(6)], vec![P(0)]));
        cases.push((
            Alu::PairSlct { float: yes, ftz: yes, d: PD, a: PA, b: PB, c: C },
            vec![P(6)],
            vec![P(0), P(1)],
        ));
        cases.push((Alu::MulWide { signed: yes, d: PD, a: A, b: B }, vec![P(6)], vec![]));
        cases.push((Alu::MadWide { signed: yes, d: PD, a: A, b: B, c: PC }, vec![P(6)], vec![]));
        let (carry_in, carry_out) = (Predicate(0), Predicate(6));
        cases.push((
            Alu::AddCarry { subtract: yes, d: D, a: A, b: B, carry_in, carry_out },
            vec![W(6), Q(6)],
            vec![],
        ));
        cases.push((
            Alu::PairAddCarry { subtract: yes, d: PD, a: PA, b: PB, carry_in, carry_out },
            vec![P(6), Q(6)],
            vec![],
        ));
    }
    cases.push((Alu::PairBfi { d: PD, a: PA, b: PB, c: C, e: E }, vec![P(6)], vec![P(0), P(1)]));
    cases.push((Alu::PackPair { d: PD, lo: A, hi: B }, vec![P(6)], vec![W(0), W(1)]));
    cases.push((Alu::UnpackPair { lo: D, hi: Word(7), a: PA }, vec![W(6), W(7)], vec![P(0)]));
    cases
}

fn floats() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for op in [Float1::Neg, Float1::Abs, Float1::Rcp, Float1::Sqrt] {
        cases.push((Alu::Float1 { op, mode: NEAREST, d: D, a: A }, vec![W(6)], vec![]));
        cases.push((Alu::Double1 { op, mode: NEAREST, d: PD, a: PA }, vec![P(6)], vec![]));
    }
    for kind in [HalfKind::F16, HalfKind::F16x2, HalfKind::Bf16, HalfKind::Bf16x2] {
        cases.push((Alu::Half1 { op: Float1::Neg, kind, mode: NEAREST, d: D, a: A }, vec![W(6)], vec![]));
        cases.push((
            Alu::Half2 { op: Float2::Add, kind, mode: NEAREST, d: D, a: A, b: B },
            vec![W(6)],
            vec![],
        ));
        cases.push((
            Alu::HalfFma { kind, mode: NEAREST, relu: false, d: D, a: A, b: B, c: C },
            vec![W(6)],
            vec![],
        ));
    }
    for op in [Float2::Add, Float2::Sub, Float2::Mul, Float2::Div, Float2::Min, Float2::MaxNan] {
        cases.push((Alu::Float2 { op, mode: NEAREST, d: D, a: A, b: B }, vec![W(6)], vec![]));
        cases.push((Alu::Double2 { op, mode: NEAREST, d: PD, a: PA, b: PB }, vec![P(6)], vec![]));
    }
    cases.push((Alu::FloatFma { mode: NEAREST, d: D, a: A, b: B, c: C }, vec![W(6)], vec![]));
    cases.push((Alu::DoubleFma { mode: NEAREST, d: PD, a: PA, b: PB, c: PC }, vec![P(6)], vec![]));
    for bf16 in [false, true] {
        let compare = Compare::Lt;
        let kind = if bf16 { CompareKind::Bf16 } else { CompareKind::F16Ftz };
        let (d, e) = (Predicate(6), Predicate(7));
        cases.push((Alu::SetPredicateX2 { kind, compare, d, e, a: A, b: B }, vec![Q(6), Q(7)], vec![]));
        cases.push((Alu::SetX2 { kind, compare, mask: bf16, d: D, a: A, b: B }, vec![W(6)], vec![]));
        cases.push((
            Alu::ConvertX2 { bf16, mode: NEAREST, relu: bf16, finite: bf16, d: D, a: A, b: B },
            vec![W(6)],
            vec![],
        ));
        let format = if bf16 { ByteFormat::E4m3 } else { ByteFormat::E5m2 };
        for from_halves in [false, true] {
            cases.push((
                Alu::ConvertToBytes { format, from_halves, relu: bf16, d: D, a: A, b: B },
                vec![W(6)],
                vec![],
            ));
        }
        cases.push((Alu::ConvertFromBytes { format, relu: bf16, d: D, a: A }, vec![W(6)], vec![]));
        let rounding = if bf16 { Rounding::NearestAway } else { Rounding::Zero };
        cases.push((Alu::ConvertTf32 { rounding, relu: bf16, d: D, a: A }, vec![W(6)], vec![]));
        cases.push((
            Alu::TestClass { class: Class::Normal, double: bf16, d: Predicate(6), a: 0 },
            vec![Q(6)],
            vec![],
        ));
    }
    cases
}

fn predicates() -> Vec<Case> {
    use CompareKind as K;
    let mut cases: Vec<Case> = Vec::new();
    let (d, e) = (Predicate(6), Predicate(7));
    for kind in [
        K::S16,
        K::U16,
        K::S32,
        K::U32,
        K::S64,
        K::U64,
        K::F16,
        K::F16Ftz,
        K::Bf16,
        K::F32,
        K::F32Ftz,
        K::F64,
    ] {
        for compare in [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge] {
            let float = matches!(kind, K::F16 | K::F16Ftz | K::Bf16 | K::F32 | K::F32Ftz | K::F64);
            let wide = matches!(kind, K::S64 | K::U64 | K::F64);
            let told = match (float, wide) {
                (true, _) => vec![],
                (false, true) => vec![P(0), P(1)],
                (false, false) => vec![W(0), W(1)],
            };
            let (a, b) = (0, 1);
            let alone = Alu::SetPredicate {
                kind,
                compare,
                combine: Combine::And,
                negated: false,
                d,
                e,
                a,
                b,
                c: Predicate::NONE,
            };
            cases.push((alone, vec![Q(6), Q(7)], told));
            for (combine, negated) in [(Combine::And, false), (Combine::Or, true), (Combine::Xor, false)] {
                let joined =
                    Alu::SetPredicate { kind, compare, combine, negated, d, e, a, b, c: Predicate(0) };
                cases.push((joined, vec![Q(6), Q(7)], vec![]));
            }
        }
    }
    for op in [Combine::And, Combine::Or, Combine::Xor] {
        let both = Alu::Predicate2 { op, d, a: Predicate(0), b: Predicate(1) };
        cases.push((both, vec![Q(6)], vec![Q(0), Q(1)]));
    }
    cases.push((Alu::PredicateNot { d, a: Predicate(0) }, vec![Q(6)], vec![Q(0)]));
    cases.push((Alu::MovePredicate { d, a: Predicate(0) }, vec![Q(6)], vec![Q(0)]));
    let p = Predicate(0);
    cases.push((Alu::SelectWord { d: D, a: A, b: B, p }, vec![W(6)], vec![W(0), W(1), Q(0)]));
    cases.push((Alu::SelectPair { d: PD, a: PA, b: PB, p }, vec![P(6)], vec![P(0), P(1), Q(0)]));
    cases
}

fn moves() -> Vec<Case> {
    use ConvertKind as K;
    let mut cases: Vec<Case> = vec![
        (Alu::MoveWord { d: D, a: A }, vec![W(6)], vec![W(0)]),
        (Alu::MovePair { d: PD, a: PA }, vec![P(6)], vec![P(0)]),
    ];
    for signed in [false, true] {
        for (shift, width) in [(0, 8), (8, 8), (24, 8), (16, 16), (0, 32), (5, 3)] {
            cases.push((Alu::Extract { signed, shift, width, d: D, a: A }, vec![W(6)], vec![W(0)]));
            // The result is an operand too.
            cases.push((Alu::Insert { shift, width, d: B, a: A }, vec![W(1)], vec![W(0), W(1)]));
        }
    }
    let kinds =
        [K::U8, K::S8, K::U16, K::S16, K::U32, K::S32, K::U64, K::S64, K::F16, K::Bf16, K::F32, K::F64];
    for to in kinds {
        for from in kinds {
            for sat in [false, true] {
                let mode = FloatMode { sat, ..NEAREST };
                let exact = !sat && !to.is_float() && !from.is_float();
                let told = match (exact, from.is_wide()) {
                    (false, _) => vec![],
                    (true, true) => vec![P(0)],
                    (true, false) => vec![W(0)],
                };
                let result = if to.is_wide() { P(6) } else { W(6) };
                let integer = !sat && to == from && to.is_float();
                cases.push((Alu::Convert { to, from, mode, integer, d: 6, a: 0 }, vec![result], told));
            }
        }
    }
    cases
}

fn cases() -> Vec<Case> {
    [words1(), words2(), words3(), pairs(), floats(), predicates(), moves()].concat()
}

/// Values in which shift amounts, lengths and small numbers turn up.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..70u64,
        (0..64u32, 0..64u32).prop_map(|(a, b)| (1 << a) ^ (1 << b)),
        any::<u32>().prop_map(u64::from),
        (0..32u64, 0..40u64).prop_map(|(low, high)| high << 32 | low),
    ]
}

fn run(exactly: bool, values: &[u64; 9], chosen: &[(usize, u32)]) -> Result<(), TestCaseError> {
    for (alu, results, told) in cases() {
        let mut operands: Vec<Operand> = (OPERANDS.iter().zip(values))
            .map(|(&register, &bits)| Operand { register, bits: bits & register.all(), undefined: 0 })
            .collect();
        for &(which, bit) in chosen {
            // Exact operations are tried with all they tell apart undefined; others with anything.
            let which = match told.as_slice() {
                _ if !exactly => which % OPERANDS.len(),
                [] => continue,
                told => {
                    let register = told[which % told.len()];
                    OPERANDS.iter().position(|&each| each == register).expect("an operand")
                }
            };
            let operand = &mut operands[which];
            let width = operand.register.all().count_ones();
            operand.undefined |= 1 << (bit % width);
        }
        for result in results {
            let differ = differing(alu, &operands, result);
            let called = called_undefined(alu, &operands, result);
            prop_assert_eq!(differ & !called, 0, "called defined: {:?} of {:?} {:x?}", result, alu, operands);
            if exactly && !told.is_empty() {
                prop_assert_eq!(
                    called,
                    differ,
                    "called undefined: {:?} of {:?} {:x?}",
                    result,
                    alu,
                    operands
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_that_can_differ_is_called_defined(
        values in prop::array::uniform9(bits()),
        chosen in prop::collection::vec((0..9usize, 0..64u32), 1..=MOST),
    ) {
        run(false, &values, &chosen)?;
    }

    #[test]
    fn moved_and_masked_bits_are_told_apart(
        values in prop::array::uniform9(bits()),
        chosen in prop::collection::vec((0..9usize, 0..64u32), 1..=MOST),
    ) {
        run(true, &values, &chosen)?;
    }
}

#[test]
fn sums_and_products_are_undefined_from_the_lowest_undefined_bit_upwards() {
    let of = |op, a: (u64, u64), b: (u64, u64)| {
        let operands = [
            Operand { register: W(0), bits: a.0, undefined: a.1 },
            Operand { register: W(1), bits: b.0, undefined: b.1 },
        ];
        called_undefined(Alu::Word2 { op, d: D, a: A, b: B }, &operands, W(6))
    };
    assert_eq!(of(Word2::Add, (5, 0x100), (7, 0)), 0xFFFF_FF00);
    assert_eq!(of(Word2::MulLo, (5, 0x100), (4, 0)), 0xFFFF_FC00);
    assert_eq!(of(Word2::MulLo, (5, 0x100), (0, 0)), 0);
}
