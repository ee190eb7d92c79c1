//! Readings of the clock, and which of them tell a kernel nothing.
//!
//! The waits of the toolkit's headers (`cuda::barrier`, `cuda::atomic::wait`) read the clock: whoever has
//! waited for long sleeps longer before it looks again. That is no look at the clock of the learner's, as long
//! as
//!
//! 1. no line of the learner's asks for the time. The PTX that keeps the source's structure says who calls
//!    what; and
//! 2. nothing comes of it but how long a thread sleeps, whoever asks, in whatever lines. The optimised PTX,
//!    which is what runs, shows it ([`super::waits`]): a time that decides a value, an address, or what else is
//!    done is told. A wait with a time limit returns whether the time was up, so it fails here.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    inline::own_files,
    ptx::{Function, Operation, Place, functions},
    waits::{self, times_in},
};

/// Where the time is told: the learner's line (from 1), where one is known.
pub(super) struct Told {
    pub line: Option<u32>,
}

/// Whether a kernel learns the time. `trusted` says that no inline PTX is the learner's own: what
/// it wrote could look like anything.
pub(super) fn told(file: &str, checked: &str, optimised: &str, trusted: bool) -> Option<Told> {
    if times_in(checked) == 0 && times_in(optimised) == 0 {
        return None;
    }
    let asked = ClockLines::of(file, checked);
    // What is read in one of the two alone could serve to tell them apart.
    let in_both = times_in(checked) > 0 && times_in(optimised) > 0;
    let trusted = trusted && in_both && waits::is_understood(checked);
    if let Some(&line) = asked.directly.first() {
        return Some(Told { line: Some(line) });
    }
    let after = match waits::leak(optimised) {
        None if trusted => return None,
        None => None,
        Some(leak) => last_own_line(file, optimised, leak.before),
    };
    let line = after.filter(|line| asked.somehow.contains(line) || asked.somehow.is_empty());
    Some(Told { line: line.or(asked.somehow.first().copied()) })
}

/// The learner's lines that ask for the time.
struct ClockLines {
    /// By calling what returns it.
    directly: BTreeSet<u32>,
    /// By calling what calls that, and so on.
    somehow: BTreeSet<u32>,
}

impl ClockLines {
    /// `checked` is PTX of which no function was inlined but where the source demands it.
    fn of(file: &str, checked: &str) -> Self {
        let own = own_files(file, checked);
        let line = |operation: &Operation<'_>| by_the_learner(operation.place?, &own);
        let functions: Vec<Function<'_>> = functions(checked).collect();
        let mut directly = BTreeSet::new();
        // What hands out the time: what reads it; and, of what has no lines because it is built into the
        // compiler, what calls that.
        let mut clocks: BTreeSet<&str> = BTreeSet::new();
        // What has the time read somewhere below.
        let mut below: BTreeSet<&str> = BTreeSet::new();
        let mut somehow = BTreeSet::new();
        for function in &functions {
            for operation in function.operations.iter().filter(|operation| times_in(operation.text) > 0) {
                clocks.insert(function.name);
                directly.extend(line(operation));
            }
        }
        below.extend(&clocks);
        loop {
            let known = (clocks.len(), below.len());
            for function in &functions {
                for operation in &function.operations {
                    let Some(called) = operation.called() else { continue };
                    if clocks.contains(called) {
                        directly.extend(line(operation));
                        if function.is_built_in() {
                            clocks.insert(function.name);
                        }
                    }
                    if below.contains(called) {
                        somehow.extend(line(operation));
                        below.insert(function.name);
                    }
                }
            }
            if known == (clocks.len(), below.len()) {
                break;
            }
        }
        somehow.extend(&directly);
        ClockLines { directly, somehow }
    }
}

/// The line of what is the learner's: it stands in the learner's file, or was inlined there.
fn by_the_learner(place: Place<'_>, own: &BTreeMap<&str, bool>) -> Option<u32> {
    let is_own = |file: &str| own.get(file).copied().unwrap_or(true);
    if is_own(place.file) {
        return Some(place.line);
    }
    place.inlined_at.filter(|(file, _)| is_own(file)).map(|(_, line)| line)
}

/// The learner's last line that is named before byte `before` of optimised PTX.
fn last_own_line(file: &str, optimised: &str, before: usize) -> Option<u32> {
    let own = own_files(file, optimised);
    let text = optimised.get(..before)?;
    text.lines()
        .rev()
        .take_while(|line| !line.starts_with('{'))
        .find_map(|line| by_the_learner(Place::of(line)?, &own))
}
