//! Which variables in global memory a kernel may write to: what it keeps between launches.
//!
//! Addresses are followed through a function's registers, whatever the order of its instructions. Where one
//! goes out of sight (into memory, into another function, into the first value of another variable), the
//! variable counts as written.
//!
//! The strings that the compiler keeps for `printf` and `assert` are variables too. Their names prove
//! nothing, for a macro can give them to a variable of the learner's; so they are strings for what is done
//! with them: they may be handed to the two functions that take them, also by way of the function's own
//! memory, where the values of `%s` lie.

use std::collections::{BTreeMap, BTreeSet};

use super::ptx::words;

/// How the names of strings begin.
const TEXTS: [&str; 2] = ["$str", "__unnamed_"];

/// The functions that are handed strings.
const TAKE_TEXTS: [&str; 2] = ["vprintf", "__assertfail"];

/// What stands for all of a function's own memory, the variable `__local_depot3`.
const OWN_MEMORY: &str = "__local_depot";

/// Where a result is put before a function returns, `func_retval0`.
const RESULT: &str = "func_retval";

/// The variables in global memory to which some instruction may write.
pub(super) fn written(ptx: &str) -> BTreeSet<String> {
    // Module scope: what stands in a function is indented.
    let declarations = || {
        ptx.lines().filter(|line| line.starts_with('.') || line.starts_with("//")).filter_map(|line| {
            let is = |space: &str| line.split_whitespace().any(|word| word == space);
            let (declaration, first_value) = line.split_once('=').unwrap_or((line, ""));
            let name = declaration.trim_end().trim_end_matches(';').split_whitespace().last()?;
            let name = name.split('[').next().unwrap_or_default();
            (is(".global") || is(".const")).then_some((is(".global"), name, first_value))
        })
    };
    let variables: BTreeSet<&str> = declarations()
        .filter(|(global, name, _)| *global && !name.is_empty())
        .map(|(_, name, _)| name)
        .collect();
    if variables.is_empty() {
        return BTreeSet::new();
    }
    let pointed_to = declarations().flat_map(|(_, _, first_value)| words(first_value));
    let mut written: BTreeSet<&str> = pointed_to.filter_map(|word| variables.get(word).copied()).collect();
    for function in ptx.split("\n{").skip(1) {
        let body = function.split("\n}").next().unwrap_or_default();
        if words(body).any(|word| variables.contains(word)) {
            written.extend(Function::of(body, &variables).written());
        }
    }
    written.into_iter().map(str::to_owned).collect()
}

fn is_text(name: &str) -> bool {
    TEXTS.iter().any(|prefix| name.starts_with(prefix))
}

/// One function, as far as addresses have been followed through it.
struct Function<'a> {
    variables: &'a BTreeSet<&'a str>,
    instructions: Vec<&'a str>,
    /// By register: the variables whose addresses it may hold, and [`OWN_MEMORY`].
    holds: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Strings whose addresses lie in the function's own memory.
    parked: BTreeSet<&'a str>,
    written: BTreeSet<&'a str>,
}

impl<'a> Function<'a> {
    fn of(body: &'a str, variables: &'a BTreeSet<&'a str>) -> Self {
        let instructions = body
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .flat_map(|line| line.split(';'))
            .map(str::trim)
            .filter(|instruction| !instruction.is_empty() && !instruction.starts_with(".loc"))
            .collect();
        Function {
            variables,
            instructions,
            holds: BTreeMap::new(),
            parked: BTreeSet::new(),
            written: BTreeSet::new(),
        }
    }

    fn written(mut self) -> BTreeSet<&'a str> {
        loop {
            let size = |function: &Self| {
                let held: usize = function.holds.values().map(BTreeSet::len).sum();
                (held, function.parked.len(), function.written.len())
            };
            let known = size(&self);
            self.follow();
            if known == size(&self) {
                return self.written;
            }
        }
    }

    /// What the words of a text stand for or hold.
    fn mentioned(&self, text: &'a str) -> BTreeSet<&'a str> {
        words(text)
            .flat_map(|word| {
                let own = word.starts_with(OWN_MEMORY).then_some(OWN_MEMORY);
                let named = self.variables.get(word).copied().or(own);
                named.into_iter().chain(self.holds.get(word).into_iter().flatten().copied())
            })
            .collect()
    }

    fn write(&mut self, found: BTreeSet<&'a str>) {
        self.written.extend(found.into_iter().filter(|&name| name != OWN_MEMORY));
    }

    /// Goes through all instructions once.
    fn follow(&mut self) {
        // What the next call is handed.
        let mut handed: BTreeSet<&str> = BTreeSet::new();
        let mut calling = false;
        for index in 0..self.instructions.len() {
            // `@%p1 st.global.u32 [%rd1+4], %r2`
            let mut text = self.instructions[index];
            if text.starts_with('@') {
                text = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
            }
            let text = text.trim_start_matches(['{', ' ', '\t']);
            let (operation, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            let is = |what: &str| operation == what || operation.starts_with(&format!("{what}."));
            if calling {
                // `call.uni (retval0),` is followed by lines of its own: the function, the parameters.
                calling = !self.call(text, &mut handed);
            } else if is("call") {
                let found = self.mentioned(operands);
                self.write(found);
                let after_results = operands.split_once(')').map_or(operands, |(_, rest)| rest);
                calling = !self.call(after_results, &mut handed);
            } else if is("st.param") {
                let found = self.mentioned(operands);
                let (texts, others): (BTreeSet<&str>, BTreeSet<&str>) =
                    found.into_iter().partition(|name| is_text(name) || *name == OWN_MEMORY);
                self.write(others);
                if operands.contains(RESULT) {
                    self.write(texts);
                } else {
                    handed.extend(texts);
                }
            } else if is("st") {
                let (address, value) = operands.split_once(']').unwrap_or((operands, ""));
                let address = self.mentioned(address);
                let own = address.len() == 1 && address.contains(OWN_MEMORY);
                let (texts, others): (BTreeSet<&str>, BTreeSet<&str>) =
                    self.mentioned(value).into_iter().partition(|name| own && is_text(name));
                self.parked.extend(texts);
                self.write(address);
                self.write(others);
            } else if ["atom", "red", "cp", "multimem", "wmma.store"].iter().any(|writes| is(writes)) {
                let found = self.mentioned(operands);
                self.write(found);
            } else if is("ld") {
                // What was loaded is a value, unless addresses lie there.
                let from = destination(operands).map(|(_, from)| self.mentioned(from)).unwrap_or_default();
                if from.contains(OWN_MEMORY) && !self.parked.is_empty() {
                    let parked = self.parked.clone();
                    self.hold(operands, parked);
                }
            } else if !operation.starts_with("prefetch")
                && !operation.starts_with('.')
                && let Some((_, from)) = destination(operands)
            {
                let found = self.mentioned(from);
                self.hold(operands, found);
            }
        }
    }

    /// The destinations of an instruction hold what was found.
    fn hold(&mut self, operands: &'a str, found: BTreeSet<&'a str>) {
        if let Some((to, _)) = destination(operands).filter(|_| !found.is_empty()) {
            for register in words(to) {
                self.holds.entry(register).or_default().extend(found.iter().copied());
            }
        }
    }

    /// Looks for the name of the function that is called. True if it is there.
    fn call(&mut self, text: &'a str, handed: &mut BTreeSet<&'a str>) -> bool {
        let Some(function) = words(text).next() else { return false };
        let handed = std::mem::take(handed);
        if !TAKE_TEXTS.contains(&function) {
            if handed.contains(OWN_MEMORY) {
                let parked = self.parked.clone();
                self.write(parked);
            }
            self.write(handed);
        }
        true
    }
}

/// Destination and sources of an instruction's operands: `%r1, %r2` or, where it writes
/// several, `{%r1, %r2}, %rd1`.
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

    fn names(ptx: &str) -> Vec<String> {
        written(ptx).into_iter().collect()
    }

    #[test]
    fn an_address_in_two_halves_is_followed() {
        let body = "\tmov.u64 %rd1, counter;\n\tmov.b64 {%r1, %r2}, %rd1;\n\tmov.b64 %rd2, {%r9, %r2};\n\tst.u32 [%rd2], 1;\n";
        let ptx = format!(".global .align 4 .u32 counter;\n.visible .entry k()\n{{\n{body}\n}}\n");
        assert_eq!(names(&ptx), ["counter"]);
    }

    #[test]
    fn only_what_is_written_to_is_found_also_through_registers() {
        assert_eq!(names(PTX), ["_ZL6hidden", "const_table"]);
        let atomic = PTX.replace("ld.global.u32 \t%r4, [counter]", "atom.global.add.u32 \t%r4, [counter], 1");
        assert!(written(&atomic).contains("counter"));
        // An address that leaves through memory or a call is out of sight.
        let escaped = PTX.replace("%rd17, $str", "%rd17, table");
        assert!(written(&escaped).contains("table"));
    }

    #[test]
    fn an_address_in_another_variable_is_out_of_sight() {
        for pointer in [
            ".global .align 8 .u64 p = generic(counter);",
            ".const .align 8 .u64 p[2] = {generic(counter), 0};",
        ] {
            let body = "\tmov.u64 %rd2, p;\n\tld.u64 %rd4, [%rd2];\n\tst.u32 [%rd4], 1;\n";
            let ptx =
                format!(".global .align 4 .u32 counter;\n{pointer}\n.visible .entry k()\n{{\n{body}\n}}\n");
            assert_eq!(names(&ptx), ["counter"]);
        }
    }

    /// A kernel with a string, which its code reads as `%rd3`, and memory of its own.
    fn with_string(code: &str) -> String {
        format!(
            ".global .align 1 .b8 $str[4] = {{97, 98, 99}};\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n\
             \tmov.u64 \t%SPL, __local_depot0;\n\tcvta.local.u64 \t%SP, %SPL;\n\
             \tmov.u64 \t%rd2, $str;\n\tcvta.global.u64 \t%rd3, %rd2;\n{code}\n}}\n"
        )
    }

    #[test]
    fn a_string_is_one_for_what_is_done_with_it() {
        // `printf("%s", "abc")` of NVRTC 13.0.88.
        let printed = "\tst.u64 \t[%SP+0], %rd3;\n\tadd.u64 \t%rd6, %SP, 0;\n\t{ // callseq 0, 0\n\t.param .b64 param0;\n\
                       \tst.param.b64 \t[param0+0], %rd3;\n\t.param .b64 param1;\n\tst.param.b64 \t[param1+0], %rd6;\n\
                       \tcall.uni (retval0), \n\tvprintf, \n\t(\n\tparam0, \n\tparam1\n\t);\n\t} // callseq 0";
        assert!(names(&with_string(printed)).is_empty());
        let asserted = printed.replace("vprintf", "__assertfail");
        assert!(names(&with_string(&asserted)).is_empty());
        let one_line = "\tst.param.b64 \t[param0+0], %rd3;\n\tcall.uni (retval0), vprintf, (param0);";
        assert!(names(&with_string(one_line)).is_empty());
        for hidden in [
            "\tst.u8 \t[%rd3+1], %rs1;",
            "\tatom.global.add.u32 \t%r1, [%rd2], 1;",
            // Into memory that is not the function's own.
            "\tst.global.u64 \t[%rd9], %rd3;",
            "\tst.u64 \t[%rd9], %rd3;",
            // Into its own memory and back.
            "\tst.u64 \t[%SP+0], %rd3;\n\tld.u64 \t%rd7, [%SP+0];\n\tst.u8 \t[%rd7], %rs1;",
            "\tadd.u64 \t%rd6, %SP, 8;\n\tst.local.u64 \t[%rd6], %rd3;\n\tld.local.u32 \t%r7, [%SPL+8];\n\
             \tmov.b64 \t%rd7, {%r7, %r8};\n\tst.u8 \t[%rd7], %rs1;",
            // Into a function of the learner's, and out of one.
            &printed.replace("vprintf", "_Z1gPc"),
            &one_line.replace("vprintf", "_Z1gPc"),
            "\tst.u64 \t[%SP+0], %rd3;\n\tst.param.b64 \t[param0+0], %SP;\n\tcall.uni \n\t_Z1gPPc, \n\t(\n\tparam0\n\t);",
            "\tst.param.b64 \t[func_retval0+0], %rd3;",
        ] {
            assert_eq!(names(&with_string(hidden)), ["$str"], "{hidden}");
        }
    }
}
