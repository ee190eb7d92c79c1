//! Which variables in global memory a kernel may write to: what it keeps between launches.
//!
//! Addresses are followed through registers, through a function's own memory and into the functions that it
//! calls ([`flow`]), whatever the order of instructions. So a table that is only read is not written, also where it is
//! handed on by reference, nor is a virtual table. Where an address goes out of sight (into memory that others
//! see, into a function that isn't there), the variable counts as written.
//!
//! The strings that the compiler keeps for `printf` and `assert` are variables like others: what these two
//! functions are handed they read.

mod flow;

use std::collections::{BTreeMap, BTreeSet};

use super::ptx::{functions, words};

/// A module's variables.
#[derive(Default)]
struct Variables<'a> {
    /// In global memory.
    global: BTreeSet<&'a str>,
    /// By variable, in global or constant memory: whose addresses its first value has.
    pointed_to: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// What else first values name: functions.
    named: BTreeSet<&'a str>,
}

/// The variables in global memory to which some instruction may write.
pub(super) fn written(ptx: &str) -> BTreeSet<String> {
    let variables = Variables::of(ptx);
    if variables.global.is_empty() {
        return BTreeSet::new();
    }
    let functions: Vec<_> = functions(ptx).collect();
    let written = if functions.iter().all(|function| function.is_plain) {
        flow::written(&variables, &functions)
    } else {
        // What can be read in more than one way is not followed.
        let bodies = ptx.split("\n{").skip(1).map(|body| body.split("\n}").next().unwrap_or_default());
        bodies.flat_map(words).filter_map(|word| variables.global.get(word).copied()).collect()
    };
    written.into_iter().map(str::to_owned).collect()
}

impl<'a> Variables<'a> {
    fn of(ptx: &'a str) -> Self {
        let mut all = Vec::new();
        let mut variables = Variables::default();
        // Module scope: what stands in a function is indented.
        for line in ptx.lines().filter(|line| line.starts_with('.') || line.starts_with("//")) {
            let is = |space: &str| line.split_whitespace().any(|word| word == space);
            let (declaration, first_value) = line.split_once('=').unwrap_or((line, ""));
            let name = declaration.trim_end().trim_end_matches(';').split_whitespace().last();
            let name = name.and_then(|name| name.split('[').next()).unwrap_or_default();
            if name.is_empty() || !(is(".global") || is(".const")) {
                continue;
            }
            if is(".global") {
                variables.global.insert(name);
            }
            all.push((name, first_value));
        }
        for (name, first_value) in all {
            let (pointed_to, named) = words(first_value).partition(|word| variables.global.contains(word));
            variables.pointed_to.insert(name, pointed_to);
            variables.named.extend::<BTreeSet<&str>>(named);
        }
        variables
    }
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
\tcall.uni \tvprintf, (param0);
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
        let printed = PTX.replace("%rd17, $str", "%rd17, table");
        assert!(!written(&printed).contains("table"));
        assert!(written(&printed.replace("vprintf", "_Z1gPi")).contains("table"));
    }

    #[test]
    fn a_pointer_that_a_loop_moves_on_comes_to_an_end() {
        let of = |access: &str| {
            let code = format!(
                "\tmov.u64 \t%rd4, table;\n\tmov.u64 \t%rd5, %SP;\n$L__BB0_1:\n\tst.u64 \t[%rd5], %rd4;\n\t{access};\n\t\
                 add.s64 \t%rd4, %rd4, 4;\n\tadd.s64 \t%rd5, %rd5, 8;\n\t@%p1 bra \t$L__BB0_1;\n"
            );
            names(&with_string(&code).replacen("$str", "table", 1))
        };
        assert_eq!(of("ld.global.u32 \t%r1, [%rd4]"), [""; 0]);
        assert_eq!(of("st.global.u32 \t[%rd4], %r1"), ["table"]);
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
        ] {
            assert_eq!(names(&with_string(hidden)), ["$str"], "{hidden}");
        }
    }

    /// A module with a table, a function `f` of one address, and a kernel that calls it.
    fn with_function(callee: &str, caller: &str) -> String {
        format!(
            ".global .align 4 .b8 table[16] = {{1}};\n.global .align 4 .u32 other;\n.func  (.param .b64 func_retval0) f(\n\t.param .b64 f_param_0\n)\n{{\n\
             \tld.param.u64 \t%rd1, [f_param_0];\n{callee}\n\tret;\n\n}}\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n\
             \tmov.u64 \t%SPL, __local_depot1;\n\tcvta.local.u64 \t%SP, %SPL;\n\tld.param.u64 \t%rd7, [k_param_0];\n\
             \tmov.u64 \t%rd1, table;\n\tcvta.global.u64 \t%rd2, %rd1;\n{caller}\n\tret;\n\n}}\n"
        )
    }
    const CALL: &str = "\tst.param.b64 \t[param0+0], %rd2;\n\tcall.uni (retval0), \n\tf, \n\t(\n\tparam0\n\t);\n\
                        \tld.param.b64 \t%rd3, [retval0+0];";

    #[test]
    fn a_table_by_reference_is_read() {
        assert!(names(&with_function("\tld.u32 \t%r1, [%rd1+4];", CALL)).is_empty());
        assert_eq!(names(&with_function("\tst.u32 \t[%rd1+4], %r1;", CALL)), ["table"]);
        // It comes back, and then is written.
        let back = "\tadd.s64 \t%rd2, %rd1, 4;\n\tst.param.b64 \t[func_retval0+0], %rd2;";
        assert!(names(&with_function(back, CALL)).is_empty());
        assert_eq!(names(&with_function(back, &format!("{CALL}\n\tst.u32 \t[%rd3], %r1;"))), ["table"]);
        // Through a pointer to the function.
        let by_pointer = CALL.replace("\tf, ", "\t%rd9, ").replace("\n\t);", "\n\t)\n\t, prototype_0;");
        let prototype = "\tprototype_0 : .callprototype (.param .b64 _) _ (.param .b64 _);";
        let taken = format!("\tmov.u64 \t%rd9, f;\n{prototype}\n{by_pointer}");
        assert!(names(&with_function("\tld.u32 \t%r1, [%rd1];", &taken)).is_empty());
        assert_eq!(names(&with_function("\tst.u32 \t[%rd1], %r1;", &taken)), ["table"]);
        // Nobody knows what that function does.
        assert_eq!(names(&with_function("", &CALL.replace("\tf, ", "\tg, "))), ["table"]);
        let unknown = format!("\tld.u64 \t%rd9, [%rd7];\n{prototype}\n{by_pointer}");
        assert_eq!(names(&with_function("", &unknown)), ["table"]);
    }

    #[test]
    fn an_object_with_a_virtual_table_is_followed() {
        // The table's address lies in an object in own memory, whose address is handed on.
        let object = CALL.replace("%rd2", "%rd8");
        let caller = format!("\tst.u64 \t[%SP+8], %rd2;\n\tadd.u64 \t%rd8, %SP, 8;\n{object}");
        let reads = "\tld.u64 \t%rd2, [%rd1];\n\tld.u64 \t%rd3, [%rd2];";
        assert!(names(&with_function(reads, &caller)).is_empty());
        let writes = "\tld.u64 \t%rd2, [%rd1];\n\tst.u64 \t[%rd2+8], %rd3;";
        assert_eq!(names(&with_function(writes, &caller)), ["table"]);
        // Another word of the same memory is something else.
        let beside = format!(
            "\tst.u64 \t[%SP+16], %rd7;\n{caller}\n\tld.u64 \t%rd4, [%SP+16];\n\tst.u32 \t[%rd4], 1;"
        );
        assert!(names(&with_function("", &beside)).is_empty());
    }

    #[test]
    fn what_may_be_elsewhere_is_out_of_sight() {
        for caller in [
            // Where the host's memory is, the next launch finds it.
            "\tst.u64 \t[%rd7], %rd2;",
            "\tselp.b64 \t%rd8, %SP, %rd7, %p1;\n\tst.u64 \t[%rd8], %rd2;",
            "\tsub.s64 \t%rd8, %rd7, %SP;\n\tadd.s64 \t%rd9, %SP, %rd8;\n\tst.u64 \t[%rd9], %rd2;",
            "\tmov.u64 \t%rd8, %clock64;\n\tselp.b64 \t%rd9, %SP, %rd8, %p1;\n\tst.u64 \t[%rd9], %rd2;",
            "\tst.global.u64 \t[other], %rd2;",
            // Its own memory's address, and with it what lies there.
            "\tst.u64 \t[%SP+0], %rd2;\n\tst.u64 \t[%rd7], %SP;",
            "\tst.u64 \t[%SP+0], %rd2;\n\tatom.exch.b64 \t%rd8, [%SP+0], 0;\n\tst.u32 \t[%rd8], 1;",
            "\tatom.exch.b64 \t%rd8, [%rd7], %rd2;",
            "\tst.u64 \t[%SP+0], %rd2;\n\tld.u32 \t%r8, [%SP+4];\n\tmov.b64 \t%rd8, {%r9, %r8};\n\tst.u8 \t[%rd8], %r1;",
            "\tshfl.sync.bfly.b32 \t%r8|%p1, %rd2, 1, 31, -1;\n\tst.u32 \t[%r8], 1;",
        ] {
            assert!(names(&with_function("", caller)).contains(&"table".to_owned()), "{caller}");
        }
    }
}
