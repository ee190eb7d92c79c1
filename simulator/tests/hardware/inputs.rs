//! The operands that a form is tried on: edge values in many combinations, then values at random.
//!
//! They follow from the operands' types and classes alone, so forms with the same operands share them.
//! Random numbers are SplitMix64's (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators),
//! seeded with the signature.

use crate::{goldens::fnv, kernel::BLOCK, table::Form, table::Operand};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

/// What a form's operands have in common with those of other forms.
pub fn signature(form: &Form) -> String {
    let words: Vec<String> = form.operands.iter().map(|o| format!("{}/{}", o.kind, o.class)).collect();
    format!("{}{}", words.join(" "), if form.bound.is_some() { " full" } else { "" })
}

/// The operands' bits, by thread: as many threads as fit blocks of [`BLOCK`].
pub fn inputs(form: &Form) -> Vec<Vec<u64>> {
    let signature = signature(form);
    let mut random = Random::new(fnv(signature.as_bytes()));
    let threads = match form.operands.len() {
        1 => 1024,
        2 => 1280,
        _ => 1536,
    };
    assert_eq!(threads % BLOCK, 0);
    let edges: Vec<Vec<u64>> = form.operands.iter().map(|o| edges(o, form.operands.len() == 1)).collect();
    let mut tuples = combinations(&edges, threads * 3 / 4, &mut random);
    while tuples.len() < threads {
        let mut tuple: Vec<u64> = (form.operands.iter().zip(&edges))
            .map(|(operand, edges)| {
                if !edges.is_empty() && random.one_in(8) {
                    edges[random.below(edges.len())]
                } else {
                    some(operand, &mut random)
                }
            })
            .collect();
        if random.one_in(4) {
            cancel(&form.operands, &mut tuple, &mut random);
        }
        tuples.push(tuple);
    }
    for (index, operand) in form.operands.iter().enumerate() {
        if operand.class == "mask" {
            masks(index, &mut tuples, &mut random);
        }
        if let Some(format) = tile_format(operand) {
            tiles(index, format, width(&operand.kind), &mut tuples, &mut random);
        }
    }
    tuples
}

/// Bits of exponent and of mantissa of the numbers in a register of a matrix; none for other operands.
fn tile_format(operand: &Operand) -> Option<(u32, u32)> {
    match &operand.class[..] {
        "tile" => format(operand.kind.strip_suffix("x2").unwrap_or(&operand.kind)),
        "e4m3" => Some((4, 3)),
        "e5m2" => Some((5, 2)),
        _ => None,
    }
}

/// Parts of matrices: every warp's numbers are of one kind, for a sum of many kinds is the largest one, or no number.
fn tiles(
    index: usize,
    (exponent, mantissa): (u32, u32),
    width: u32,
    tuples: &mut [Vec<u64>],
    random: &mut Random,
) {
    let bits = 1 + exponent + mantissa;
    for (number, warp) in tuples.chunks_mut(32).enumerate() {
        for thread in warp {
            thread[index] = (0..width / bits)
                .map(|at| tile_number(number % 8, exponent, mantissa, random) << (at * bits))
                .fold(0, |all, number| all | number);
        }
    }
}

/// A number for a matrix, of the kind that its warp has.
fn tile_number(kind: usize, exponent: u32, mantissa: u32, random: &mut Random) -> u64 {
    let bias = (1u64 << (exponent - 1)) - 1;
    let sign = (random.next() & 1) << (exponent + mantissa);
    let fraction = random.next() & ((1 << mantissa) - 1);
    let most = (1 << exponent) - 2;
    let scaled = |exponent: u64| sign | exponent.clamp(1, most) << mantissa | fraction;
    match kind {
        // Small whole numbers: every sum is exact.
        0 => match random.next() % 9 {
            0 => sign,
            n => {
                let log = n.ilog2();
                let fraction = (n - (1 << log)) << mantissa >> log;
                sign | (bias + u64::from(log)) << mantissa | fraction
            }
        },
        // All alike.
        1 => scaled(bias - 2 + random.next() % 3),
        // Farther and farther apart.
        2 => scaled((bias + random.next() % 12).saturating_sub(6)),
        3 => scaled((bias + random.next() % 40).saturating_sub(20)),
        // Subnormal, and what is nearly.
        4 => sign | (random.next() % 3) << mantissa | fraction,
        // Here and there something that is no finite number, and zeros.
        5 => match random.next() % 64 {
            0 => sign | ((1 << exponent) - 1) << mantissa,
            1 => sign | ((1 << exponent) - 1) << mantissa | fraction,
            2..8 => sign,
            _ => scaled(bias - 2 + random.next() % 4),
        },
        // Sums beyond the largest number.
        6 => scaled(most - random.next() % 4),
        // Few bits of mantissa, so that sums cancel.
        _ => scaled(bias - 2 + random.next() % 6) & !((1 << (mantissa - 1)) - 1),
    }
}

/// All combinations of edges, shuffled; where they are more than `most`, that many at random.
fn combinations(edges: &[Vec<u64>], most: usize, random: &mut Random) -> Vec<Vec<u64>> {
    let all: usize = edges.iter().map(Vec::len).product();
    let tuple = |mut number: usize| {
        let mut tuple = Vec::new();
        for edges in edges {
            tuple.push(edges[number % edges.len()]);
            number /= edges.len();
        }
        tuple
    };
    if all <= most {
        let mut tuples: Vec<Vec<u64>> = (0..all).map(tuple).collect();
        random.shuffle(&mut tuples);
        tuples
    } else {
        (0..most).map(|_| tuple(random.below(all))).collect()
    }
}

fn width(kind: &str) -> u32 {
    match kind {
        "pred" => 1,
        "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16" => 16,
        "b64" | "u64" | "s64" | "f64" => 64,
        _ => 32,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Bits of exponent and of mantissa.
fn format(kind: &str) -> Option<(u32, u32)> {
    Some(match kind {
        "f16" => (5, 10),
        "bf16" => (8, 7),
        "f32" => (8, 23),
        "f64" => (11, 52),
        _ => return None,
    })
}

/// Values at which something changes. `alone`: it is the only operand, so there may be many.
fn edges(operand: &Operand, alone: bool) -> Vec<u64> {
    match &operand.class[..] {
        "bits" => {
            return vec![
                0,
                1,
                2,
                7,
                8,
                15,
                16,
                17,
                24,
                31,
                32,
                33,
                40,
                63,
                64,
                65,
                127,
                128,
                255,
                256,
                257,
                288,
                0x8000_0000,
                0xFFFF_FFFF,
            ];
        }
        "lane" => return vec![0, 1, 2, 3, 4, 8, 15, 16, 17, 31, 32, 33, 0xFFFF_FFFF],
        "clamp" => {
            return vec![0x1F, 0, 0x1C1F, 0x1800, 0x181F, 0x101F, 0x1E1F, 0x1F1F, 0x0F, 0x1C03, 0xFFFF_FFFF];
        }
        "carry" => return vec![0, 1],
        "few" => return vec![0, 1, 2, 3, 5, mask(width(&operand.kind))],
        "mask" => return vec![0xFFFF_FFFF],
        // Nothing is known of the parts of a matrix one by one: see `tiles`.
        "tile" | "e4m3" | "e5m2" => return vec![0],
        "" => {}
        other => panic!("forms.txt: no class of values is called {other}"),
    }
    if operand.kind == "pred" {
        return vec![0, 1];
    }
    if let Some(kind) = operand.kind.strip_suffix("x2").filter(|kind| kind.contains("f16")) {
        let halves = floats(kind, false);
        let upper = halves.iter().cycle().skip(5);
        return halves.iter().zip(upper).map(|(low, high)| high << 16 | low).collect();
    }
    match format(&operand.kind) {
        Some(_) => floats(&operand.kind, alone),
        None => integers(width(&operand.kind), alone),
    }
}

fn integers(width: u32, alone: bool) -> Vec<u64> {
    let mask = mask(width);
    let half = width / 2;
    let top = 1u64 << (width - 1);
    let mut found = vec![
        0,
        1,
        2,
        3,
        7,
        mask,
        mask - 1,
        top,
        top - 1,
        top + 1,
        top - 2,
        1 << half,
        (1 << half) - 1,
        (1 << half) + 1,
    ];
    found.extend([
        0x5555_5555_5555_5555,
        0xAAAA_AAAA_AAAA_AAAA,
        0x0123_4567_89AB_CDEF,
        0xFEDC_BA98_7654_3210,
    ]);
    found.extend([10, 100, 31, 32, 0x80, 0x7F, 0xFF, (1 << 24) - 1, (1 << 24) + 1, !99, !6]);
    if alone {
        for bit in 0..width {
            let power = 1u64 << bit;
            found.extend([power, power - 1, power + 1, !power, power.wrapping_neg()]);
            // Halfway between two singles, doubles or halves with this leading bit.
            for dropped in [24, 53, 11, 8] {
                if let Some(tie) = 1u64.checked_shl(bit.wrapping_sub(dropped)).filter(|_| bit >= dropped) {
                    found.extend([power + tie, power + 3 * tie, power + tie + 1]);
                }
            }
        }
    }
    unique(found.into_iter().map(|value| value & mask))
}

fn unique(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

fn floats(kind: &str, alone: bool) -> Vec<u64> {
    let (exponent, mantissa) = format(kind).expect("a floating-point type");
    let sign = 1u64 << (exponent + mantissa);
    let infinity = ((1 << exponent) - 1) << mantissa;
    let bias = (1u64 << (exponent - 1)) - 1;
    let one = bias << mantissa;
    let quiet = 1 << (mantissa - 1);
    let payload = 0x0005_4321_1234_5A5A & (quiet - 1);
    let power = |of: i64, above: u64| (((bias as i64 + of) as u64) << mantissa) + above;
    let mut found = vec![
        0,
        sign,
        one,
        sign | one,
        infinity,
        sign | infinity,
        infinity | quiet,
        sign | infinity | quiet | payload,
        infinity | payload | 1,
        sign | infinity | 1,
        sign - 1,
        1,
        sign | 1,
        (1 << mantissa) - 1,
        sign | ((1 << mantissa) - 1),
        1 << mantissa,
        sign | 1 << mantissa,
        infinity - 1,
        sign | (infinity - 1),
        one - 1,
        one + 1,
        power(-1, 0),
        sign | power(0, quiet),
        power(1, quiet >> 1),
        sign | power(1, 0),
        power(2, quiet | 1),
        power(bias as i64 - 1, 0),
        power(-(bias as i64) + 2, 1),
        power(i64::from(mantissa), 1),
        sign | power(i64::from(mantissa / 2), 5),
    ];
    if alone {
        // Powers of two that some type ends at, with neighbours and halves of integers around them.
        let ends = [
            -149, -134, -127, -126, -25, -24, -15, -14, 3, 7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 52, 53, 62,
            63, 64, 127,
        ];
        for end in ends.into_iter().filter(|end| (1 - bias as i64..=bias as i64).contains(end)) {
            for value in [power(end, 0), power(end, 1), power(end, 0) - 1, power(end, 0) - 2] {
                found.extend([value, sign | value]);
            }
            if (0..i64::from(mantissa)).contains(&end) {
                let half = 1u64 << (i64::from(mantissa) - end - 1);
                for value in
                    [power(end, half), power(end, 0) - half / 2, power(end, half) - 1, power(end, half) + 1]
                {
                    found.extend([value, sign | value]);
                }
            }
        }
        // Halfway between two numbers of a narrower format, and next to it.
        for kept in [7, 10, 23].into_iter().filter(|&kept| kept < mantissa) {
            let tie = 1u64 << (mantissa - kept - 1);
            for base in [0, -14, -15, -20, -24, -25, -126, -127, 15, 127] {
                if !(1 - bias as i64..=bias as i64).contains(&base) {
                    continue;
                }
                for value in [tie, 3 * tie, tie - 1, tie + 1, (1 << mantissa) - tie] {
                    found.push(power(base, value));
                }
            }
        }
        found.extend([
            power(1, quiet),
            power(-1, 1),
            power(1, quiet | quiet >> 2),
            sign | power(1, quiet >> 2),
        ]);
    }
    unique(found.into_iter())
}

/// A value at random; not uniform, for most uniform ones are alike.
fn some(operand: &Operand, random: &mut Random) -> u64 {
    let width = width(&operand.kind);
    match &operand.class[..] {
        "bits" if !random.one_in(4) => return random.next() % 70,
        "lane" => return random.next() % 34,
        "clamp" if !random.one_in(4) => {
            let log = random.next() % 6;
            return ((32 - (1 << log)) << 8) | (random.next() % 32);
        }
        "carry" => return random.next() & 1,
        "few" => return random.next() % 5,
        _ => {}
    }
    if let Some(kind) = operand.kind.strip_suffix("x2").filter(|kind| kind.contains("f16")) {
        return some_float(kind, random) << 16 | some_float(kind, random);
    }
    if format(&operand.kind).is_some() {
        return some_float(&operand.kind, random);
    }
    let bits = random.next() & mask(width);
    match random.next() % 4 {
        0 => bits >> (random.next() % u64::from(width)),
        1 => (bits >> (random.next() % u64::from(width))).wrapping_neg() & mask(width),
        _ => bits,
    }
}

fn some_float(kind: &str, random: &mut Random) -> u64 {
    let (exponent, mantissa) = format(kind).expect("a floating-point type");
    let bias = (1u64 << (exponent - 1)) - 1;
    let sign = (random.next() & 1) << (exponent + mantissa);
    let fraction = random.next() & ((1 << mantissa) - 1);
    let near = |random: &mut Random, spread: u64| bias - spread / 2 + random.next() % spread;
    match random.next() % 8 {
        // Any bits.
        0 | 1 => sign | (random.next() % (1 << exponent)) << mantissa | fraction,
        // Few bits of mantissa: exact results and ties.
        2 => sign | near(random, bias.min(40)) << mantissa | fraction & !(mask(mantissa) >> 4),
        3 => {
            let kept = random.next() % u64::from(mantissa);
            let tie = 1u64 << (u64::from(mantissa) - kept - 1);
            sign | near(random, bias.min(60)) << mantissa | fraction & !(tie - 1) | tie
        }
        // Subnormal or nearly.
        4 if random.one_in(2) => {
            sign | (random.next() % 3) << mantissa | fraction >> (random.next() % u64::from(mantissa))
        }
        _ => sign | near(random, bias.min(24)) << mantissa | fraction,
    }
}

/// Makes the last operand nearly undo what the others give.
fn cancel(operands: &[Operand], tuple: &mut [u64], random: &mut Random) {
    let kinds: Vec<&str> = operands.iter().map(|operand| &operand.kind[..]).collect();
    let nudge = random.next() % 3;
    match (&kinds[..], &mut *tuple) {
        (["f32", "f32"], [a, b]) => *b = (*a ^ 0x8000_0000).wrapping_add(nudge) & mask(32),
        (["f64", "f64"], [a, b]) => *b = (*a ^ 1 << 63).wrapping_add(nudge),
        (["f16", "f16"] | ["bf16", "bf16"], [a, b]) => *b = (*a ^ 0x8000).wrapping_add(nudge) & mask(16),
        (["f32", "f32", "f32"], [a, b, c]) => {
            let product = f32::from_bits(*a as u32) * f32::from_bits(*b as u32);
            if !product.is_nan() {
                *c = u64::from((-product).to_bits().wrapping_add(nudge as u32));
            }
        }
        (["f64", "f64", "f64"], [a, b, c]) => {
            let product = f64::from_bits(*a) * f64::from_bits(*b);
            if !product.is_nan() {
                *c = (-product).to_bits().wrapping_add(nudge);
            }
        }
        ([first, second], [a, b]) if first == second && nudge == 0 => *b = *a,
        _ => {}
    }
}

/// One mask per warp, never empty; predicates and values of a warp more alike than chance has them.
fn masks(index: usize, tuples: &mut [Vec<u64>], random: &mut Random) {
    for warp in tuples.chunks_mut(32) {
        let bits = random.next() as u32;
        let members = match random.next() % 6 {
            0 | 1 => u32::MAX,
            2 => 1 << (bits % 32),
            3 => 0xFFFF >> (bits % 16) << (bits % 7),
            4 => bits & random.next() as u32,
            _ => bits,
        };
        let same = random.one_in(3);
        for lane in 0..warp.len() {
            if same && index > 0 {
                // All but a few lanes have the first lane's value.
                if !random.one_in(40) {
                    warp[lane][0] = warp[0][0];
                }
            }
            warp[lane][index] = u64::from(members.max(1));
        }
    }
}
