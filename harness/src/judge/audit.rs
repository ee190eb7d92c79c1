//! What a kernel's PTX shows that no output does: what it keeps between launches, PTX of its
//! own, looks at the machine.
//!
//! A kernel that remembers can replay what it computed before, and one that sees the clock or the
//! multiprocessor's number can tell a timed run from another and a simulator from a GPU. Exercises that need
//! such things say so ([`Permits`]); all others fail a kernel that has them. Every check here holds for the
//! *text* of the PTX: nothing that a kernel computes can hide an instruction.
//!
//! Read line by line in the judge's own process, as `constants` is, and for the same reason.

mod clock;
mod inline;
mod macros;
mod ptx;
mod variables;
mod waits;

use std::collections::BTreeSet;

use crate::{
    exercise::Permits,
    report::{Problem, Rule},
};

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

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Audit {
    /// What the exercise permits.
    pub permitted: Vec<Problem>,
    /// What it does not.
    pub problems: Vec<Problem>,
}

/// A kernel compiled for one architecture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ptx<'a> {
    /// As the findings come from it.
    pub checked: &'a str,
    /// As the optimiser leaves it.
    pub optimised: &'a str,
}

/// Looks a kernel over, of all architectures that it was compiled for. `file` is the name that its PTX
/// has for the learner's file, `source` what that says.
pub(super) fn audit(file: &str, source: &str, compiled: &[Ptx<'_>], permits: Permits) -> Audit {
    let ptx: Vec<&str> = compiled.iter().flat_map(|ptx| [ptx.checked, ptx.optimised]).collect();
    let mut audit = Audit::default();
    let mut say = |rule: Rule, line: Option<u32>, names: Vec<String>| {
        let problem = Problem { rule, line, names };
        if permits.allow(rule) { audit.permitted.push(problem) } else { audit.problems.push(problem) }
    };
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let any = |pattern: fn(&str) -> bool| ptx.iter().any(|ptx| ptx.lines().any(pattern));
    // PTX of its own comes first: where there is some, all else may have been told wrongly.
    let own_ptx = compiled.iter().find_map(|ptx| inline::own(file, ptx.checked, ptx.optimised));
    let in_a_header = any(inline::begins).then(|| macros::that_writes_text_into_headers(source)).flatten();
    if let Some(line) = own_ptx {
        say(Rule::OwnPtx, Some(line), Vec::new());
    } else if let Some(found) = &in_a_header {
        say(Rule::Macro, Some(found.line), vec![found.name.clone()]);
    }
    let written: BTreeSet<String> = ptx.iter().flat_map(|ptx| variables::written(ptx)).collect();
    if !written.is_empty() {
        say(Rule::Variable, None, written.iter().map(|name| plain(name).to_owned()).collect());
    }
    if any(|line| line.contains(".extern .func") && (line.contains("malloc") || line.contains("free"))) {
        say(Rule::Heap, None, Vec::new());
    }
    let trusted = own_ptx.is_none() && in_a_header.is_none();
    let looks: BTreeSet<&str> = ptx.iter().flat_map(|ptx| looks(ptx)).collect();
    let (times, places): (Vec<&str>, Vec<&str>) = looks.into_iter().partition(|look| TIMES.contains(look));
    let told = compiled.iter().find_map(|ptx| clock::told(file, ptx.checked, ptx.optimised, trusted));
    if let Some(clock::Told { line }) = told {
        // Where clocks are permitted, the note is of the kernel as a whole.
        say(Rule::Clock, line.filter(|_| !permits.allow(Rule::Clock)), owned(times));
    }
    if !places.is_empty() {
        say(Rule::Machine, None, owned(places));
    }
    audit
}

impl Permits {
    fn allow(self, rule: Rule) -> bool {
        match rule {
            Rule::Variable | Rule::Heap => self.variables,
            Rule::OwnPtx | Rule::Macro => self.inline_ptx,
            Rule::Clock => self.clocks,
            Rule::Machine => false,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_exercise_permits_is_noted_and_the_rest_fails() {
        let looked = |checked: &str, permits| {
            audit(
                "kernel.cu",
                "",
                &[Ptx { checked, optimised: "" }, Ptx { checked: "", optimised: "" }],
                permits,
            )
        };
        let words = |problems: &[Problem]| crate::report::problems_in_words(problems);
        let kept = ".global .align 4 .u32 _ZL6hidden;\n.visible .entry k()\n{\n\tst.global.u32 \t[_ZL6hidden], 1;\n}\n";
        let problems = looked(kept, Permits::default()).problems;
        assert_eq!(words(&problems), "it writes to the device variable `hidden`");
        let all = looked(kept, Permits { variables: true, ..Permits::default() });
        assert!(all.problems.is_empty() && all.permitted.len() == 1, "{all:?}");
        let clock = "\tmov.u64 %rd2, %clock64;\n";
        let problems = looked(clock, Permits::default()).problems;
        assert_eq!(words(&problems), "it reads the clock (%clock64)");
        let own = "\t.loc\t1 7 9\n\t// begin inline asm\n\tbar.sync 0;\n\t// end inline asm\n\t.file\t1 \"kernel.cu\"\n";
        let problems = looked(own, Permits::default()).problems;
        assert_eq!(words(&problems), "it has PTX of its own (asm) at line 7");
        assert!(looked(own, Permits { inline_ptx: true, ..Permits::default() }).problems.is_empty());
        let place = "\tmov.u32 %r1, %smid;\n\tmov.u32 %r2, %tid.x;\n";
        let everything = Permits { clocks: true, inline_ptx: true, variables: true };
        let problems = looked(place, everything).problems;
        assert_eq!((problems[0].rule, &problems[0].names), (Rule::Machine, &vec!["%smid".to_owned()]));
    }
}
