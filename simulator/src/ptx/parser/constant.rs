//! Constant expressions, as people write them where a compiler writes their value: `4*8+1`, `(1<<4)|3`, `7 > 3 ? 5 : 6`, `-.5`.
//!
//! PTX ISA, "Integer Constant Expression Evaluation": integers are signed 64-bit numbers unless one of two is unsigned; bitwise
//! operators and remainders take them as unsigned, and a shift is of the kind of what is shifted. Where that page says otherwise
//! than `ptxas` does (a remainder is unsigned, shifts count modulo 64), this does as `ptxas`.

use super::{Parsed, Parser, integer};
use crate::ptx::lexer::Token;

/// What a constant expression gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An integer.
    Signed(i64),
    /// An unsigned one: marked `U`, too large for a signed one, or made of bits.
    Unsigned(u64),
    /// A number with a point or an exponent.
    Float(f64),
}

use Constant::{Float, Signed, Unsigned};

impl Constant {
    /// An integer's bits.
    pub fn bits(self) -> Option<u64> {
        match self {
            Signed(value) => Some(value as u64),
            Unsigned(value) => Some(value),
            Float(_) => None,
        }
    }

    fn is_true(self) -> bool {
        match self {
            Signed(value) => value != 0,
            Unsigned(value) => value != 0,
            Float(value) => value != 0.0,
        }
    }

    fn float(self) -> f64 {
        match self {
            Signed(value) => value as f64,
            Unsigned(value) => value as f64,
            Float(value) => value,
        }
    }
}

/// Operators of two operands by how tightly they bind, the loosest first. Of two that begin alike the longer stands first.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

fn truth(value: bool) -> Constant {
    Signed(i64::from(value))
}

/// The value of `a operator b`; none for a division by zero and for an operator that takes no floats.
fn apply(operator: &str, a: Constant, b: Constant) -> Option<Constant> {
    let is_float = matches!(a, Float(_)) || matches!(b, Float(_));
    Some(match operator {
        "||" => truth(a.is_true() || b.is_true()),
        "&&" => truth(a.is_true() && b.is_true()),
        "|" => Unsigned(a.bits()? | b.bits()?),
        "^" => Unsigned(a.bits()? ^ b.bits()?),
        "&" => Unsigned(a.bits()? & b.bits()?),
        "%" => Unsigned(a.bits()?.checked_rem(b.bits()?)?),
        "<<" | ">>" => {
            // Of the places the lowest six bits count, as `ptxas` has it.
            let places = b.bits()? as u32;
            match (operator, a) {
                ("<<", Signed(value)) => Signed(value.wrapping_shl(places)),
                ("<<", _) => Unsigned(a.bits()?.wrapping_shl(places)),
                (_, Signed(value)) => Signed(value.wrapping_shr(places)),
                _ => Unsigned(a.bits()?.wrapping_shr(places)),
            }
        }
        _ if is_float => {
            let (a, b) = (a.float(), b.float());
            match operator {
                "+" => Float(a + b),
                "-" => Float(a - b),
                "*" => Float(a * b),
                "/" => Float(a / b),
                _ => truth(holds(operator, a.partial_cmp(&b))),
            }
        }
        _ => match (a, b) {
            (Signed(a), Signed(b)) => match operator {
                "+" => Signed(a.wrapping_add(b)),
                "-" => Signed(a.wrapping_sub(b)),
                "*" => Signed(a.wrapping_mul(b)),
                "/" if b == 0 => return None,
                "/" => Signed(a.wrapping_div(b)),
                _ => truth(holds(operator, Some(a.cmp(&b)))),
            },
            _ => {
                let (a, b) = (a.bits()?, b.bits()?);
                match operator {
                    "+" => Unsigned(a.wrapping_add(b)),
                    "-" => Unsigned(a.wrapping_sub(b)),
                    "*" => Unsigned(a.wrapping_mul(b)),
                    "/" => Unsigned(a.checked_div(b)?),
                    _ => truth(holds(operator, Some(a.cmp(&b)))),
                }
            }
        },
    })
}

fn holds(comparison: &str, order: Option<std::cmp::Ordering>) -> bool {
    match comparison {
        "==" => order.is_some_and(|order| order.is_eq()),
        "!=" => order.is_none_or(|order| order.is_ne()),
        "<" => order.is_some_and(|order| order.is_lt()),
        "<=" => order.is_some_and(|order| order.is_le()),
        ">" => order.is_some_and(|order| order.is_gt()),
        _ => order.is_some_and(|order| order.is_ge()),
    }
}

impl Parser<'_> {
    /// An expression of integers: its bits.
    pub(super) fn bits(&mut self, depth: u32) -> Parsed<u64> {
        let start = self.at;
        match self.constant(depth)?.bits() {
            Some(bits) => Ok(bits),
            None => {
                self.at = start;
                self.error("an integer")
            }
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self, depth: u32) -> Parsed<Constant> {
        let condition = self.binary(0, depth)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let depth = self.deeper(depth)?;
        let yes = self.constant(depth)?;
        self.expect(":")?;
        let no = self.constant(depth)?;
        let chosen = if condition.is_true() { yes } else { no };
        Ok(match (yes, no) {
            (Float(_), _) | (_, Float(_)) => Float(chosen.float()),
            (Signed(_), Signed(_)) => chosen,
            _ => Unsigned(chosen.bits().unwrap_or_default()),
        })
    }

    fn deeper(&self, depth: u32) -> Parsed<u32> {
        if depth == 0 { self.error("a constant nested less deeply") } else { Ok(depth - 1) }
    }

    fn binary(&mut self, level: usize, depth: u32) -> Parsed<Constant> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary(depth) };
        let mut value = self.binary(level + 1, depth)?;
        while let Some(operator) = operators.iter().find(|operator| self.stands(operator)) {
            let start = self.at;
            self.at += operator.len();
            let other = self.binary(level + 1, depth)?;
            value = match apply(operator, value, other) {
                Some(value) => value,
                None => {
                    self.at = start;
                    return self.error("an operator that can be applied to these numbers");
                }
            };
        }
        Ok(value)
    }

    /// An operator stands here, of so many marks side by side, and not the beginning of a longer one.
    fn stands(&self, operator: &str) -> bool {
        let mark = |ahead: usize| {
            self.tokens.get(self.at + ahead).filter(|placed| placed.token == Token::Mark).copied()
        };
        let Some(first) = mark(0) else { return false };
        let length = operator.len();
        let all = self.text.get(first.start..first.start + length) == Some(operator)
            && (1..length).all(|ahead| mark(ahead).is_some());
        // `a | b` and `a || b`, `a & b` and `a && b`.
        let doubled = length == 1
            && matches!(operator, "|" | "&")
            && self.text.get(first.start + 1..first.start + 2) == Some(operator);
        all && !doubled
    }

    fn unary(&mut self, depth: u32) -> Parsed<Constant> {
        let depth = self.deeper(depth)?;
        let start = self.at;
        if self.eat("-") {
            return Ok(match self.unary(depth)? {
                Signed(value) => Signed(value.wrapping_neg()),
                Unsigned(value) => Unsigned(value.wrapping_neg()),
                Float(value) => Float(-value),
            });
        }
        if self.eat("+") {
            return self.unary(depth);
        }
        if self.eat("!") {
            return Ok(truth(!self.unary(depth)?.is_true()));
        }
        if self.eat("~") {
            return match self.unary(depth)?.bits() {
                Some(bits) => Ok(Unsigned(!bits)),
                None => {
                    self.at = start;
                    self.error("an integer behind `~`")
                }
            };
        }
        if self.eat("(") {
            let cast = matches!(self.slice(), ".s64" | ".u64").then(|| self.advance());
            if let Some(cast) = cast {
                self.expect(")")?;
                let start = self.at;
                return match (cast, self.unary(depth)?.bits()) {
                    (".s64", Some(bits)) => Ok(Signed(bits as i64)),
                    (_, Some(bits)) => Ok(Unsigned(bits)),
                    (_, None) => {
                        self.at = start;
                        self.error("an integer")
                    }
                };
            }
            let value = self.constant(depth)?;
            self.expect(")")?;
            return Ok(value);
        }
        self.literal()
    }

    fn literal(&mut self) -> Parsed<Constant> {
        let text = self.slice();
        match self.peek() {
            Token::Integer => match integer(text) {
                Some(value) => {
                    self.advance();
                    let signed = i64::try_from(value).ok().filter(|_| !text.ends_with('U'));
                    Ok(signed.map_or(Unsigned(value), Signed))
                }
                None => self.error("an integer of at most 64 bits"),
            },
            // `.5` looks like a modifier.
            Token::Decimal | Token::Dotted => match text.parse() {
                Ok(value) => {
                    self.advance();
                    Ok(Float(value))
                }
                Err(_) => self.error("a number"),
            },
            Token::Word if text == "WARP_SZ" => {
                self.advance();
                Ok(Signed(32))
            }
            _ => self.error("a number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parser::DEPTH;

    fn value(text: &str) -> Result<Constant, String> {
        let mut parser = Parser::new(text).map_err(|error| error.to_string())?;
        let value = parser.constant(DEPTH).map_err(|error| error.to_string())?;
        if parser.peek() == Token::End { Ok(value) } else { Err(format!("{} is left", parser.slice())) }
    }

    /// Each with what `ptxas` 13.0 makes of it as the initial value of a `.u64`.
    const VALUES: [(&str, u64); 41] = [
        ("1 +2*3", 7),
        ("-7/2", 18446744073709551613),
        ("2 >> 1000000", 2),
        ("7 > 3 ? 5 : 6", 5),
        ("1000000 %  9223372036854775807 / -12", 0),
        ("!(~9U)", 0),
        ("-(~(3 / 4U))", 1),
        ("4U > 0x10 | 4U", 4),
        ("~(4U) | 0 <= 4U", 18446744073709551611),
        ("(WARP_SZ + 7) / 2", 19),
        ("~(2 & 2) %  -((7))", 4),
        ("4U == 0b101 & 0 ^ 7", 7),
        ("WARP_SZ * +(WARP_SZ)", 1024),
        ("12 < 3 <= 9U ^ 2 << 0", 3),
        ("WARP_SZ >= WARP_SZ + 7", 0),
        ("~(4U) << 0x10 > WARP_SZ", 1),
        ("0 >= WARP_SZ - 7 || 0b101", 1),
        ("3 << 0 | WARP_SZ >> 0b101", 3),
        ("017 && 0 != 1 ? 0x10 : 0x10", 16),
        ("(.s64)(4U <= 9U && 0x10 - 0)", 1),
        ("12 / (4U) ? -(017) : !1000000", 18446744073709551601),
        ("9223372036854775807 - 9U << 9U", 18446744073709546496),
        ("017 ^ 12 %  -0x8000000000000000", 3),
        ("9U == 0xffffffffffffffff <= (12)", 0),
        ("4U == 0x8000000000000000 || ~(12)", 1),
        ("2 != WARP_SZ + !3 + -(4U + 1000000)", 1),
        ("9223372036854775807 != 5 & 017 <= 0", 0),
        ("2 %  1 && 0x8000000000000000 == 0b101", 0),
        ("(017 && 1000000) + 1000000 < 7 < -(3)", 0),
        ("0x8000000000000000 / 3 & 12 <= 0 > 017", 0),
        ("5 < 9223372036854775807 ^ WARP_SZ && 4U", 1),
        ("4U ^ WARP_SZ ? 12 ? WARP_SZ : 0x10 : !9U", 32),
        ("~0x10 || 0x10 == 017 * 017 < 12 >> 7 | 4U", 1),
        ("1 >= 12 ? 9223372036854775807 * 5 : 0 * 017", 0),
        ("WARP_SZ && 1 >= 4U & !(9223372036854775807)", 0),
        ("-(3 << 9U) %  5 == 7 >= (0xffffffffffffffff)", 1),
        ("-0xffffffffffffffff > 1 ^ 9223372036854775807", 9223372036854775807),
        ("(WARP_SZ ? 0xffffffffffffffff : 2) > !(0 >= 4U)", 1),
        ("9223372036854775807 / 0xffffffffffffffff <= ~(9U)", 1),
        ("12 || 0x8000000000000000 << 0x8000000000000000 != 0", 1),
        ("9U < 4U << 1 && 3 < 9223372036854775807 == 7 == 0b101", 0),
    ];

    #[test]
    fn integers_are_as_ptxas_has_them() {
        for (text, expected) in VALUES {
            assert_eq!(value(text).map(Constant::bits), Ok(Some(expected)), "{text}");
        }
        for text in
            ["1 / 0", "1 % 0", "1 +", "(1", "1 ? 2", "~1.5", "1.5 << 1", "(.f64) 1", "99999999999999999999"]
        {
            assert!(value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_point_or_an_exponent_makes_a_float() {
        for (text, expected) in [
            ("1.5*2.0", 3.0),
            ("-.5", -0.5),
            ("1e3", 1000.0),
            (".5e-1 + 1", 1.05),
            ("2.5 > 2 ? 1 : 0.0", 1.0),
        ] {
            assert_eq!(value(text), Ok(Float(expected)), "{text}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        assert!(value(&"(".repeat(10_000)).is_err());
        assert!(value(&"-".repeat(10_000)).is_err());
        assert!(value(&"1?".repeat(10_000)).is_err());
        assert_eq!(value(&format!("{}1", "1+".repeat(10_000))), Ok(Signed(10_001)));
    }
}
