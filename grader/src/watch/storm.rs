//! When a text is judged: not while saves follow each other fast, and not again while it stays as it is.
//!
//! It knows hashes of texts and instants, and neither a file nor the judge.

use std::time::{Duration, Instant};

/// Saves that follow each other faster are one: the last of them is judged.
const STORM: Duration = Duration::from_millis(200);
/// How long a storm must be over.
const CALM: Duration = Duration::from_millis(60);

/// What was seen of a kernel's texts, and what became of them.
#[derive(Debug)]
pub struct Storm {
    /// Of the text that is being judged, or was judged last.
    judged: Option<String>,
    /// Of the text that was seen last.
    seen: Option<String>,
    /// When a text was seen last that was not judged yet.
    saved: Option<Instant>,
    /// When to look again.
    due: Option<Instant>,
}

/// What a look at a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// It is another text than the one before.
    pub is_new: bool,
    /// What to do.
    pub step: Step,
}

/// What to do about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is judged already, or is being judged.
    Rest,
    /// End the check of an earlier text. It is not known yet which text comes after it.
    Stop,
    /// Judge this text.
    Judge,
}

impl Storm {
    /// Nothing was seen yet, and the first look is due.
    pub fn new(now: Instant) -> Self {
        Storm { judged: None, seen: None, saved: None, due: Some(now) }
    }

    /// When to look again, where that can't wait for the next event.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Looks again soon: the file may be about to come back.
    pub fn look_soon(&mut self, now: Instant) {
        self.due = Some(now + CALM);
    }

    /// Judges the text again that is there.
    pub fn again(&mut self, now: Instant) {
        self.judged = None;
        self.saved = None;
        self.due = Some(now);
    }

    /// There is no text: any that comes is new.
    pub fn gone(&mut self) {
        self.judged = None;
        self.seen = None;
        self.due = None;
    }

    /// A look found the text with this hash.
    pub fn see(&mut self, hash: &str, now: Instant) -> Seen {
        let is_new = self.seen.as_deref() != Some(hash);
        if is_new {
            self.seen = Some(hash.to_owned());
        }
        if self.judged.as_deref() == Some(hash) {
            self.due = self.due.filter(|due| now < *due);
            return Seen { is_new, step: Step::Rest };
        }
        let storms = self.saved.is_some_and(|saved| now - saved < STORM);
        let step = if storms && self.due.is_none_or(|due| now < due) {
            // Its check ends here. A save that undoes this one brings back a text without a verdict.
            self.judged = None;
            self.due = Some(now + CALM);
            Step::Stop
        } else {
            self.judged = Some(hash.to_owned());
            self.due = None;
            Step::Judge
        };
        self.saved = Some(now);
        Seen { is_new, step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of looks at these milliseconds, and whether each text was new.
    fn steps(looks: &[(u64, &str)]) -> Vec<(Step, bool)> {
        let begun = Instant::now();
        let mut storm = Storm::new(begun);
        let look = |(at, text): &(u64, &str)| {
            let Seen { is_new, step } = storm.see(text, begun + Duration::from_millis(*at));
            (step, is_new)
        };
        looks.iter().map(look).collect()
    }

    #[test]
    fn a_text_is_judged_once() {
        let looks = [(0, "a"), (10, "a"), (1000, "a"), (2000, "b"), (3000, "b"), (4000, "a")];
        let expected = [
            (Step::Judge, true),
            (Step::Rest, false),
            (Step::Rest, false),
            (Step::Judge, true),
            (Step::Rest, false),
            (Step::Judge, true),
        ];
        assert_eq!(steps(&looks), expected);
    }

    #[test]
    fn of_a_storm_the_last_text_is_judged() {
        let looks = [(0, "a"), (50, "b"), (90, "c"), (120, "d"), (180, "d"), (240, "d")];
        let expected = [
            (Step::Judge, true),
            (Step::Stop, true),
            (Step::Stop, true),
            (Step::Stop, true),
            (Step::Judge, false),
            (Step::Rest, false),
        ];
        assert_eq!(steps(&looks), expected);
    }

    #[test]
    fn a_save_that_is_undone_at_once_costs_no_verdict() {
        let looks = [(0, "a"), (100, "b"), (130, "a"), (190, "a")];
        let expected = [(Step::Judge, true), (Step::Stop, true), (Step::Stop, true), (Step::Judge, false)];
        assert_eq!(steps(&looks), expected);
    }

    #[test]
    fn what_was_gone_is_judged_again_and_so_is_what_a_key_asks_for() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let mut storm = Storm::new(begun);
        assert_eq!(storm.see("a", begun), Seen { is_new: true, step: Step::Judge });
        storm.look_soon(at(1000));
        assert_eq!(storm.due(), Some(at(1060)));
        storm.gone();
        assert_eq!(storm.due(), None);
        assert_eq!(storm.see("a", at(2000)), Seen { is_new: true, step: Step::Judge });
        storm.again(at(2050));
        assert_eq!(storm.see("a", at(2050)), Seen { is_new: false, step: Step::Judge });
    }
}
