//! What a kernel's PTX shows that no output does: what it keeps between launches, PTX of its own, looks at the machine.
//!
//! A kernel that remembers can replay what it computed before, and one that sees the clock or the multiprocessor's
//! number can tell a timed run from another and a simulator from a GPU. Exercises that need such things say so
//! ([`Permits`]); all others fail a kernel that has them. Every check here holds for the *text* of the PTX: nothing
//! that a kernel computes can hide an instruction.
//!
//! Read line by line in the judge's own process, as `constants` is, and for the same reason. What a variable is not
//! written through here (an address that went through memory) counts as written.

use std::collections::{BTreeMap, BTreeSet};

use crate::{exercise::Permits, source};

/// Special registers by which a kernel could recognise where and when it runs.
const LOOKS: [&str; 12] = [
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%smid",
    "%nsmid",
    "%warpid",
    "%nwarpid",
    "%gridid",
    "%pm",
];
/// Among them those that tell the time.
const TIMES: [&str; 6] =
    ["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"];

/// How a source would begin to give a variable of its own the name that the compiler gives to a string.
const NAMES_OF_TEXTS: [&str; 6] = ["$s", "$#", "$\\", "__u", "_##", "_\\"];

/// What was found, in the learner's words, and what of it the exercise does not permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Audit {
    /// What is permitted, and there.
    pub notes: Vec<String>,
    /// What is not.
    pub problems: Vec<String>,
}

/// Looks a kernel over. `ptx` is every PTX of it.
pub(super) fn audit(kernel: &str, ptx: &[&str], permits: Permits) -> Audit {
    let mut audit = Audit::default();
    let mut say = |permitted: bool, what: String| {
        if permitted { audit.notes.push(what) } else { audit.problems.push(what) }
    };
    let texts = !NAMES_OF_TEXTS.iter().any(|name| kernel.contains(name));
    let written: BTreeSet<String> = ptx.iter().flat_map(|ptx| written_variables(ptx, texts)).collect();
    if !written.is_empty() {
        let names: Vec<String> = written.iter().map(|name| format!("`{}`", plain(name))).collect();
        say(permits.variables, format!("it writes to the device variable {}", names.join(", ")));
    }
    let any = |pattern: fn(&str) -> bool| ptx.iter().any(|ptx| ptx.lines().any(pattern));
    if any(|line| line.contains(".extern .func") && (line.contains("malloc") || line.contains("free"))) {
        say(
            permits.variables,
            "it uses the device's heap (malloc or new), which outlives a launch".to_owned(),
        );
    }
    if any(|line| line.contains("begin inline asm"))
        && let Some(line) = source::inline_ptx(kernel)
    {
        say(permits.inline_ptx, format!("it has PTX of its own (asm) at line {line}"));
    }
    let looks: BTreeSet<&str> = ptx.iter().flat_map(|ptx| looks(ptx)).collect();
    let (times, places): (Vec<&str>, Vec<&str>) = looks.into_iter().partition(|look| TIMES.contains(look));
    if !times.is_empty() {
        say(permits.clocks, format!("it reads the clock ({})", times.join(", ")));
    }
    if !places.is_empty() {
        say(false, format!("it looks where on the machine it runs ({})", places.join(", ")));
    }
    audit
}

/// A name as the source has it, as far as that is easily told.
fn plain(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("_ZN").or_else(|| name.strip_prefix("_ZL")) else { return name };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    match rest[..digits].parse::<usize>() {
        Ok(length) => rest.get(digits..digits + length).unwrap_or(name),
        Err(_) => name,
    }
}

fn looks(ptx: &str) -> impl Iterator<Item = &'static str> {
    let words: BTreeSet<&str> = ptx
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '%' || c == '_'))
        .filter(|word| word.starts_with('%'))
        .collect();
    LOOKS.into_iter().filter(move |look| {
        words.contains(look) || *look == "%pm" && words.iter().any(|word| is_performance_monitor(word))
    })
}

/// `%pm0` … `%pm7`, `%pm0_64`.
fn is_performance_monitor(word: &str) -> bool {
    word.strip_prefix("%pm").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The variables in global memory to which some instruction may write. With `texts`, the strings that the compiler keeps
/// for printf and assert may be handed to functions: they alone have their names.
fn written_variables(ptx: &str, texts: bool) -> BTreeSet<String> {
    let mut variables: BTreeSet<&str> = BTreeSet::new();
    for line in ptx.lines().filter(|line| line.split_whitespace().any(|word| word == ".global")) {
        let declaration = line.split('=').next().unwrap_or_default().trim_end().trim_end_matches(';');
        let name = declaration.split_whitespace().last().unwrap_or_default();
        let name = name.split('[').next().unwrap_or_default();
        let text = texts && (name.starts_with("$str") || name.starts_with("__unnamed_"));
        if !name.is_empty() && !text {
            variables.insert(name);
        }
    }
    let mut written = BTreeSet::new();
    if variables.is_empty() {
        return written;
    }
    for function in ptx.split("\n{").skip(1) {
        let body = function.split("\n}").next().unwrap_or_default();
        if words(body).any(|word| variables.contains(word)) {
            written.extend(written_in(body, &variables).into_iter().map(str::to_owned));
        }
    }
    written
}

/// The words of PTX: registers, names, numbers.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "%_$.".contains(c))).filter(|word| !word.is_empty())
}

/// Follows the variables' addresses through one function's registers, whatever the order of its instructions.
fn written_in<'a>(body: &'a str, variables: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let instructions: Vec<&str> = body
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| line.split(';'))
        .map(str::trim)
        .filter(|instruction| !instruction.is_empty() && !instruction.starts_with(".loc"))
        .collect();
    let mut holds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut written = BTreeSet::new();
    loop {
        let known = (holds.values().map(BTreeSet::len).sum::<usize>(), written.len());
        for instruction in &instructions {
            // `@%p1 st.global.u32 [%rd1+4], %r2`
            let mut text = *instruction;
            if text.starts_with('@') {
                text = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
            }
            let text = text.trim_start_matches(['{', ' ', '\t']);
            let (operation, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            let mentioned = |text: &'a str| -> BTreeSet<&'a str> {
                words(text)
                    .flat_map(|word| {
                        let own = variables.get(word).copied();
                        own.into_iter().chain(holds.get(word).into_iter().flatten().copied())
                    })
                    .collect()
            };
            if operation.starts_with("ld") || operation.starts_with("prefetch") || operation.starts_with('.')
            {
                // What was loaded is a value.
            } else if ["st", "atom", "red", "cp", "call", "multimem", "wmma.store"]
                .iter()
                .any(|writes| operation == *writes || operation.starts_with(&format!("{writes}.")))
            {
                written.extend(mentioned(operands));
            } else if let Some((to, from)) = destination(operands) {
                let found = mentioned(from);
                if !found.is_empty() {
                    for register in words(to) {
                        holds.entry(register).or_default().extend(found.iter().copied());
                    }
                }
            }
        }
        if known == (holds.values().map(BTreeSet::len).sum::<usize>(), written.len()) {
            return written;
        }
    }
}

/// Destination and sources of an instruction's operands: `%r1, %r2` or, where it writes several, `{%r1, %r2}, %rd1`.
fn destination(operands: &str) -> Option<(&str, &str)> {
    let end = if operands.trim_start().starts_with('{') { operands.find('}')? } else { 0 };
    let comma = end + operands[end..].find(',')?;
    Some((&operands[..comma], &operands[comma + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVRTC 13.0.88 writes it.
    const PTX: &str = "\
.global .align 4 .u32 course_constant_BLOCK = 256;
.global .align 4 .u32 counter;
.global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};
.global .align 4 .b8 const_table[16] = {1, 0, 0, 0, 2};
.global .align 4 .u32 _ZL6hidden;
.global .align 1 .b8 $str[7] = {104, 105};
.visible .entry k(
\t.param .u64 k_param_0
)
{
\tld.param.u64 \t%rd1, [k_param_0];
\tmov.u64 \t%rd7, table;
\tadd.s64 \t%rd9, %rd7, %rd3;
\tld.global.nc.u32 \t%r9, [%rd9];
\tmov.u64 \t%rd8, const_table;
\tadd.s64 \t%rd10, %rd8, %rd3;
\tst.global.u32 \t[%rd10+4], %r9;
\tld.global.u32 \t%r4, [counter];
\t@%p1 st.global.u32 \t[_ZL6hidden], %r5;
\tmov.u64 \t%rd17, $str;
\tst.param.b64 \t[param0], %rd17;
\tst.global.f32 \t[%rd1], %f7;
}
";

    #[test]
    fn an_address_in_two_halves_is_followed() {
        let body = "\tmov.u64 %rd1, counter;\n\tmov.b64 {%r1, %r2}, %rd1;\n\tmov.b64 %rd2, {%r9, %r2};\n\tst.u32 [%rd2], 1;\n";
        let ptx = format!(".global .align 4 .u32 counter;\n.visible .entry k()\n{{\n{body}\n}}\n");
        assert_eq!(written_variables(&ptx, true), BTreeSet::from(["counter".to_owned()]));
    }

    #[test]
    fn only_what_is_written_to_is_found_also_through_registers() {
        let written: Vec<String> = written_variables(PTX, true).into_iter().collect();
        assert_eq!(written, ["_ZL6hidden", "const_table"]);
        let atomic = PTX.replace("ld.global.u32 \t%r4, [counter]", "atom.global.add.u32 \t%r4, [counter], 1");
        assert!(written_variables(&atomic, true).contains("counter"));
        // An address that leaves through memory or a call is out of sight.
        let escaped = PTX.replace("%rd17, $str", "%rd17, table");
        assert!(written_variables(&escaped, true).contains("table"));
        // A variable of the learner's in a string's clothes.
        assert!(written_variables(PTX, false).contains("$str"));
    }

    #[test]
    fn what_an_exercise_permits_is_noted_and_the_rest_fails() {
        let none = audit("", &[PTX], Permits::default());
        assert_eq!(none.problems, ["it writes to the device variable `hidden`, `const_table`"]);
        let all = audit("", &[PTX], Permits { variables: true, ..Permits::default() });
        assert!(all.problems.is_empty() && all.notes.len() == 1, "{all:?}");
        let clock = "// begin inline asm\n\tmov.u64 %rd2, %clock64;\n// end inline asm\n";
        assert_eq!(
            audit("clock64()", &[clock], Permits::default()).problems,
            ["it reads the clock (%clock64)"]
        );
        let own = audit("asm(\"\")", &[clock], Permits { clocks: true, ..Permits::default() });
        assert_eq!(own.problems, ["it has PTX of its own (asm) at line 1"]);
        let place = "\tmov.u32 %r1, %smid;\n\tmov.u32 %r2, %tid.x;\n";
        assert!(
            audit("", &[place], Permits { clocks: true, inline_ptx: true, variables: true }).problems[0]
                .contains("%smid")
        );
    }
}
