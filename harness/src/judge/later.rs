//! A check in two parts: everything but speed, and speed alone at another time. What is not timed may run beside other checks;
//! what is timed needs the machine to itself.

use super::goals;
use crate::report::{Report, Verdict};

impl Report {
    /// This report, of a check that left speed out ([`super::CheckOptions::skip_speed`]), with what a check of the same kernel
    /// for nothing but its speed ([`super::CheckOptions::only_speed`]) has found: the report of a check that did both at once.
    ///
    /// # Panics
    /// If the two are of different kernels or exercises.
    pub fn with_speed(mut self, timed: Report) -> Report {
        assert_eq!((&self.exercise, &self.kernel_hash), (&timed.exercise, &timed.kernel_hash));
        let is_there = |number: usize, device: &str| {
            timed.cases.iter().any(|c| c.number == number && c.device == device)
        };
        self.cases.retain(|case| !is_there(case.number, &case.device));
        self.cases.extend(timed.cases);
        for goal in &mut self.goals {
            match goal.name.as_str() {
                "correct" => *goal = goals::correct(&self.cases),
                name @ ("speedup" | "expert") => {
                    if let Some(found) = timed.goals.iter().find(|found| found.name == name) {
                        *goal = found.clone();
                    }
                }
                _ => {}
            }
        }
        self.notes
            .extend(timed.notes.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>());
        self.speed = timed.speed;
        self.conditions = timed.conditions;
        let passed_before = self.verdict == Verdict::Passed;
        (self.verdict, self.speed_unmeasured) = goals::verdict(&self.goals);
        if passed_before {
            self.next_step = timed.next_step;
        }
        self.judge_error = self.judge_error.or(timed.judge_error);
        if self.judge_error.is_some() {
            self.verdict = Verdict::Unmeasured;
        }
        self
    }
}
