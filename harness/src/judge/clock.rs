//! A clock that runs faster, to tell a measurement from a formula.
//!
//! What a kernel says it has measured could as well be computed: the simulator's clock is exact and so is arithmetic.
//! So the checked pass, which runs each plan a second time, runs it with another clock. Times that were read from it grow
//! with it; times that were made up don't.

/// So many times as fast runs the clock of the checked pass: a power of two.
pub(super) const FACTOR: u64 = 1 << SHIFT;
const SHIFT: u32 = 3;

/// The PTX with every reading of a clock multiplied. Times that are read in other ways than a `mov` of their own line, as
/// compilers write them, stay as they are, and then do not grow as they should.
pub(super) fn stretched(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len() + ptx.len() / 16);
    for line in ptx.split_inclusive('\n') {
        text.push_str(line);
        if let Some((bits, register)) = reading(line) {
            text.push_str(&format!("\tshl.b{bits} \t{register}, {register}, {SHIFT};\n"));
        }
    }
    text
}

/// Width and register of `mov.u64 %rd2, %clock64;`
fn reading(line: &str) -> Option<(u32, &str)> {
    let mut words = line.split_whitespace();
    let bits = match words.next()? {
        "mov.u64" | "mov.b64" => 64,
        "mov.u32" | "mov.b32" => 32,
        _ => return None,
    };
    let register = words.next()?.strip_suffix(',')?;
    let clock = matches!(words.next()?, "%clock64;" | "%clock;");
    (clock && register.starts_with('%') && words.next().is_none()).then_some((bits, register))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_of_the_clock_are_multiplied_and_nothing_else() {
        let ptx = "\t// begin inline asm\n\tmov.u64 \t%rd2, %clock64;\n\t// end\n\tmov.u32 %r1, %clock;\n\tmov.u32 %r2, %tid.x;\n";
        assert_eq!(
            stretched(ptx),
            "\t// begin inline asm\n\tmov.u64 \t%rd2, %clock64;\n\tshl.b64 \t%rd2, %rd2, 3;\n\t// end\n\
             \tmov.u32 %r1, %clock;\n\tshl.b32 \t%r1, %r1, 3;\n\tmov.u32 %r2, %tid.x;\n"
        );
    }
}
