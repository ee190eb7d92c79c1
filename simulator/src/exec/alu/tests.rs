//! Every operation against a reference that computes one lane in another way: wide integers,
//! exact sums, tables of PTX.

use super::*;
use crate::ir::*;

mod undefined;

/// Values that have caused trouble somewhere.
const WORDS: [u32; 32] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7F_FFFF,
    0x80_0000,
    0x1234_5678,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xDEAD_BEEF,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
];

const FLOATS: [f32; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.5,
    0.1,
    -0.1,
    1e-45,
    -1e-45,
    1.1754942e-38,
    1.1754944e-38,
    3.0,
    -7.25,
    1e10,
    -1e10,
    1e30,
    3.4028235e38,
    -3.4028235e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    16777217.0,
    0.99999994,
    1.0000001,
    2147483648.0,
    -2147483648.0,
    123456.79,
];

fn pair(i: usize) -> u64 {
    let (a, b) = (u64::from(WORDS[i % 32]), u64::from(WORDS[(i * 7 + 3) % 32]));
    a << 32 | b
}

struct Bench {
    registers: Registers,
    constants: Constants,
}

impl Bench {
    fn new() -> Bench {
        let function = Function {
            name: String::new(),
            is_entry: true,
            may_end: false,
            code: Vec::new(),
            words: 8,
            pairs: 8,
            predicates: 8,
            argument_words: 0,
            result_words: 0..0,
            word_constants: Vec::new(),
            pair_constants: Vec::new(),
            lists: Vec::new(),
            targets: Vec::new(),
            barriers: Vec::new(),
            parameters: Vec::new(),
            local_bytes: 0,
            local_align: 1,
            takes_stack: false,
            locals: Vec::new(),
            undefined: EntryRegisters::default(),
            required_threads: None,
            max_threads: None,
            required_cluster: None,
            needs_cluster: false,
            max_cluster: None,
        };
        Bench { registers: Registers::new(&function), constants: Constants::default() }
    }

    fn run(&mut self, alu: Alu) {
        self.run_in(alu, FULL);
    }

    /// As the interpreter does it.
    fn run_in(&mut self, alu: Alu, mask: u32) {
        let (registers, constants) = (&mut self.registers, &self.constants);
        if !execute(&alu, registers, constants, mask) {
            with_undefined(&alu, registers, constants, mask, |registers| {
                assert!(execute(&alu, registers, constants, mask), "no poison is to be seen: {alu:?}");
            });
        }
    }

    fn set(&mut self, register: u16, values: Words) {
        self.registers.set_word(Word(register), &values, 0, FULL);
    }

    fn set_pair(&mut self, register: u16, values: Pairs) {
        self.registers.set_pair(Pair(register), &values, 0, FULL);
    }

    fn word(&self, register: u16) -> Words {
        *self.registers.word(&self.constants, Word(register))
    }

    fn pair(&self, register: u16) -> Pairs {
        *self.registers.pair(&self.constants, Pair(register))
    }
}

/// All combinations of special values, 32 at a time: rotations of one operand against the other.
fn rotations(mut f: impl FnMut(Words, Words, Words)) {
    for turn in 0..32 {
        let a = WORDS;
        let b = std::array::from_fn(|lane| WORDS[(lane + turn) % 32]);
        let c = std::array::from_fn(|lane| WORDS[(lane * 5 + turn * 3) % 32]);
        f(a, b, c);
    }
}

fn check2(op: Word2, reference: impl Fn(u32, u32) -> u32) {
    let mut bench = Bench::new();
    rotations(|a, b, _| {
        bench.set(0, a);
        bench.set(1, b);
        bench.run(Alu::Word2 { op, d: Word(2), a: Word(0), b: Word(1) });
        for lane in 0..32 {
            let expected = reference(a[lane], b[lane]);
            assert_eq!(bench.word(2)[lane], expected, "{op:?} {:#x} {:#x}", a[lane], b[lane]);
        }
    });
}

fn check3(op: Word3, reference: impl Fn(u32, u32, u32) -> u32) {
    let mut bench = Bench::new();
    rotations(|a, b, c| {
        bench.set(0, a);
        bench.set(1, b);
        bench.set(3, c);
        bench.run(Alu::Word3 { op, d: Word(2), a: Word(0), b: Word(1), c: Word(3) });
        for lane in 0..32 {
            let expected = reference(a[lane], b[lane], c[lane]);
            assert_eq!(bench.word(2)[lane], expected, "{op:?} {:#x} {:#x} {:#x}", a[lane], b[lane], c[lane]);
        }
    });
}

fn s(a: u32) -> i128 {
    i128::from(a as i32)
}

fn u(a: u32) -> i128 {
    i128::from(a)
}

#[test]
fn words_of_two_operands() {
    let low = |x: i128| x as u32;
    check2(Word2::Add, |a, b| low(u(a) + u(b)));
    check2(Word2::Sub, |a, b| low(u(a) - u(b)));
    check2(Word2::AddSatS, |a, b| low((s(a) + s(b)).clamp(-(1 << 31), (1 << 31) - 1)));
    check2(Word2::MulLo, |a, b| low(u(a) * u(b)));
    check2(Word2::MulHiS, |a, b| low((s(a) * s(b)) >> 32));
    check2(Word2::MulHiU, |a, b| low((u(a) * u(b)) >> 32));
    check2(Word2::DivS, |a, b| if b == 0 { u32::MAX } else { low(s(a) / s(b)) });
    check2(Word2::DivU, |a, b| if b == 0 { u32::MAX } else { low(u(a) / u(b)) });
    check2(Word2::RemS, |a, b| if b == 0 { u32::MAX } else { low(s(a) % s(b)) });
    check2(Word2::RemU, |a, b| if b == 0 { u32::MAX } else { low(u(a) % u(b)) });
    check2(Word2::MinS, |a, b| low(s(a).min(s(b))));
    check2(Word2::MaxU, |a, b| low(u(a).max(u(b))));
    check2(Word2::Shl, |a, b| if b > 31 { 0 } else { low(u(a) << b) });
    check2(Word2::ShrU, |a, b| low(u(a) >> b.min(40)));
    check2(Word2::ShrS, |a, b| low(s(a) >> b.min(40)));
    check2(Word2::ShrS16, |a, b| low(i128::from(a as i16) >> b.min(40)));
    check2(Word2::MulWideS16, |a, b| low(i128::from(a as i16) * i128::from(b as i16)));
    check2(Word2::Mul24LoU, |a, b| low(u(a & 0xFF_FFFF) * u(b & 0xFF_FFFF)));
    check2(Word2::Pack16, |a, b| (b & 0xFFFF) << 16 | a & 0xFFFF);
    check2(Word2::AddX2, |a, b| {
        (a.wrapping_add(b) & 0xFFFF) | ((a >> 16).wrapping_add(b >> 16) & 0xFFFF) << 16
    });
    check2(Word2::BmskClamp, |a, b| {
        (0..32).filter(|&bit| u(bit) >= u(a) && u(bit) < u(a) + u(b)).fold(0, |mask, bit| mask | 1 << bit)
    });
}

#[test]
fn words_of_three_operands() {
    check3(Word3::MadLo, |a, b, c| (u(a) * u(b) + u(c)) as u32);
    check3(Word3::MadHiSatS, |a, b, c| {
        (((s(a) * s(b)) >> 32) + s(c)).clamp(-(1 << 31), (1 << 31) - 1) as u32
    });
    check3(Word3::SadS, |a, b, c| ((s(a) - s(b)).abs() + u(c)) as u32);
    // PTX ISA's own definition of bfe, bit by bit.
    let bfe = |a: u32, b: u32, c: u32, signed: bool| {
        let (position, length) = (b & 0xFF, c & 0xFF);
        let sign = if signed && length > 0 { a >> (position + length - 1).min(31) & 1 } else { 0 };
        (0..32).fold(0, |d, i| {
            let bit = if i < length && position + i <= 31 { a >> (position + i) & 1 } else { sign };
            d | bit << i
        })
    };
    check3(Word3::BfeU, |a, b, c| bfe(a, b, c, false));
    check3(Word3::BfeS, |a, b, c| bfe(a, b, c, true));
    check3(Word3::Prmt, |a, b, c| {
        let bytes: Vec<u8> = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let byte = |i: u32| {
            let selector = c >> (4 * i) & 15;
            let byte = bytes[(selector & 7) as usize];
            if selector & 8 == 0 {
                byte
            } else if byte & 0x80 != 0 {
                0xFF
            } else {
                0
            }
        };
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    });
    let long = |a: u32, b: u32| u128::from(b) << 32 | u128::from(a);
    check3(Word3::ShfLeftWrap, |a, b, c| (long(a, b) << (c & 31) >> 32) as u32);
    check3(Word3::ShfRightClamp, |a, b, c| (long(a, b) >> c.min(32)) as u32);
    check3(Word3::Dp4aSU, |a, b, c| {
        let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
        (0..4).fold(c, |sum, i| sum.wrapping_add((i32::from(x[i] as i8) * i32::from(y[i])) as u32))
    });
    check3(Word3::Dp2aHiUS, |a, b, c| {
        let y = b.to_le_bytes();
        let products = u(a & 0xFFFF) * i128::from(y[2] as i8) + u(a >> 16) * i128::from(y[3] as i8);
        (u(c) + products) as u32
    });
    check3(Word3::SlctF32, |a, b, c| {
        let c = f32::from_bits(c);
        if c.is_nan() || c < 0.0 { b } else { a }
    });
}

#[test]
fn lop3_is_its_table() {
    for table in 0..=255 {
        let mut bench = Bench::new();
        let (a, b, c) = (0xF0F0_F0F0, 0xCCCC_CCCC, 0xAAAA_AAAA);
        bench.set(0, [a; 32]);
        bench.set(1, [b; 32]);
        bench.set(2, [c; 32]);
        bench.run(Alu::Lop3 { d: Word(3), a: Word(0), b: Word(1), c: Word(2), table });
        // PTX ISA: the table is the function applied to these three bytes.
        assert_eq!(bench.word(3)[5] as u8, table);
    }
}

#[test]
fn one_operand() {
    let mut bench = Bench::new();
    bench.set(0, WORDS);
    let mut check = |op: Word1, reference: &dyn Fn(u32) -> u32| {
        bench.run(Alu::Word1 { op, d: Word(1), a: Word(0) });
        for lane in 0..32 {
            assert_eq!(bench.word(1)[lane], reference(WORDS[lane]), "{op:?} {:#x}", WORDS[lane]);
        }
    };
    let highest = |a: u32| (0..32).rev().find(|&bit| a >> bit & 1 != 0).unwrap_or(u32::MAX);
    check(Word1::BfindU, &highest);
    check(Word1::BfindS, &|a| highest(if a >> 31 == 1 { !a } else { a }));
    check(Word1::BfindShiftU, &|a| if a == 0 { u32::MAX } else { 31 - highest(a) });
    check(Word1::Clz, &|a| if a == 0 { 32 } else { 31 - highest(a) });
    check(Word1::Popc, &|a| (0..32).map(|bit| a >> bit & 1).sum());
    check(Word1::Brev, &|a| (0..32).fold(0, |d, bit| d | (a >> bit & 1) << (31 - bit)));
    check(Word1::Abs, &|a| s(a).unsigned_abs() as u32);
}

#[test]
fn pairs() {
    let mut bench = Bench::new();
    let i = |x: u64| i128::from(x as i64);
    for turn in 0..32 {
        let a: Pairs = std::array::from_fn(pair);
        let b: Pairs = std::array::from_fn(|lane| pair(lane + turn));
        bench.set_pair(0, a);
        bench.set_pair(1, b);
        let mut check = |op: Pair2, reference: &dyn Fn(u64, u64) -> u64| {
            bench.run(Alu::Pair2 { op, d: Pair(2), a: Pair(0), b: Pair(1) });
            for lane in 0..32 {
                assert_eq!(
                    bench.pair(2)[lane],
                    reference(a[lane], b[lane]),
                    "{op:?} {:#x} {:#x}",
                    a[lane],
                    b[lane]
                );
            }
        };
        check(Pair2::Add, &|a, b| (i(a) + i(b)) as u64);
        check(Pair2::MulLo, &|a, b| i(a).wrapping_mul(i(b)) as u64);
        check(Pair2::MulHiS, &|a, b| ((i(a) * i(b)) >> 64) as u64);
        check(Pair2::DivS, &|a, b| if b == 0 { u64::MAX } else { (i(a) / i(b)) as u64 });
        check(Pair2::RemU, &|a, b| if b == 0 { u64::MAX } else { (u128::from(a) % u128::from(b)) as u64 });
        bench.set(0, std::array::from_fn(|lane| a[lane] as u32));
        bench.set(1, std::array::from_fn(|lane| b[lane] as u32));
        bench.run(Alu::MadWide { signed: true, d: Pair(2), a: Word(0), b: Word(1), c: Pair(1) });
        for lane in 0..32 {
            let expected = s(a[lane] as u32) * s(b[lane] as u32) + i(b[lane]);
            assert_eq!(bench.pair(2)[lane], expected as u64);
        }
        bench.run(Alu::PairShift { op: PairShift::ShrS, d: Pair(2), a: Pair(0), b: Word(1) });
        for lane in 0..32 {
            assert_eq!(bench.pair(2)[lane], (i(a[lane]) >> (b[lane] as u32).min(100)) as u64);
        }
    }
}

#[test]
fn carries_chain() {
    let mut bench = Bench::new();
    let (lo, hi, carry) = (Word(2), Word(3), Predicate(0));
    rotations(|a, b, c| {
        bench.set(0, a);
        bench.set(1, b);
        bench.set(4, c);
        for subtract in [false, true] {
            let none = Predicate::NONE;
            bench.run(Alu::AddCarry {
                subtract,
                d: lo,
                a: Word(0),
                b: Word(1),
                carry_in: none,
                carry_out: carry,
            });
            bench.run(Alu::AddCarry {
                subtract,
                d: hi,
                a: Word(1),
                b: Word(4),
                carry_in: carry,
                carry_out: none,
            });
            for lane in 0..32 {
                let long = |lo: u32, hi: u32| u64::from(hi) << 32 | u64::from(lo);
                let (x, y) = (long(a[lane], b[lane]), long(b[lane], c[lane]));
                let expected = if subtract { x.wrapping_sub(y) } else { x.wrapping_add(y) };
                assert_eq!(long(bench.word(2)[lane], bench.word(3)[lane]), expected);
            }
        }
    });
}

/// What PTX says of a result that the host rounds to nearest.
fn same_float(found: u32, expected: f32, what: &str) {
    if expected.is_nan() {
        assert_eq!(found, 0x7FFF_FFFF, "{what}");
    } else {
        assert_eq!(found, expected.to_bits(), "{what}: {} instead of {expected}", f32::from_bits(found));
    }
}

#[test]
fn floats_to_nearest() {
    let mut bench = Bench::new();
    for turn in 0..32 {
        let b: [f32; 32] = std::array::from_fn(|lane| FLOATS[(lane + turn) % 32]);
        let c: [f32; 32] = std::array::from_fn(|lane| FLOATS[(lane * 3 + turn) % 32]);
        bench.set(0, FLOATS.map(f32::to_bits));
        bench.set(1, b.map(f32::to_bits));
        bench.set(2, c.map(f32::to_bits));
        let mode = FloatMode::NEAREST;
        let mut check = |op: Float2, reference: &dyn Fn(f32, f32) -> f32| {
            bench.run(Alu::Float2 { op, mode, d: Word(3), a: Word(0), b: Word(1) });
            for lane in 0..32 {
                let (a, b) = (FLOATS[lane], b[lane]);
                same_float(bench.word(3)[lane], reference(a, b), &format!("{op:?} {a:e} {b:e}"));
            }
        };
        // Through doubles: exact sums and products of singles need at most one rounding
        // more, which is innocuous.
        check(Float2::Add, &|a, b| (f64::from(a) + f64::from(b)) as f32);
        check(Float2::Mul, &|a, b| (f64::from(a) * f64::from(b)) as f32);
        check(Float2::Div, &|a, b| (f64::from(a) / f64::from(b)) as f32);
        let smallest = |a: f32, b: f32| {
            if a.is_nan() {
                b
            } else if b.is_nan() || a.total_cmp(&b).is_lt() {
                a
            } else {
                b
            }
        };
        check(Float2::Min, &smallest);
        check(Float2::Max, &|a, b| -smallest(-a, -b));
        check(Float2::MinNan, &|a, b| if a.is_nan() || b.is_nan() { f32::NAN } else { smallest(a, b) });
        bench.run(Alu::FloatFma { mode, d: Word(3), a: Word(0), b: Word(1), c: Word(2) });
        for lane in 0..32 {
            same_float(bench.word(3)[lane], libm::fmaf(FLOATS[lane], b[lane], c[lane]), "fma");
        }
    }
}

#[test]
fn directed_rounding_brackets_the_exact_result() {
    let mut bench = Bench::new();
    let run = |bench: &mut Bench, op: Float2, rounding: Rounding| {
        let mode = FloatMode { rounding, ftz: false, sat: false, other_last_bit: false };
        bench.run(Alu::Float2 { op, mode, d: Word(3), a: Word(0), b: Word(1) });
        bench.word(3).map(f32::from_bits)
    };
    for turn in 0..32 {
        let b: [f32; 32] = std::array::from_fn(|lane| FLOATS[(lane + turn) % 32]);
        bench.set(0, FLOATS.map(f32::to_bits));
        bench.set(1, b.map(f32::to_bits));
        for op in [Float2::Add, Float2::Sub, Float2::Mul, Float2::Div] {
            let [near, zero, down, up] = [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up]
                .map(|rounding| run(&mut bench, op, rounding));
            for lane in 0..32 {
                let (near, zero, down, up) = (near[lane], zero[lane], down[lane], up[lane]);
                if near.is_nan() {
                    assert!(zero.is_nan() && down.is_nan() && up.is_nan());
                    continue;
                }
                let what =
                    format!("{op:?} {:e} {:e}: {down:e} {near:e} {up:e} {zero:e}", FLOATS[lane], b[lane]);
                assert!(down <= near && near <= up, "{what}");
                assert!(down == up || down.next_up() == up || down.to_bits() == 0x8000_0000, "{what}");
                assert!(zero == if near > 0.0 || near == 0.0 && up > 0.0 { down } else { up }, "{what}");
                // The exact result of small operands fits a double.
                if op == Float2::Mul {
                    let exact = f64::from(FLOATS[lane]) * f64::from(b[lane]);
                    assert!(f64::from(down) <= exact && exact <= f64::from(up), "{what}");
                    assert!(f64::from(down) == exact || down != up, "{what}");
                }
            }
        }
    }
}

#[test]
fn flushes_and_saturates() {
    let mut bench = Bench::new();
    bench.set(0, FLOATS.map(f32::to_bits));
    bench.set(1, [0f32.to_bits(); 32]);
    let mode = FloatMode { rounding: Rounding::Nearest, ftz: true, sat: false, other_last_bit: false };
    bench.run(Alu::Float2 { op: Float2::Sub, mode, d: Word(2), a: Word(0), b: Word(1) });
    assert_eq!(f32::from_bits(bench.word(2)[12]), 0.0, "a subnormal is flushed");
    let mode = FloatMode { rounding: Rounding::Nearest, ftz: false, sat: true, other_last_bit: false };
    bench.run(Alu::Float2 { op: Float2::Add, mode, d: Word(2), a: Word(0), b: Word(1) });
    for lane in 0..32 {
        let expected = if FLOATS[lane].is_nan() { 0.0 } else { FLOATS[lane].clamp(0.0, 1.0) };
        assert_eq!(f32::from_bits(bench.word(2)[lane]), expected);
    }
}

#[test]
fn halves_round_once() {
    // All halves survive the way through a double and back.
    for bits in 0..=u16::MAX {
        for format in [half::F16, half::BF16] {
            let x = half::widen(format, bits);
            let expected = if x.is_nan() { 0x7FFF } else { bits };
            assert_eq!(half::narrow(format, x, Rounding::Nearest), expected);
        }
    }
    // Against the half crate where it rounds singles (which it does once).
    let mut state = 1u32;
    for _ in 0..200_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = f32::from_bits(state);
        if x.is_nan() {
            continue;
        }
        let wide = f64::from(x);
        assert_eq!(half::narrow(half::F16, wide, Rounding::Nearest), ::half::f16::from_f32(x).to_bits());
        assert_eq!(half::narrow(half::BF16, wide, Rounding::Nearest), ::half::bf16::from_f32(x).to_bits());
    }
}

#[test]
fn conversions() {
    use ConvertKind as K;
    let mut bench = Bench::new();
    let mut convert = |to: K, from: K, rounding: Rounding, bits: u64| {
        let mode = FloatMode { rounding, ftz: false, sat: false, other_last_bit: false };
        if from.is_wide() {
            bench.set_pair(0, [bits; 32]);
        } else {
            bench.set(0, [bits as u32; 32]);
        }
        bench.run(Alu::Convert { to, from, mode, integer: false, d: 1, a: 0 });
        if to.is_wide() { bench.pair(1)[3] } else { u64::from(bench.word(1)[3]) }
    };
    let nearest = Rounding::Nearest;
    assert_eq!(
        convert(K::S32, K::F32, Rounding::Zero, u64::from((-2.7f32).to_bits())),
        u64::from(-2i32 as u32)
    );
    assert_eq!(convert(K::S32, K::F32, nearest, u64::from(2.5f32.to_bits())), 2);
    assert_eq!(convert(K::U8, K::F32, Rounding::Zero, u64::from(300f32.to_bits())), 255);
    assert_eq!(convert(K::S32, K::F32, Rounding::Zero, u64::from(f32::NAN.to_bits())), 0);
    assert_eq!(convert(K::S64, K::F64, Rounding::Zero, f64::NAN.to_bits()), 1 << 63);
    assert_eq!(convert(K::S32, K::F64, Rounding::Zero, f64::NAN.to_bits()), 1 << 31);
    assert_eq!(
        convert(K::F32, K::S64, Rounding::Down, i64::MAX as u64),
        u64::from((i64::MAX as f32).next_down().to_bits())
    );
    assert_eq!(
        convert(K::F32, K::S64, Rounding::Up, i64::MAX as u64),
        u64::from((i64::MAX as f32).to_bits())
    );
    assert_eq!(convert(K::F32, K::U64, nearest, u64::MAX), u64::from((u64::MAX as f32).to_bits()));
    assert_eq!(convert(K::F64, K::U64, nearest, u64::MAX), (u64::MAX as f64).to_bits());
    assert_eq!(convert(K::S64, K::S8, nearest, 0x80), -128i64 as u64);
    assert_eq!(convert(K::S32, K::S8, nearest, 0x1FF), u64::from(-1i32 as u32));
    assert_eq!(convert(K::U16, K::S32, nearest, 0xFFFF_1234), 0x1234);
    assert_eq!(convert(K::F16, K::F32, nearest, u64::from(65520f32.to_bits())), 0x7C00);
    assert_eq!(convert(K::F16, K::F32, Rounding::Zero, u64::from(65520f32.to_bits())), 0x7BFF);
    assert_eq!(
        convert(K::F32, K::F64, Rounding::Zero, 0.1f64.to_bits()),
        u64::from(0.1f32.next_down().to_bits())
    );
    for x in FLOATS {
        for (to, low, high) in [(K::S32, -2147483648f64, 2147483647f64), (K::U32, 0.0, 4294967295.0)] {
            let expected = if x.is_nan() { 0 } else { f64::from(x).floor().clamp(low, high) as i64 as u32 };
            let found = convert(to, K::F32, Rounding::Down, u64::from(x.to_bits()));
            assert_eq!(found, u64::from(expected), "{to:?} {x}");
        }
    }
}

#[test]
fn comparisons_know_nan() {
    let mut bench = Bench::new();
    bench.set(0, FLOATS.map(f32::to_bits));
    for turn in 0..32 {
        let b: [f32; 32] = std::array::from_fn(|lane| FLOATS[(lane + turn) % 32]);
        bench.set(1, b.map(f32::to_bits));
        for (compare, ordered, reference) in [
            (
                Compare::Lt,
                true,
                (|o| o == Some(std::cmp::Ordering::Less)) as fn(Option<std::cmp::Ordering>) -> bool,
            ),
            (Compare::Ne, true, |o| {
                matches!(o, Some(std::cmp::Ordering::Less | std::cmp::Ordering::Greater))
            }),
            (Compare::Neu, false, |o| o != Some(std::cmp::Ordering::Equal)),
            (Compare::Geu, false, |o| o != Some(std::cmp::Ordering::Less)),
            (Compare::Num, true, |o| o.is_some()),
            (Compare::Nan, false, |o| o.is_none()),
        ] {
            let (d, e) = (Predicate(0), Predicate(1));
            bench.run(Alu::SetPredicate {
                kind: CompareKind::F32,
                compare,
                combine: Combine::And,
                negated: false,
                d,
                e,
                a: 0,
                b: 1,
                c: Predicate::NONE,
            });
            let found = bench.registers.predicate(d);
            assert_eq!(bench.registers.predicate(e), !found);
            for lane in 0..32 {
                let order = FLOATS[lane].partial_cmp(&b[lane]);
                assert_eq!(found >> lane & 1 == 1, reference(order), "{compare:?} {ordered}");
            }
        }
    }
}

#[test]
fn poison_follows_the_value() {
    let mut bench = Bench::new();
    let (clean, dirty, d) = (Word(0), Word(1), Word(2));
    bench.registers.set_word(clean, &WORDS, 0, FULL);
    bench.registers.set_word(dirty, &WORDS, 0xF0, FULL);
    bench.run(Alu::Word2 { op: Word2::Add, d, a: clean, b: dirty });
    assert_eq!(bench.registers.word_poison(d), 0xF0);
    bench.run(Alu::Word2 { op: Word2::Xor, d, a: dirty, b: dirty });
    assert_eq!(bench.registers.word_poison(d), 0, "x ^ x is 0 whatever x is");
    bench.registers.set_predicate(Predicate(0), 0x3C, 0, FULL);
    bench.run(Alu::SelectWord { d, a: dirty, b: clean, p: Predicate(0) });
    assert_eq!(bench.registers.word_poison(d), 0x30, "only the chosen side counts");
    // The other lanes keep what they had.
    let add = Alu::Word2 { op: Word2::Add, d, a: clean, b: clean };
    bench.run_in(add, 0x10);
    assert_eq!(bench.registers.word_poison(d), 0x20);
}
