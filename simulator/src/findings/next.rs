//! What to do next about findings of which their class alone would say something that does not help.

use super::{Proxied, RaceCause, Reason, Source};
use crate::finding::Finding;

/// The next step, where it is not that of most findings of the class.
pub(super) fn step(reason: Reason, finding: &Finding) -> Option<String> {
    let at = &at(finding);
    let step = match reason {
        Reason::Null(_) => format!("Give the pointer that is used{at} an address: it is null."),
        Reason::ReadOnly(_) => format!("Write elsewhere{at}: kernels may only read this memory."),
        Reason::NoSuchRank(..) => format!("Correct the rank{at}: the cluster has no such block."),
        Reason::AnothersLocal(_) => {
            format!("Hand on a value{at}, not the address of a thread's own variable.")
        }
        Reason::Undefined(_, Source::Shuffle) => {
            format!("Use{at} only what the shuffle read from a lane that takes part in it.")
        }
        Reason::Undefined(_, Source::Division) => {
            format!("Ask whether the divisor is zero before the result of the division is used{at}.")
        }
        Reason::Undefined(_, Source::AbsentChannel) => {
            format!("Use{at} only the channels that the texture has.")
        }
        Reason::Race(.., cause) => return race(cause, at, &at_both(finding)),
        _ => return None,
    };
    Some(step)
}

fn race(cause: RaceCause, at: &str, at_both: &str) -> Option<String> {
    let step = match cause {
        RaceCause::ReadOnlyCache => format!(
            "Read with a plain load{at}: the same launch writes this, and the read-only cache does not see it, whatever orders the two."
        ),
        RaceCause::TextureCache => format!(
            "Read this in the next launch, or hand it on through shared memory: the cache{at} does not see what the same launch writes."
        ),
        RaceCause::AtomicScope(_) | RaceCause::BeyondCluster => {
            format!("Widen the scope{at_both}: it does not reach the other thread.")
        }
        RaceCause::AtomicWidth => format!("Access the value with one width{at_both}."),
        RaceCause::BarrierInit => format!("Let one thread alone initialise the barrier{at}."),
        RaceCause::ProxyFence(_) => {
            format!("Put `fence.proxy.async` between the two{at_both}: in order they are without it.")
        }
        RaceCause::UnderWay | RaceCause::BulkUnderWay | RaceCause::NotWaitedFor(Proxied::Copy) => {
            format!("Wait for the asynchronous copy before the access{at}: nothing says that it is done.")
        }
        RaceCause::NotWaitedFor(Proxied::Product) => {
            format!("Wait for the product before the access{at}: nothing says that it is done.")
        }
        // Whether a thread and a copy should both own an element is no question.
        RaceCause::ByProxy(_) => format!("Order the two accesses{at_both}: nothing does yet."),
        RaceCause::RelaxedBetween(..) => {
            format!("Give what is relaxed between the two{at_both} an order: now it orders nothing.")
        }
        RaceCause::OtherRound(id, _) => {
            format!("Let barrier {id} wait for all threads that must meet between the two{at_both}.")
        }
        _ => return None,
    };
    Some(step)
}

/// A step that is written where the finding's line is not known.
pub(super) fn at_its_line(step: &str, finding: &Finding) -> String {
    step.replace("{at}", &at(finding))
}

fn at(finding: &Finding) -> String {
    finding.place.as_ref().map_or(String::new(), |place| format!(" at line {}", place.line))
}

fn at_both(finding: &Finding) -> String {
    match (&finding.place, &finding.other) {
        (Some(place), Some(other)) if place.line != other.line => {
            format!(" at line {} and line {}", place.line, other.line)
        }
        _ => at(finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        finding::{FindingKind, Severity},
        findings::{Action, Decides},
        source::Place,
    };

    fn race_of(cause: RaceCause) -> Option<String> {
        let place = |line| Some(Place { file: "kernel.cu".into(), line, column: 1 });
        let mut finding = Finding::new(FindingKind::Race, Severity::Error, "");
        (finding.place, finding.other) = (place(9), place(5));
        step(Reason::Race(Action::Write, Action::Write, false, cause), &finding)
    }

    #[test]
    fn what_is_in_order_is_not_to_be_ordered() {
        let read_only = race_of(RaceCause::ReadOnlyCache).unwrap();
        assert!(read_only.starts_with("Read with a plain load at line 9"), "{read_only}");
        let fence = race_of(RaceCause::ProxyFence(Proxied::Copy)).unwrap();
        assert!(fence.contains("`fence.proxy.async` between the two at line 9 and line 5"), "{fence}");
        for cause in [
            RaceCause::AtomicWidth,
            RaceCause::BarrierInit,
            RaceCause::BeyondCluster,
            RaceCause::TextureCache,
            RaceCause::UnderWay,
            RaceCause::BulkUnderWay,
        ] {
            let step = race_of(cause).unwrap();
            assert!(!step.starts_with("Order") && !step.contains("both threads"), "{cause:?}: {step}");
        }
        assert_eq!(race_of(RaceCause::SameBlock), None);
    }

    #[test]
    fn what_has_no_value_need_not_be_written_first() {
        let finding = Finding::new(FindingKind::UninitializedRead, Severity::Error, "");
        for source in [Source::Shuffle, Source::Division, Source::AbsentChannel] {
            assert!(step(Reason::Undefined(Decides::Output, source), &finding).is_some(), "{source:?}");
        }
        assert_eq!(step(Reason::Undefined(Decides::Output, Source::Memory), &finding), None);
    }

    #[test]
    fn a_line_is_named_where_it_is_known() {
        let mut finding = Finding::new(FindingKind::InvalidMask, Severity::Error, "");
        assert_eq!(at_its_line("Come here{at}.", &finding), "Come here.");
        finding.place = Some(Place { file: "kernel.cu".into(), line: 7, column: 1 });
        assert_eq!(at_its_line("Come here{at}.", &finding), "Come here at line 7.");
    }
}
