//! What comes of the time that a function reads: nothing, if it decides no more than how long a thread sleeps.
//!
//! Two kinds of registers are followed, whatever the order of instructions. A *time* is what the clock
//! said; only two things may be done with it: keep it, and take the difference of two. An *elapsed* time may be
//! computed with, slept for, and may decide a branch whose ways meet again having done nothing but such
//! computing and sleeping; what is computed on such a way counts as elapsed time too. So a
//! learner gets no more out of it than out of a sleep of some fixed length.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::ptx::{Function, Operation, functions};

/// A time that is told.
pub(super) struct Leak {
    /// Where in the PTX, in bytes, what tells it begins.
    pub before: usize,
}

/// The first place where the time is told, of all functions.
pub(super) fn leak(ptx: &str) -> Option<Leak> {
    if !is_understood(ptx) {
        return Some(Leak { before: 0 });
    }
    functions(ptx).filter(reads).find_map(|function| Flow::of(&function).leak())
}

/// Every reading of the clock is an operation of a function that was read without doubt.
pub(super) fn is_understood(ptx: &str) -> bool {
    let mut seen = 0;
    for function in functions(ptx).filter(reads) {
        if !function.is_plain {
            return false;
        }
        seen += function.operations.iter().map(|operation| times_in(operation.text)).sum::<usize>();
    }
    seen == times_in(ptx)
}

fn reads(function: &Function<'_>) -> bool {
    function.operations.iter().any(|operation| times_in(operation.text) > 0)
}

/// How often registers of the time stand in a text, comments included.
pub(super) fn times_in(text: &str) -> usize {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || "%_".contains(c));
    text.split(is_end).filter(|word| super::TIMES.contains(word)).count()
}

/// Instructions that compute their first operand from the others, and do nothing else.
const COMPUTES: [&str; 33] = [
    "abs", "add", "and", "bfe", "bfi", "brev", "clz", "cnot", "copysign", "cvt", "cvta", "div", "fma",
    "lop3", "mad", "max", "min", "mov", "mul", "neg", "not", "or", "popc", "prmt", "rem", "selp", "set",
    "setp", "shf", "shl", "shr", "sub", "xor",
];

/// As many operations as the ways of a branch may have.
const LONGEST_WAYS: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TimeKind {
    Elapsed,
    Time,
}

struct Flow<'a> {
    operations: &'a [Operation<'a>],
    /// Where they stand; those that stand in two scopes nowhere.
    labels: BTreeMap<&'a str, Option<usize>>,
    holds: BTreeMap<&'a str, TimeKind>,
    /// Operations on a way that an elapsed time has decided.
    decided: BTreeSet<usize>,
    /// The branches that decided them.
    deciding: BTreeSet<usize>,
}

impl<'a> Flow<'a> {
    fn of(function: &'a Function<'a>) -> Self {
        let operations = &function.operations[..];
        let mut labels = BTreeMap::new();
        for (index, operation) in operations.iter().enumerate() {
            if let Some(label) = operation.label() {
                labels.entry(label).and_modify(|known| *known = None).or_insert(Some(index));
            }
        }
        Flow {
            operations,
            labels,
            holds: BTreeMap::new(),
            decided: BTreeSet::new(),
            deciding: BTreeSet::new(),
        }
    }

    fn leak(mut self) -> Option<Leak> {
        let size = |flow: &Self| {
            let times = flow.holds.values().filter(|&&kind| kind == TimeKind::Time).count();
            (flow.holds.len(), times, flow.decided.len())
        };
        loop {
            let known = size(&self);
            for index in 0..self.operations.len() {
                if !self.follow(index) {
                    return Some(Leak { before: self.operations[index].at });
                }
            }
            if known == size(&self) {
                break;
            }
        }
        // The difference of two times must be one on every way: what holds a time never holds anything else.
        let mixed = |operation: &&Operation<'a>| {
            let (to, from) = split(operation);
            let holds_time = words(to).any(|register| self.holds.get(register) == Some(&TimeKind::Time));
            holds_time && !is_reading(operation) && !(is_copy(operation) && self.only_times(from))
        };
        self.operations.iter().find(mixed).map(|operation| Leak { before: operation.at })
    }

    /// Follows one operation; false where it tells the time.
    fn follow(&mut self, index: usize) -> bool {
        let operations = self.operations;
        let operation = &operations[index];
        let guard = operation.guard.and_then(|guard| self.holds.get(guard)).copied();
        let (to, from) = split(operation);
        if operation.label().is_some() {
            return true;
        }
        if is_reading(operation) {
            self.hold(to, TimeKind::Time);
            return guard.is_none();
        }
        if times_in(operation.text) > 0 {
            return false;
        }
        if is(operation, "bra") {
            return guard.is_none() || self.decide(index);
        }
        if !computes(operation) {
            let used = self.most_telling(operation.operands()).max(guard);
            return used.is_none() || used == Some(TimeKind::Elapsed) && is(operation, "nanosleep");
        }
        let computed = match self.most_telling(from) {
            Some(TimeKind::Time) if guard.is_none() && is_copy(operation) => Some(TimeKind::Time),
            Some(TimeKind::Time) if is(operation, "sub") && self.only_times(from) => Some(TimeKind::Elapsed),
            Some(TimeKind::Time) => return false,
            _ if self.decided.contains(&index) => Some(TimeKind::Elapsed),
            used => used.max(guard),
        };
        if let Some(kind) = computed {
            self.hold(to, kind);
        }
        true
    }

    /// Registers may hold this.
    fn hold(&mut self, to: &'a str, kind: TimeKind) {
        for register in words(to) {
            let held = self.holds.entry(register).or_insert(kind);
            *held = kind.max(*held);
        }
    }

    fn most_telling(&self, operands: &str) -> Option<TimeKind> {
        words(operands).filter_map(|word| self.holds.get(word)).max().copied()
    }

    fn only_times(&self, operands: &str) -> bool {
        words(operands).all(|word| self.holds.get(word) == Some(&TimeKind::Time))
    }

    /// Marks what a branch decides that an elapsed time decides. False unless its ways meet again, having done
    /// nothing but computing and sleeping.
    fn decide(&mut self, branch: usize) -> bool {
        if !self.deciding.insert(branch) {
            return true;
        }
        let ways = self.ways(branch, None);
        let mut ends = ways.keys().filter(|&&index| !self.is_harmless(index)).copied();
        let (Some(end), None) = (ends.next(), ends.next()) else { return false };
        if end >= self.operations.len() {
            return false;
        }
        // What all ways lead through lies on any of them: from the end back along one.
        let mut one_way = vec![end];
        while let Some(&Some(before)) = one_way.last().and_then(|last| ways.get(last)) {
            one_way.push(before);
        }
        let all_lead_through = |at: &&usize| **at == end || !self.ways(branch, Some(**at)).contains_key(&end);
        let Some(&meeting) = one_way.iter().rev().find(all_lead_through) else { return false };
        let between = self.ways(branch, Some(meeting));
        self.decided.extend(between.keys().filter(|&&index| index != meeting));
        ways.len() <= LONGEST_WAYS
    }

    /// What can come after a branch, up to the first operations that are not harmless (these included), and no
    /// further than `until`: each with what came before it on the shortest way.
    fn ways(&self, branch: usize, until: Option<usize>) -> BTreeMap<usize, Option<usize>> {
        let mut ways = BTreeMap::new();
        let mut open: VecDeque<(usize, Option<usize>)> = self.next(branch).map(|next| (next, None)).collect();
        while let Some((index, before)) = open.pop_front() {
            if ways.len() > LONGEST_WAYS || ways.contains_key(&index) {
                continue;
            }
            ways.insert(index, before);
            if self.is_harmless(index) && until != Some(index) {
                open.extend(self.next(index).map(|next| (next, Some(index))));
            }
        }
        ways
    }

    /// What can be next; an index beyond the last operation is the function's end, or a label that is unknown.
    fn next(&self, index: usize) -> impl Iterator<Item = usize> {
        let operation = self.operations.get(index).filter(|operation| is(operation, "bra"));
        let target = operation.map(|branch| {
            self.labels.get(branch.operands().trim()).copied().flatten().unwrap_or(self.operations.len())
        });
        let falls_through = operation.is_none_or(|branch| branch.guard.is_some());
        target.into_iter().chain(falls_through.then_some(index + 1))
    }

    /// Nobody sees that it was done, but for what it computes.
    fn is_harmless(&self, index: usize) -> bool {
        self.operations.get(index).is_some_and(|operation| {
            operation.label().is_some()
                || computes(operation)
                || is(operation, "bra")
                || is(operation, "nanosleep")
        })
    }
}

fn is(operation: &Operation<'_>, name: &str) -> bool {
    operation.name().split('.').next() == Some(name)
}

/// One that keeps a carry (`add.cc`) does more, and one that reads it (`addc`) has another name.
fn computes(operation: &Operation<'_>) -> bool {
    COMPUTES.iter().any(|name| is(operation, name)) && !operation.name().contains(".cc")
}

/// Destination and sources.
fn split<'a>(operation: &Operation<'a>) -> (&'a str, &'a str) {
    let operands = operation.operands();
    let end = if operands.trim_start().starts_with('{') { operands.find('}').unwrap_or(0) } else { 0 };
    match operands[end..].find(',') {
        Some(comma) => (&operands[..end + comma], &operands[end + comma + 1..]),
        None => (operands, ""),
    }
}

/// The registers and other words of operands; of a part of a vector, such as `%v.x`, the whole.
fn words(operands: &str) -> impl Iterator<Item = &str> {
    super::ptx::words(operands).map(|word| word.split('.').next().unwrap_or_default())
}

/// `mov.u64 %rd1, %globaltimer`.
fn is_reading(operation: &Operation<'_>) -> bool {
    is(operation, "mov") && super::TIMES.contains(&split(operation).1.trim())
}

/// `mov.u64 %rd2, %rd1`.
fn is_copy(operation: &Operation<'_>) -> bool {
    let (to, from) = split(operation);
    is(operation, "mov") && words(to).count() == 1 && from.trim().starts_with('%') && words(from).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cuda::barrier`'s wait, as NVRTC 13.0.88 optimises it, shortened.
    const WAIT: &str = "\
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .pred \t%p<7>;
\tld.param.u64 \t%rd5, [k_param_0];
\tmov.u64 %rd9, %globaltimer;
\tmov.u32 \t%r21, 0;
$L__BB0_4:
\t{
\t.reg .pred p;
\tmbarrier.try_wait.shared.b64 p, [%r10], %rd8;
\tselp.b32 %r9, 1, 0, p;
\t}
\tsetp.ne.s32 \t%p2, %r9, 0;
\t@%p2 bra \t$L__BB0_11;
\tsetp.lt.s32 \t%p3, %r21, 16;
\t@%p3 bra \t$L__BB0_9;
\tmov.u64 %rd17, %globaltimer;
\tsub.s64 \t%rd4, %rd17, %rd9;
\tsetp.lt.s64 \t%p4, %rd4, 4000000;
\t@%p4 bra \t$L__BB0_7;
\tmov.u32 \t%r13, 1000000;
\tnanosleep.u32 %r13;
\tbra.uni \t$L__BB0_4;
$L__BB0_7:
\tcvt.u32.u64 \t%r14, %rd4;
\tnanosleep.u32 %r14;
\tbra.uni \t$L__BB0_4;
$L__BB0_9:
\tadd.s32 \t%r21, %r21, 1;
\tbra.uni \t$L__BB0_4;
$L__BB0_11:
\tst.global.u32 \t[%rd5], %r21;
\tret;
}
";

    #[test]
    fn a_wait_tells_nothing() {
        assert!(leak(WAIT).is_none());
    }

    #[test]
    fn what_comes_of_the_time_tells_it() {
        let sleep = "nanosleep.u32 %r14;";
        let end = "st.global.u32 \t[%rd5], %r21;";
        for (instead, of) in [
            // Values, addresses, what is done at all.
            ("st.global.u64 [%rd5], %rd9;", end),
            ("st.global.u64[%rd5],%rd4;", end),
            ("atom.global.add.u64 %rd1, [%rd5], %rd4;", end),
            ("st.global.u32 [%rd4], 1;", end),
            ("ld.global.u32 %r1, [%rd4];", end),
            ("@%p4 st.global.u32 [%rd5], 1;", end),
            ("@!%p4 ret;", end),
            ("selp.b32 %r1, 1, 0, %p4; st.global.u32 [%rd5], %r1;", end),
            ("mov.b64 {%r1, %r2}, %rd4; st.global.u32 [%rd5], %r2;", end),
            ("mov.u64 v.x, %rd4; st.global.v2.u64 [%rd5], v;", end),
            ("st.global.u32 [%rd5], 1;", sleep),
            ("bar.sync 0;", sleep),
            ("vote.sync.any.pred %p1, %p4, -1;", sleep),
            ("call.uni f, ();", sleep),
            ("trap;", sleep),
            ("bra $L__BB0_11;", sleep),
            ("@%p4 bra $L__BB0_11;", sleep),
            // What is computed where the time has led.
            ("mov.u32 %r21, 7;", sleep),
            ("add.s32 %r21, %r21, 1;", sleep),
            // A carry, and what is no difference of times.
            ("add.cc.u32 %r1, %r14, 1;", sleep),
            ("add.s64 %rd4, %rd9, 5;", sleep),
            ("sub.s64 %rd4, %rd9, 5;", sleep),
            ("nanosleep.u32 %rd9;", sleep),
            ("mov.u64 %rd9, 5;", sleep),
            ("@%p4 mov.u64 %rd9, %globaltimer;", sleep),
            ("add.u64 %rd4, %globaltimer, 5;", sleep),
            // Ways that are not known.
            ("bra somewhere;", sleep),
            ("{ $L__BB0_7: nanosleep.u32 1; }", end),
            ("brx.idx %r14, table;", sleep),
            // What cannot be read, or stands in no function.
            ("/* // */ st.global.u64 [%rd5], %rd9;", end),
            ("ret;\n}\n.func f() { mov.u64 %rd1, %clock64; }\n.func g()\n{", end),
            ("// %clock64", end),
        ] {
            assert!(leak(&WAIT.replace(of, instead)).is_some(), "{instead}");
        }
        // What is not computed of it, beside it.
        for (instead, of) in
            [("add.s32 %r21, %r21, 2;", "add.s32 \t%r21, %r21, 1;"), ("add.s32 %r1, %r14, 1;", sleep)]
        {
            assert!(leak(&WAIT.replace(of, instead)).is_none(), "{instead}");
        }
    }
}
