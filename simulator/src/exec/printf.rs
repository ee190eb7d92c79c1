//! Device `printf`: C's format rules over CUDA's argument buffer.
//!
//! The compiler packs the arguments one after the other, each at its natural alignment: 4 bytes for
//! `int`-sized conversions, 8 for `long`, `long long`, `double` and pointers (CUDA C++ Programming Guide,
//! "Formatted output"). Where the bytes lie is the caller's business: this file only asks for them.

/// Supplies what a format string refers to.
pub trait Arguments {
    /// The `bytes` (4 or 8) at `offset` of the argument buffer, little-endian; `None`
    /// when they cannot be read.
    fn argument(&mut self, offset: u64, bytes: u8) -> Option<u64>;
    /// The string at a generic address, up to its zero or `most` bytes; `None` when it cannot be read.
    fn string(&mut self, address: u64, most: usize) -> Option<Vec<u8>>;
}

#[derive(Clone, Copy, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// What C's `printf` would write, and how many arguments were consumed. A conversion that C does not know is
/// written as it stands, which is what CUDA does.
pub fn format(format: &[u8], arguments: &mut impl Arguments) -> (Vec<u8>, u32) {
    let mut out = Vec::with_capacity(format.len() + 16);
    let mut taken = 0;
    let mut offset = 0u64;
    let mut take = |arguments: &mut dyn FnMut(u64, u8) -> Option<u64>, bytes: u8| {
        offset = offset.next_multiple_of(u64::from(bytes));
        let value = arguments(offset, bytes);
        offset += u64::from(bytes);
        taken += 1;
        value.unwrap_or(0)
    };
    let mut i = 0;
    while i < format.len() {
        if format[i] != b'%' {
            out.push(format[i]);
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        let mut c = Conversion::default();
        while let Some(&flag) = format.get(i) {
            match flag {
                b'-' => c.left = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternate = true,
                b'0' => c.zero = true,
                _ => break,
            }
            i += 1;
        }
        if format.get(i) == Some(&b'*') {
            let width = take(&mut |o, b| arguments.argument(o, b), 4) as i32;
            c.left |= width < 0;
            c.width = width.unsigned_abs() as usize;
            i += 1;
        } else {
            c.width = number(format, &mut i);
        }
        if format.get(i) == Some(&b'.') {
            i += 1;
            c.precision = if format.get(i) == Some(&b'*') {
                i += 1;
                usize::try_from(take(&mut |o, b| arguments.argument(o, b), 4) as i32).ok()
            } else {
                Some(number(format, &mut i))
            };
        }
        // A width no terminal has is a garbled argument; C would write it all the same, this stops at 4096.
        c.width = c.width.min(4096);
        c.precision = c.precision.map(|p| p.min(4096));
        let mut bits = 32;
        while let Some(&length) = format.get(i) {
            match length {
                b'l' | b'j' | b'z' | b't' => bits = 64,
                b'h' => bits = if bits == 16 { 8 } else { 16 },
                b'L' => {}
                _ => break,
            }
            i += 1;
        }
        let Some(&kind) = format.get(i) else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        i += 1;
        let bytes = if bits == 64 { 8 } else { 4 };
        let mut integer = |arguments: &mut dyn FnMut(u64, u8) -> Option<u64>| take(arguments, bytes);
        match kind {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let raw = integer(&mut |o, b| arguments.argument(o, b));
                let value = match bits {
                    64 => raw as i64,
                    16 => i64::from(raw as i16),
                    8 => i64::from(raw as i8),
                    _ => i64::from(raw as i32),
                };
                integral(&mut out, c, value < 0, c.plus, value.unsigned_abs().to_string(), "");
            }
            b'u' | b'x' | b'X' | b'o' => {
                let raw = integer(&mut |o, b| arguments.argument(o, b));
                let value = match bits {
                    64 => raw,
                    16 => u64::from(raw as u16),
                    8 => u64::from(raw as u8),
                    _ => u64::from(raw as u32),
                };
                let (digits, prefix) = match kind {
                    b'u' => (value.to_string(), ""),
                    b'x' => (format!("{value:x}"), "0x"),
                    b'X' => (format!("{value:X}"), "0X"),
                    _ => (format!("{value:o}"), "0"),
                };
                let prefix = if c.alternate && value != 0 { prefix } else { "" };
                integral(&mut out, Conversion { space: false, ..c }, false, false, digits, prefix);
            }
            b'c' => {
                let value = take(&mut |o, b| arguments.argument(o, b), 4) as u8;
                pad(&mut out, c, &[value]);
            }
            b's' => {
                let address = take(&mut |o, b| arguments.argument(o, b), 8);
                let most = c.precision.unwrap_or(usize::MAX);
                let mut text = arguments.string(address, most).unwrap_or_else(|| b"(null)".to_vec());
                text.truncate(most);
                pad(&mut out, c, &text);
            }
            b'p' => {
                let address = take(&mut |o, b| arguments.argument(o, b), 8);
                pad(&mut out, c, format!("0x{address:x}").as_bytes());
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(take(&mut |o, b| arguments.argument(o, b), 8));
                floating(&mut out, c, kind, value);
            }
            _ => out.extend_from_slice(&format[start..i]),
        }
    }
    (out, taken)
}

fn number(format: &[u8], i: &mut usize) -> usize {
    let mut value = 0usize;
    while let Some(digit) = format.get(*i).filter(|d| d.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *i += 1;
    }
    value
}

fn pad(out: &mut Vec<u8>, c: Conversion, text: &[u8]) {
    let fill = c.width.saturating_sub(text.len());
    if !c.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if c.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn sign(c: Conversion, negative: bool) -> &'static str {
    match (negative, c.plus, c.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integral(out: &mut Vec<u8>, c: Conversion, negative: bool, plus: bool, digits: String, prefix: &str) {
    let sign = sign(Conversion { plus, ..c }, negative);
    let digits = match c.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    let zero = c.zero && !c.left && c.precision.is_none();
    signed(out, c, zero, sign, prefix, &digits);
}

fn signed(out: &mut Vec<u8>, c: Conversion, zero: bool, sign: &str, prefix: &str, digits: &str) {
    let fill = if zero { c.width.saturating_sub(sign.len() + prefix.len() + digits.len()) } else { 0 };
    pad(out, c, format!("{sign}{prefix}{}{digits}", "0".repeat(fill)).as_bytes());
}

fn floating(out: &mut Vec<u8>, c: Conversion, kind: u8, value: f64) {
    let upper = kind.is_ascii_uppercase();
    let sign = sign(c, value.is_sign_negative());
    let magnitude = value.abs();
    let (digits, zero) = if magnitude.is_finite() {
        let text = match kind.to_ascii_lowercase() {
            b'f' => fixed(magnitude, c.precision.unwrap_or(6), c.alternate),
            b'e' => scientific(magnitude, c.precision.unwrap_or(6), c.alternate),
            b'g' => general(magnitude, c.precision.unwrap_or(6).max(1), c.alternate),
            _ => hexadecimal(magnitude, c.precision),
        };
        (text, c.zero && !c.left)
    } else {
        ((if value.is_nan() { "nan" } else { "inf" }).to_owned(), false)
    };
    let digits = if upper { digits.to_uppercase() } else { digits };
    signed(out, c, zero, sign, "", &digits);
}

fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

fn scientific(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, alternate: bool) -> String {
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let strip = |text: String| {
        if alternate || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent >= -4 && exponent < precision as i32 {
        strip(fixed(value, (precision as i32 - 1 - exponent) as usize, alternate))
    } else {
        let text = scientific(value, precision - 1, alternate);
        let (mantissa, tail) = text.split_at(text.find('e').unwrap_or(text.len()));
        strip(mantissa.to_owned()) + tail
    }
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    if value == 0.0 {
        let zeros = "0".repeat(precision.unwrap_or(0));
        return if zeros.is_empty() { "0x0p+0".to_owned() } else { format!("0x0.{zeros}p+0") };
    }
    let bits = value.to_bits();
    let biased = (bits >> 52) as i32;
    let (mut lead, mut exponent) = if biased == 0 { (0u64, -1022) } else { (1, biased - 1023) };
    let mut fraction = bits & ((1 << 52) - 1);
    if lead == 0 {
        let shift = fraction.leading_zeros() - 11;
        fraction = (fraction << shift) & ((1 << 52) - 1);
        lead = 1;
        exponent -= shift as i32;
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(p) if p < 13 => {
            let unit = 1u64 << (52 - 4 * p);
            let half = unit / 2;
            let rest = fraction % unit;
            let mut kept = (lead << 52 | fraction) / unit;
            let odd = kept & 1 == 1;
            kept += u64::from(rest > half || (rest == half && odd));
            lead = kept >> (4 * p);
            let low = kept & ((1 << (4 * p)) - 1);
            digits = if p == 0 { String::new() } else { format!("{low:0p$x}") };
        }
        Some(p) => digits = format!("{digits:0<p$}"),
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer that already holds values in order, whatever their offsets, and strings by address.
    struct Values(Vec<u64>, usize, Vec<u64>);

    impl Arguments for Values {
        fn argument(&mut self, offset: u64, _bytes: u8) -> Option<u64> {
            self.2.push(offset);
            self.1 += 1;
            self.0.get(self.1 - 1).copied()
        }
        fn string(&mut self, address: u64, _most: usize) -> Option<Vec<u8>> {
            (address == 1).then(|| b"text".to_vec())
        }
    }

    fn c(text: &str, values: &[u64]) -> String {
        String::from_utf8(format(text.as_bytes(), &mut Values(values.to_vec(), 0, Vec::new())).0).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(c("%d|%5d|%-5d|%05d|%+d", &[1, 2, 3, 4, 5]), "1|    2|3    |00004|+5");
        assert_eq!(c("%d %u", &[u64::from(u32::MAX), u64::from(u32::MAX)]), "-1 4294967295");
        assert_eq!(c("%lld %llu %ld", &[u64::MAX, u64::MAX, 7]), "-1 18446744073709551615 7");
        assert_eq!(c("%#x %08X %o %#o", &[255, 255, 8, 8]), "0xff 000000FF 10 010");
        assert_eq!(c("%.3d|%5.2d|%*d|%-*d|", &[7, 7, 4, 9, 4, 9]), "007|   07|   9|9   |");
        assert_eq!(c("%hhd %hd", &[0x1ff, 0x1_8000]), "-1 -32768");
    }

    #[test]
    fn a_width_floods_nothing() {
        for format in [
            "%2000000000d",
            "%99999999999999999999d",
            "%.2000000000d",
            "%.2000000000f",
            "%2000000000s",
            "%*d",
        ] {
            let written = c(format, &[u64::from(u32::MAX >> 1), 1]);
            assert!(written.len() <= 2 * 4096, "{format}: {} bytes", written.len());
        }
    }

    #[test]
    fn floats() {
        let f = |v: f64| v.to_bits();
        assert_eq!(c("%f %.2f %.0f", &[f(1.5), f(2.345), f(2.5)]), "1.500000 2.35 2");
        assert_eq!(c("%e %.1E", &[f(12345.678), f(0.00012)]), "1.234568e+04 1.2E-04");
        assert_eq!(
            c("%g %g %g %g %g", &[f(0.5), f(1e10), f(1e-5), f(100000.0), f(1e6)]),
            "0.5 1e+10 1e-05 100000 1e+06"
        );
        assert_eq!(
            c("%8.3f|%-8.3f|%08.3f|%+.1f", &[f(1.0), f(1.0), f(-1.0), f(1.0)]),
            "   1.000|1.000   |-001.000|+1.0"
        );
        assert_eq!(c("%f %5g %F", &[f(f64::INFINITY), f(f64::NAN), f(f64::NEG_INFINITY)]), "inf   nan -INF");
        assert_eq!(c("%a %.1a %a", &[f(1.0), f(1.96875), f(0.5)]), "0x1p+0 0x2.0p+0 0x1p-1");
    }

    #[test]
    fn others() {
        assert_eq!(c("%s|%6s|%-6s|%.2s|%s", &[1, 1, 1, 1, 2]), "text|  text|text  |te|(null)");
        assert_eq!(c("%c%c %p %% %y", &[65, 66, 0x10]), "AB 0x10 % %y");
        assert_eq!(c("tail %", &[]), "tail %");
    }

    #[test]
    fn arguments_are_aligned() {
        let mut values = Values(vec![0; 4], 0, Vec::new());
        format(b"%d %f %d %lld", &mut values);
        assert_eq!(values.2, [0, 8, 16, 24]);
    }
}
