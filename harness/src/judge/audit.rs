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

use crate::exercise::Permits;

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

/// Something that a kernel may not do unless its exercise permits it.
struct Rule {
    /// How its words begin.
    begins: &'static str,
    /// What to do instead, a sentence.
    instead: &'static str,
}

const VARIABLE: Rule = Rule {
    begins: "it writes to the device variable",
    instead: "Every launch must compute its result from its arguments: use a local variable, `__shared__` memory or a \
              parameter.",
};
const HEAP: Rule = Rule {
    begins: "it uses the device's heap (malloc or new), which outlives a launch",
    instead: "Use local variables or `__shared__` memory.",
};
const OWN_PTX: Rule = Rule {
    begins: "it has PTX of its own (asm)",
    instead: "Use an intrinsic function or an operator instead (such as `__ldcs(p)` for `ld.global.cs`); inline PTX is \
              accepted only where an exercise needs it.",
};
const MACRO: Rule = Rule {
    begins: "its macro",
    instead: "Define macros that have text or `#` in them below the last `#include`.",
};
const CLOCK: Rule = Rule {
    begins: "it reads the clock",
    instead: "A result must not depend on when it is computed. Wait without a time limit (`__syncthreads()`, \
              `barrier.arrive_and_wait()`): those with one, such as `try_wait_for`, tell the time.",
};
const MACHINE: Rule = Rule {
    begins: "it looks where on the machine it runs",
    instead: "A result must not depend on where it is computed: use `threadIdx`, `blockIdx` and their kind.",
};
const RULES: [Rule; 6] = [VARIABLE, HEAP, OWN_PTX, MACRO, CLOCK, MACHINE];

/// What to do about what is not permitted, from the words of [`Audit::problems`]: about the first of them.
pub(super) fn instead(problems: &str) -> String {
    let known = RULES.iter().filter_map(|rule| Some((problems.find(rule.begins)?, rule.instead)));
    let instead = known.min().map_or(String::new(), |(_, instead)| format!(" {instead}"));
    format!("Not permitted here: {problems}.{instead}")
}

/// What was found, in the learner's words, and what of it the exercise does not permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Audit {
    /// What is permitted, and there.
    pub notes: Vec<String>,
    /// What is not.
    pub problems: Vec<String>,
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
    let mut say = |permitted: bool, what: String| {
        if permitted { audit.notes.push(what) } else { audit.problems.push(what) }
    };
    let written: BTreeSet<String> = ptx.iter().flat_map(|ptx| variables::written(ptx)).collect();
    if !written.is_empty() {
        let names: Vec<String> = written.iter().map(|name| format!("`{}`", plain(name))).collect();
        say(permits.variables, format!("{} {}", VARIABLE.begins, names.join(", ")));
    }
    let any = |pattern: fn(&str) -> bool| ptx.iter().any(|ptx| ptx.lines().any(pattern));
    if any(|line| line.contains(".extern .func") && (line.contains("malloc") || line.contains("free"))) {
        say(permits.variables, HEAP.begins.to_owned());
    }
    let own_ptx = compiled.iter().find_map(|ptx| inline::own(file, ptx.checked, ptx.optimised));
    let in_a_header = any(inline::begins).then(|| macros::that_writes_text_into_headers(source)).flatten();
    if let Some(line) = own_ptx {
        say(permits.inline_ptx, format!("{} at line {line}", OWN_PTX.begins));
    } else if let Some(found) = &in_a_header {
        let (name, line) = (&found.name, found.line);
        say(
            permits.inline_ptx,
            format!("{} `{name}` at line {line} can write PTX into a header", MACRO.begins),
        );
    }
    let trusted = own_ptx.is_none() && in_a_header.is_none();
    let looks: BTreeSet<&str> = ptx.iter().flat_map(|ptx| looks(ptx)).collect();
    let (times, places): (Vec<&str>, Vec<&str>) = looks.into_iter().partition(|look| TIMES.contains(look));
    let told = compiled.iter().find_map(|ptx| clock::told(file, ptx.checked, ptx.optimised, trusted));
    if let Some(clock::Told { line }) = told {
        let line = line.filter(|_| !permits.clocks);
        let at = line.map_or(String::new(), |line| format!(" at line {line}"));
        say(permits.clocks, format!("{} ({}){at}", CLOCK.begins, times.join(", ")));
    }
    if !places.is_empty() {
        say(false, format!("{} ({})", MACHINE.begins, places.join(", ")));
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
        let kept = ".global .align 4 .u32 _ZL6hidden;\n.visible .entry k()\n{\n\tst.global.u32 \t[_ZL6hidden], 1;\n}\n";
        assert_eq!(looked(kept, Permits::default()).problems, ["it writes to the device variable `hidden`"]);
        let all = looked(kept, Permits { variables: true, ..Permits::default() });
        assert!(all.problems.is_empty() && all.notes.len() == 1, "{all:?}");
        let clock = "\tmov.u64 %rd2, %clock64;\n";
        assert_eq!(looked(clock, Permits::default()).problems, ["it reads the clock (%clock64)"]);
        let own = "\t.loc\t1 7 9\n\t// begin inline asm\n\tbar.sync 0;\n\t// end inline asm\n\t.file\t1 \"kernel.cu\"\n";
        assert_eq!(looked(own, Permits::default()).problems, ["it has PTX of its own (asm) at line 7"]);
        assert!(looked(own, Permits { inline_ptx: true, ..Permits::default() }).problems.is_empty());
        let place = "\tmov.u32 %r1, %smid;\n\tmov.u32 %r2, %tid.x;\n";
        assert!(
            looked(place, Permits { clocks: true, inline_ptx: true, variables: true }).problems[0]
                .contains("%smid")
        );
    }
}
