//! A student and the kernels that came from that student: which of them count, and in which order they came.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::assignment::class::Attempts;

/// Of one student's kernels for one exercise: a judge's time is the class's.
const MOST_ATTEMPTS: usize = 20;

/// A student, and what the student handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Student {
    /// The id that results go by, as printable text; different ids stay different.
    pub id: String,
    /// The name, or the id once more.
    pub name: String,
    /// The address, where it is known.
    pub email: Option<String>,
    /// The kernels, in the course's order, and of each exercise the latest last.
    pub submissions: Vec<Submission>,
    /// Why nothing, or not all, of what was handed in could be read.
    pub refused: Vec<String>,
    /// Whether anything was handed in, be it understood or not.
    pub handed_in: bool,
}

/// A student's kernel of an exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The exercise's id.
    pub exercise: String,
    /// The text, or why it is not gradable.
    pub kernel: Result<String, String>,
    /// Its path in what was handed in.
    pub origin: String,
    /// When it was handed in, where the roster or the metadata says so.
    pub handed_in: Option<Timestamp>,
    /// Whether the place that collected it calls it late.
    pub called_late: bool,
    /// Which attempt it is, from 1, where that is known.
    pub attempt: Option<u32>,
    /// The version of the course that its stub is of, where that is known.
    pub course: Option<String>,
}

impl Submission {
    /// Whether it came after the cutoff, or the place that collected it calls it late.
    pub fn is_late(&self, cutoff: Option<Timestamp>) -> bool {
        match (self.handed_in, cutoff) {
            (Some(at), Some(cutoff)) => at > cutoff,
            _ => self.called_late,
        }
    }
}

impl Student {
    /// The kernels of an exercise that are to be judged: one, or all attempts, of which the best counts.
    ///
    /// # Errors
    /// Why there is none.
    pub fn kernels(&self, exercise: &str, attempts: Attempts) -> Result<Vec<&Submission>, String> {
        let all: Vec<&Submission> =
            self.submissions.iter().filter(|submission| submission.exercise == exercise).collect();
        match (&all[..], attempts) {
            ([], _) if self.refused.is_empty() => Err(format!("no {exercise}/kernel.cu")),
            ([], _) => Err(self.refused.join("; ")),
            ([only], _) => Ok(vec![*only]),
            (some, Attempts::Best) if some.len() > MOST_ATTEMPTS => Err(format!(
                "{} kernels of one exercise: no more than {MOST_ATTEMPTS} of one student's are judged",
                some.len()
            )),
            (_, Attempts::Best) => {
                let readable: Vec<&Submission> =
                    all.iter().copied().filter(|submission| submission.kernel.is_ok()).collect();
                Ok(if readable.is_empty() { all } else { readable })
            }
            ([.., last], Attempts::Last) if last.attempt.is_some() => Ok(vec![*last]),
            (some, Attempts::Last) => {
                let places: Vec<&str> = some.iter().map(|submission| submission.origin.as_str()).collect();
                Err(format!("nothing says which was handed in last: {}", places.join(", ")))
            }
        }
    }

    /// How many kernels of an exercise there are.
    pub fn attempts(&self, exercise: &str) -> usize {
        self.submissions.iter().filter(|submission| submission.exercise == exercise).count()
    }

    /// Whether the student handed in nothing at all.
    pub fn is_absent(&self) -> bool {
        !self.handed_in
    }
}

/// Puts the attempts at an exercise in order and numbers them, where times or names tell the order, or it doesn't matter.
pub(super) fn put_in_order(submissions: &mut [Submission], exercise: &str) {
    // By exercise, as they come from hand-ins; so those of one are neighbours after this.
    submissions.sort_by(|one, other| one.exercise.cmp(&other.exercise));
    let begin = submissions.partition_point(|one| one.exercise.as_str() < exercise);
    let end = submissions.partition_point(|one| one.exercise.as_str() <= exercise);
    let all = &mut submissions[begin..end];
    let times: BTreeSet<Option<Timestamp>> = all.iter().map(|one| one.handed_in).collect();
    let numbers: BTreeSet<Option<u32>> = all.iter().map(|one| one.attempt).collect();
    let same = all.windows(2).all(|pair| pair[0].kernel.is_ok() && pair[0].kernel == pair[1].kernel);
    let is_known = match () {
        () if times.len() == all.len() && !times.contains(&None) => {
            all.sort_by_key(|one| one.handed_in);
            true
        }
        // One hand-in has one time; its names tell.
        () if numbers.len() == all.len() && times.len() == 1 => {
            all.sort_by_key(|one| one.attempt);
            true
        }
        () => same,
    };
    for (index, one) in all.iter_mut().enumerate() {
        one.attempt = is_known.then_some(index as u32 + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXERCISE: &str = "03-reduction";

    /// Kernels as they come from hand-ins: the text, the number in the name, and the hour.
    fn student(kernels: &[(&str, u32, Option<i64>)]) -> Student {
        let submissions = kernels.iter().map(|(text, number, hour)| Submission {
            exercise: EXERCISE.to_owned(),
            kernel: if text.is_empty() { Err("empty".to_owned()) } else { Ok((*text).to_owned()) },
            origin: format!("{text}-{number}"),
            handed_in: hour.map(|hour| Timestamp::from_second(hour * 3600).unwrap()),
            called_late: false,
            attempt: Some(*number),
            course: None,
        });
        let mut student = Student { submissions: submissions.collect(), ..Student::default() };
        put_in_order(&mut student.submissions, EXERCISE);
        student
    }

    /// What counts: by the last, and by the best.
    fn counts(kernels: &[(&str, u32, Option<i64>)]) -> String {
        let student = student(kernels);
        let of = |attempts| match student.kernels(EXERCISE, attempts) {
            Ok(some) => some.iter().map(|one| one.origin.as_str()).collect::<Vec<_>>().join(" "),
            Err(why) => why,
        };
        format!("{} | {}", of(Attempts::Last), of(Attempts::Best))
    }

    #[test]
    fn times_tell_the_last_or_else_names_or_nobody() {
        assert_eq!(counts(&[]), "no 03-reduction/kernel.cu | no 03-reduction/kernel.cu");
        assert_eq!(counts(&[("a", 0, None)]), "a-0 | a-0");
        assert_eq!(counts(&[("b", 2, None), ("a", 0, None)]), "b-2 | a-0 b-2");
        assert_eq!(counts(&[("b", 2, Some(1)), ("a", 0, Some(9))]), "a-0 | b-2 a-0");
        let nobody = "nothing says which was handed in last: a-0, b-0 | a-0 b-0";
        assert_eq!(counts(&[("a", 0, None), ("b", 0, None)]), nobody);
        assert_eq!(counts(&[("a", 0, Some(1)), ("b", 0, None)]), nobody);
        // Which of two that are the same came last doesn't matter.
        assert_eq!(counts(&[("a", 0, None), ("a", 0, None)]), "a-0 | a-0 a-0");
        // What can't be read may be the last, and is never the best.
        assert_eq!(counts(&[("a", 0, None), ("", 1, None)]), "-1 | a-0");
    }

    #[test]
    fn one_student_does_not_take_the_judges_time() {
        let texts: Vec<String> = (0..=MOST_ATTEMPTS).map(|number| format!("k{number}")).collect();
        let all: Vec<(&str, u32, Option<i64>)> =
            texts.iter().zip(0..).map(|(text, number)| (text.as_str(), number, None)).collect();
        assert!(student(&all[1..]).kernels(EXERCISE, Attempts::Best).is_ok());
        let why = student(&all).kernels(EXERCISE, Attempts::Best).unwrap_err();
        assert_eq!(why, "21 kernels of one exercise: no more than 20 of one student's are judged");
    }

    #[test]
    fn late_is_after_the_cutoff_or_what_the_lms_calls_late() {
        let at = |hour| student(&[("a", 0, hour)]).submissions.remove(0);
        let cutoff = Timestamp::from_second(3600).ok();
        assert_eq!([at(Some(1)), at(Some(2)), at(None)].map(|one| one.is_late(cutoff)), [false, true, false]);
        let called = Submission { called_late: true, ..at(None) };
        assert!(called.is_late(cutoff) && called.is_late(None));
        // The time is known, and the instructor's cutoff is the one that counts.
        assert!(!Submission { called_late: true, ..at(Some(1)) }.is_late(cutoff));
    }
}
