//! What is known of a row besides the judge's work: who handed it in, when, and for which version of the course.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::intake::{Student, Submission};
use crate::{folder::VERSION, stub};

/// Carried from the intake to what is handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HandedIn {
    /// The student's name, or the id once more.
    pub name: String,
    /// The address, where it is known.
    pub email: Option<String>,
    /// Where the kernel lay in what was handed in.
    pub origin: Option<String>,
    /// When it was handed in, where that is known.
    pub at: Option<Timestamp>,
    /// Whether that is after the cutoff, or the place that collected it calls it late. It costs no points.
    pub late: bool,
    /// Which attempt counts, from 1, where that is known.
    pub attempt: Option<u32>,
    /// How many attempts there are.
    pub attempts: usize,
    /// The version of the course that the stub is of, where that is known.
    pub course: Option<String>,
    /// Whether it is the stub as it came.
    pub untouched: bool,
}

impl HandedIn {
    /// Of a student without a kernel of the exercise.
    pub fn nothing(student: &Student) -> Self {
        HandedIn { name: student.name.clone(), email: student.email.clone(), ..HandedIn::default() }
    }

    /// Of a kernel, one of so many.
    pub fn of(
        student: &Student,
        submission: &Submission,
        stub: &str,
        attempts: usize,
        cutoff: Option<Timestamp>,
    ) -> Self {
        HandedIn {
            origin: Some(submission.origin.clone()),
            at: submission.handed_in,
            late: submission.is_late(cutoff),
            attempt: submission.attempt,
            attempts,
            course: submission.course.clone(),
            untouched: submission.kernel.as_deref().is_ok_and(|text| stub::is_untouched(text, stub)),
            ..HandedIn::nothing(student)
        }
    }

    /// The version of the course that it was written for, where that is another than this one.
    pub fn other_course(&self) -> Option<&str> {
        self.course.as_deref().filter(|course| *course != VERSION)
    }
}
