//! How far an approximate result may be from the hardware's.
//!
//! The bounds are those that the PTX ISA states in the section of each instruction,
//! looked up in its edition 9.1:
//!
//! | form | section | stated |
//! |---|---|---|
//! | `div.approx.f32` | 9.7.3.8 | 2 ulp for |b| in [2⁻¹²⁶, 2¹²⁶]; for 2¹²⁶ < |b| < 2¹²⁸ zero, and NaN for an infinite a |
//! | `div.full.f32` | 9.7.3.8 | 2 ulp |
//! | `rcp.approx.f32` | 9.7.3.13 | 1 ulp |
//! | `rcp.approx.ftz.f64` | 9.7.3.14 | none |
//! | `sqrt.approx.f32` | 9.7.3.15 | relative 2⁻²³ |
//! | `rsqrt.approx.f32` | 9.7.3.16 | relative 2⁻²²·⁹ |
//! | `rsqrt.approx.f64` | 9.7.3.16 | none: it is emulated |
//! | `rsqrt.approx.ftz.f64` | 9.7.3.17 | none |
//! | `sin.approx.f32`, `cos.approx.f32` | 9.7.3.18, 9.7.3.19 | absolute 2⁻²⁰·⁵ in [−2π, 2π], 2⁻¹⁴·⁷ in [−100π, 100π], none beyond |
//! | `lg2.approx.f32` | 9.7.3.20 | absolute 2⁻²² in (0.5, 2), relative 2⁻²² elsewhere |
//! | `ex2.approx.f32` | 9.7.3.21 | 2 ulp from the correctly rounded result |
//! | `tanh.approx.f32` | 9.7.3.22 | relative 2⁻¹¹ |
//! | `tanh.approx.{f16,bf16}` | 9.7.4.9 | absolute 2⁻¹⁰·⁹⁸⁷, 2⁻⁸ |
//! | `ex2.approx.{f16,bf16}` | 9.7.4.10 | relative 2⁻⁹·⁹, 2⁻⁷ |
//!
//! They hold against the exact result. The simulator's results are exact to half a unit in the last place
//! where these instructions are concerned, so that is the slack on top.

use crate::table::Operand;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place.
    Ulp(f64),
    /// The error relative to the result is at most 2 to the minus this.
    Relative(f64),
    /// The error is at most 2 to the minus this.
    Absolute(f64),
    /// `div.approx.f32`: 2 units in the last place for |b| in [2⁻¹²⁶, 2¹²⁶]; beyond, 0
    /// (or NaN for an infinite a).
    Division,
    /// `sin.approx`, `cos.approx`: 2^−20.5 in [−2π, 2π], 2^−14.7 in [−100π, 100π], nothing is said beyond.
    Sine,
    /// `lg2.approx`: 2^−22, absolute in (0.5, 2), relative elsewhere.
    Logarithm,
    /// `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`: only the upper word is computed, with 20 bits of
    /// mantissa, and no error is stated. Two units of those 20 bits.
    Gross,
}

/// A value with its format's unit in the last place and smallest normal number.
struct Value {
    value: f64,
    ulp: f64,
}

fn value(kind: &str, bits: u64) -> Value {
    let (value, mantissa, lowest) = match kind {
        "f16" => (half::f16::from_bits(bits as u16).to_f64(), 10, -14),
        "bf16" => (half::bf16::from_bits(bits as u16).to_f64(), 7, -126),
        "f32" => (f64::from(f32::from_bits(bits as u32)), 23, -126),
        "f64" => (f64::from_bits(bits), 52, -1022),
        other => panic!("no approximate instruction gives {other}"),
    };
    // Every finite value but a double's subnormals is a normal double.
    let exponent = if value.is_finite() { (value.abs().to_bits() >> 52) as i32 - 1023 } else { lowest };
    Value { value, ulp: 2f64.powi(exponent.max(lowest) - mantissa) }
}

impl Bound {
    pub fn parse(text: &str) -> Bound {
        let (name, number) = text.split_once(' ').unwrap_or((text, "0"));
        let number = number.parse().expect("a number");
        match name {
            "ulp" => Bound::Ulp(number),
            "relative" => Bound::Relative(number),
            "absolute" => Bound::Absolute(number),
            "div" => Bound::Division,
            "sine" => Bound::Sine,
            "lg2" => Bound::Logarithm,
            "gross" => Bound::Gross,
            other => panic!("forms.txt: no bound is called {other}"),
        }
    }

    /// Whether the hardware's and the simulator's result agree. `operands`: their bits.
    pub fn allows(
        self,
        result: &Operand,
        operands: &[(&Operand, u64)],
        hardware: u64,
        simulated: u64,
    ) -> bool {
        if let Some(kind) = result.kind.strip_suffix("x2") {
            let half = |register: &Operand| Operand { kind: kind.into(), ..register.clone() };
            return [0, 16].iter().all(|shift| {
                let parts: Vec<(Operand, u64)> =
                    operands.iter().map(|(o, bits)| (half(o), bits >> shift & 0xFFFF)).collect();
                let parts: Vec<(&Operand, u64)> = parts.iter().map(|(o, bits)| (o, *bits)).collect();
                self.allows(&half(result), &parts, hardware >> shift & 0xFFFF, simulated >> shift & 0xFFFF)
            });
        }
        if hardware == simulated {
            return true;
        }
        let (measured, exact) = (value(&result.kind, hardware), value(&result.kind, simulated));
        let a = value(&operands[0].0.kind, operands[0].1).value;
        if measured.value.is_nan() || exact.value.is_nan() {
            return false;
        }
        let slack = exact.ulp / 2.0;
        let most = match self {
            Bound::Ulp(units) => units * exact.ulp.max(measured.ulp),
            Bound::Relative(power) => exact.value.abs() * 2f64.powf(-power) + slack,
            Bound::Absolute(power) => 2f64.powf(-power) + slack,
            Bound::Division => 2.0 * exact.ulp.max(measured.ulp),
            Bound::Sine if a.abs() <= 2.0 * std::f64::consts::PI => 2f64.powf(-20.5) + slack,
            Bound::Sine if a.abs() <= 100.0 * std::f64::consts::PI => 2f64.powf(-14.7) + slack,
            Bound::Sine => return measured.value.abs() <= 1.0 + slack && exact.value.abs() <= 1.0,
            Bound::Logarithm if 0.5 < a && a < 2.0 => 2f64.powi(-22) + slack,
            Bound::Logarithm => exact.value.abs() * 2f64.powi(-22) + slack,
            Bound::Gross => exact.value.abs() * 2f64.powi(-19),
        };
        // An infinity is close to nothing but itself, except in units: the largest number's neighbour.
        if measured.value.is_infinite() || exact.value.is_infinite() {
            return matches!(self, Bound::Ulp(_) | Bound::Division) && hardware.abs_diff(simulated) <= 2;
        }
        (measured.value - exact.value).abs() <= most
    }
}
