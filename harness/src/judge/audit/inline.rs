//! Inline PTX (`asm`), and whose it is: the toolkit's headers have much of their own.
//!
//! The source says it badly: a macro of the learner's or of a header can write the word, and what is a
//! comment is the preprocessor's secret. The PTX says it well. Unoptimised, a header's inline PTX has a
//! line of that header, whatever called it, the functions that are built into the compiler have no lines at
//! all, and everything else has; the compiler puts them there, and a `#line` is refused before. Optimised,
//! what was inlined may have its caller's line, but what the toolkit wrote there it also wrote in the
//! unoptimised PTX of the same source.

use std::collections::{BTreeMap, BTreeSet};

/// One inline PTX.
struct Inline {
    /// Its instructions, without the numbers of registers and labels.
    text: String,
    /// It has a line of the learner's file, or of no file that can be told.
    own: bool,
    /// The line (from 1); 0 where there is none.
    line: u32,
}

/// The line (from 1) of the first inline PTX that is the learner's; 0 where there is one and nothing says
/// where. `file` is the name that the PTX has for the learner's file.
pub(super) fn own(file: &str, checked: &str, optimised: &str) -> Option<u32> {
    let in_checked = inlines(file, checked);
    if let Some(own) = in_checked.iter().find(|inline| inline.own) {
        return Some(own.line);
    }
    let known: BTreeSet<&str> = in_checked.iter().map(|inline| inline.text.as_str()).collect();
    let in_optimised = inlines(file, optimised);
    in_optimised.iter().find(|inline| !known.contains(inline.text.as_str())).map(|inline| inline.line)
}

/// The line begins inline PTX.
pub(super) fn begins(line: &str) -> bool {
    line.contains("begin inline asm")
}

fn inlines(file: &str, ptx: &str) -> Vec<Inline> {
    let own_files = own_files(file, ptx);
    let mut found = Vec::new();
    let mut place: Option<(bool, u32)> = None;
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('{') {
            // Another function.
            place = None;
        } else if let Some(rest) = line.trim_start().strip_prefix(".loc") {
            // Of code that was inlined, the innermost place comes first.
            let mut words = rest.split_whitespace();
            let own = words.next().and_then(|number| own_files.get(number).copied()).unwrap_or(true);
            place = Some((own, words.next().and_then(|line| line.parse().ok()).unwrap_or(0)));
        } else if begins(line) {
            let text: Vec<String> = lines
                .by_ref()
                .take_while(|line| !line.contains("end inline asm"))
                .map(without_numbers)
                .collect();
            // Without a file there are no lines at all to tell by.
            let (own, line) = place.unwrap_or((own_files.is_empty(), 0));
            found.push(Inline { text: text.join("\n"), own, line });
        }
    }
    found
}

/// By number: whether a file is the learner's. What cannot be read is.
pub(super) fn own_files<'a>(file: &str, ptx: &'a str) -> BTreeMap<&'a str, bool> {
    let escaped = file.replace('\\', "\\\\").replace('"', "\\\"");
    let is_own = |quoted: &str| Some(quoted.split_once('"')?.1.rsplit_once('"')?.0 == escaped);
    ptx.lines()
        .filter_map(|line| line.trim().strip_prefix(".file")?.trim_start().split_once(char::is_whitespace))
        .map(|(number, quoted)| (number, is_own(quoted).unwrap_or(true)))
        .collect()
}

fn without_numbers(line: &str) -> String {
    line.trim().chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "learn/03-reduction/kernel.cu";
    const HEADER: &str = "/include/cooperative_groups.h";

    /// Inline PTX at line 3 of a file, as NVRTC 13.0.88 writes it.
    fn at(file: &str, instruction: &str) -> String {
        format!(
            "{{\n\t.loc\t2 7 0\n\t.loc\t1 3 28, function_name $L__info_string0, inlined_at 2 9 5\n\t// begin inline asm\n\
             \t{instruction}\n\t// end inline asm\n}}\n\t.file\t1 \"{file}\"\n\t.file\t2 \"learn/header\"\n"
        )
    }

    #[test]
    fn it_is_whose_file_it_comes_from() {
        assert_eq!(own(FILE, &at(FILE, "mov.u32 %r1, 7;"), ""), Some(3));
        assert_eq!(own(FILE, &at(HEADER, "mov.u32 %r1, 7;"), ""), None);
        // What says nothing of where it comes from.
        assert_eq!(own(FILE, "{\n\t// begin inline asm\n", ""), Some(0));
        assert_eq!(own(FILE, &at(HEADER, "bar.sync 0;").replace(".loc\t1 3", ".loc\t5 3"), ""), Some(3));
        // A function that is built in, after one of the learner's.
        let built_in = "{\n\t.loc\t1 3 28\n\tret;\n}\n{\n\t// begin inline asm\n}\n";
        assert_eq!(own(FILE, &format!("{built_in}\t.file\t1 \"{FILE}\"\n"), ""), None);
        let strange = r#"a"b\c/kernel.cu"#;
        assert_eq!(own(strange, &at(r#"a\"b\\c/kernel.cu"#, "bar.sync 0;"), ""), Some(3));
    }

    #[test]
    fn what_the_optimiser_leaves_must_be_known() {
        let known = at(HEADER, "ld.global.cg.s32 %r7, [%rd3];");
        assert_eq!(own(FILE, &known, &at(FILE, "ld.global.cg.s32 %r37, [%rd32];")), None);
        // Code that only the optimiser takes to be alive.
        assert_eq!(own(FILE, &known, &at(FILE, "mov.u32 %r37, %clock;")), Some(3));
        assert_eq!(own(FILE, "", &at(FILE, "bar.sync 0;")), Some(3));
    }
}
