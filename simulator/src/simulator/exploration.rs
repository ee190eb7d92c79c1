//! Running a launch in more than one order of warps and blocks, and what all of them find together.
//!
//! A race is found by what orders two accesses and not by luck, so nearly all defects show in any order.
//! What an order hides is what it never does: the value that is read too late to be the old one, the slot
//! that nobody overwrites in time. Other orders do. Outputs, counters and the status are always those of
//! the first order that is run.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::execution::lock;
use crate::{
    exec::{self, Before, Context, Request, Schedule},
    finding::{Finding, FindingKind, Severity},
    footprint::Footprint,
    launch::{LaunchReport, LaunchStatus},
    source::Place,
};

/// In which orders of warps and blocks ("schedules") launches run. Schedule 0 is the usual one; every other
/// number is the seed of another, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Schedules {
    /// The usual one; and others, where they can show something and are cheap ([`AFFORDABLE_INSTRUCTIONS`]).
    #[default]
    Affordable,
    /// That many: 0, 1, 2 and so on. None counts as one.
    First(u32),
    /// This one alone.
    Only(u64),
    /// This one alone for kernels that can see the order; for others the usual one, which is quicker.
    WhereSeen(u64),
}

impl Schedules {
    /// The first schedule, and how many there are with it. `sees_order`: the kernel can see the order; `bytes`:
    /// those of global memory, of which each schedule beyond the first needs a copy.
    pub(super) fn orders(self, sees_order: bool, bytes: u64) -> (u64, u64) {
        match self {
            Schedules::Only(schedule) => (schedule, 1),
            Schedules::WhereSeen(schedule) => (if sees_order { schedule } else { 0 }, 1),
            Schedules::First(count) => (0, count.into()),
            Schedules::Affordable if !sees_order || bytes > AFFORDABLE_BYTES => (0, 1),
            Schedules::Affordable => (0, 1 + AFFORDABLE_SCHEDULES),
        }
    }
}

/// Warp instructions that a launch may spend on schedules beyond the first where nobody asked for them: a
/// tenth of a second or so.
pub const AFFORDABLE_INSTRUCTIONS: u64 = 500_000;

/// Schedules beyond the first that are run where they are affordable.
const AFFORDABLE_SCHEDULES: u64 = 7;

/// Bytes of global memory beyond which no schedule is affordable, because each needs its own copy.
const AFFORDABLE_BYTES: u64 = 16 << 20;

/// Another schedule may take so many times the instructions of the first, because more
/// threads may have to wait.
const BUDGET_FACTOR: u64 = 16;

/// Instructions that another schedule has in any case.
const LEAST_BUDGET: u64 = 100_000;

/// What remains to be run of a launch that has come to its end once.
pub(super) struct Exploration<'a> {
    /// What was asked for.
    pub(super) schedules: Schedules,
    /// How many orders that is.
    pub(super) orders: u64,
    /// How memory was before.
    pub(super) before: Before<'a>,
    /// The same where races of plain loads are to be settled.
    pub(super) replayable: Option<Before<'a>>,
    /// Blocks may wait for each other, and nothing says that they run at once.
    pub(super) asks_for_order: bool,
}

impl Exploration<'_> {
    /// Runs the launch in the other orders, and adds what they find.
    pub(super) fn run(
        self,
        cx: Context<'_>,
        mut request: Request<'_>,
        report: &mut LaunchReport,
        footprint: &mut Footprint,
    ) {
        let Before { memory, heap } = self.before;
        let instructions = report.counters.ptx_instructions;
        let is_affordable = self.schedules == Schedules::Affordable;
        if is_affordable
            && (report.status != LaunchStatus::Finished
                || report.findings.iter().any(|finding| finding.is_error()))
        {
            // It is known to be wrong already.
            return;
        }
        let own_heap = Mutex::default();
        let mut cx = Context { heap: &own_heap, ..cx };
        request.budget = instructions.saturating_mul(BUDGET_FACTOR).max(LEAST_BUDGET).min(request.budget);
        let mut spent = 0;
        for schedule in 1..self.orders {
            if is_affordable && spent + instructions > AFFORDABLE_INSTRUCTIONS {
                break;
            }
            cx.schedule = Schedule(schedule);
            lock(&own_heap).clone_from(heap);
            let mut other = exec::launch(&cx, &mut memory.fork(), request, self.replayable);
            spent += other.counters.ptx_instructions;
            if other.footprint.shadow_bytes > footprint.shadow_bytes {
                *footprint = other.footprint;
            }
            report.schedules += 1;
            if other.ran_out {
                other.findings.retain(|finding| finding.kind != FindingKind::Unfinished);
            }
            unite(&mut report.findings, schedule, other.parted.as_ref(), other.findings);
        }
        // One question more, of what is right in all of them.
        if self.asks_for_order
            && !(is_affordable && instructions > AFFORDABLE_INSTRUCTIONS)
            && report
                .findings
                .iter()
                .all(|finding| !finding.is_error() && finding.kind != FindingKind::Deadlock)
        {
            cx.schedule = Schedule::USUAL;
            lock(&own_heap).clone_from(heap);
            report.findings.extend(exec::ask_for_order(&cx, memory, request));
            crate::findings::sort(&mut report.findings);
        }
    }
}

/// Adds what another schedule found to what is known: findings of a kind and place that are there already add
/// nothing, and an error takes the place of a milder finding. `parted` is where lanes that ran together
/// came to an `activemask` in parts, if they did.
fn unite(known: &mut Vec<Finding>, schedule: u64, parted: Option<&Place>, found: Vec<Finding>) {
    for mut finding in found {
        // What costs no verdict needs no second opinion.
        if finding.severity == Severity::Note {
            continue;
        }
        let same = known.iter().position(|earlier| {
            earlier.kind == finding.kind
                && (earlier.place == finding.place && earlier.other == finding.other
                    || earlier.place == finding.other && earlier.other == finding.place)
                && earlier.severity != Severity::Note
        });
        if let Some(at) = same {
            if known[at].severity <= finding.severity {
                continue;
            }
            known.remove(at);
        }
        finding.schedule = Some(schedule);
        let how = parted.map_or(String::new(), |at| {
            format!(
                ", in which only some lanes of a warp are active together in line {}: CUDA does not promise that lanes run \
                 together, nor that they do so again behind a branch",
                at.line
            )
        });
        if let Some(at) = parted
            && matches!(finding.kind, FindingKind::UninitializedRead | FindingKind::InvalidMask)
        {
            finding.next = Some(format!(
                "Name in the mask the lanes that are to exchange values, not those that happen to be active together at line {}.",
                at.line
            ));
        }
        finding.message.push_str(&format!(
            " (The usual order of warps and blocks does not show it; schedule {schedule} does{how}.)"
        ));
        known.push(finding);
    }
    crate::findings::sort(known);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingKind;

    fn finding(kind: FindingKind, severity: Severity, line: u32, other: u32) -> Finding {
        let place = |line| Some(Place { file: "k.cu".into(), line, column: 1 });
        let finding = Finding::new(kind, severity, "Two threads meet.");
        Finding { place: place(line), other: place(other), ..finding }
    }

    #[test]
    fn lanes_that_ran_together_by_chance_are_what_to_mend() {
        let at = Place { file: "k.cu".into(), line: 31, column: 1 };
        let mut known = Vec::new();
        let kinds = [FindingKind::UninitializedRead, FindingKind::Race];
        let found = kinds.map(|kind| finding(kind, Severity::Error, 67, 34)).to_vec();
        unite(&mut known, 1, Some(&at), found);
        for finding in known {
            let next = finding.next.unwrap_or_default();
            assert_eq!(next.ends_with("together at line 31."), finding.kind != FindingKind::Race, "{next}");
        }
    }

    #[test]
    fn what_another_order_shows_says_which_order_that_was() {
        let mut known = Vec::new();
        unite(&mut known, 3, None, vec![finding(FindingKind::Race, Severity::Error, 5, 7)]);
        let [found] = &known[..] else { panic!("one finding, not {known:?}") };
        assert_eq!(found.schedule, Some(3));
        assert!(
            found
                .message
                .ends_with("The usual order of warps and blocks does not show it; schedule 3 does.)")
        );
    }

    #[test]
    fn where_lanes_came_in_parts_it_says_so() {
        let (mut known, at) = (Vec::new(), Place { file: "k.cu".into(), line: 4, column: 1 });
        unite(&mut known, 2, Some(&at), vec![finding(FindingKind::Race, Severity::Error, 5, 7)]);
        assert!(
            known[0].message.contains(
                "schedule 2 does, in which only some lanes of a warp are active together in line 4:"
            )
        );
    }

    #[test]
    fn what_is_known_already_adds_nothing() {
        let mut known = vec![finding(FindingKind::Race, Severity::Error, 5, 7)];
        // The same, and the same told from its other side.
        unite(&mut known, 1, None, vec![finding(FindingKind::Race, Severity::Error, 5, 7)]);
        unite(&mut known, 2, None, vec![finding(FindingKind::Race, Severity::Error, 7, 5)]);
        // What is no verdict.
        unite(&mut known, 3, None, vec![finding(FindingKind::Deadlock, Severity::Note, 9, 9)]);
        assert_eq!(known, [finding(FindingKind::Race, Severity::Error, 5, 7)]);
        unite(&mut known, 4, None, vec![finding(FindingKind::Deadlock, Severity::Error, 5, 7)]);
        assert_eq!(known.len(), 2, "another kind at the same place is another finding");
    }

    #[test]
    fn an_error_takes_the_place_of_a_warning() {
        let mut known = vec![finding(FindingKind::Race, Severity::Warning, 5, 7)];
        unite(&mut known, 6, None, vec![finding(FindingKind::Race, Severity::Error, 5, 7)]);
        let [found] = &known[..] else { panic!("one finding, not {known:?}") };
        assert_eq!((found.severity, found.schedule), (Severity::Error, Some(6)));
        unite(&mut known, 7, None, vec![finding(FindingKind::Race, Severity::Warning, 5, 7)]);
        assert_eq!(known[0].schedule, Some(6), "and a warning not that of an error");
    }
}
