//! A course: its exercises, found by lenient names.

use std::path::{self, Path};

use harness::exercise::Exercise;

use crate::{
    exit::{Result, Trouble},
    files,
    folder::{CourseFolder, current_directory},
    stub,
    visible::shown,
};

/// The exercises of a course, in order.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The exercises.
    pub exercises: &'a [&'a dyn Exercise],
}

impl<'a> Course<'a> {
    /// Finds an exercise by its id (`03-reduction`), its number (`03`, `3`), its name (`reduction`), the
    /// unique beginning of either, or the path of its folder or kernel.
    ///
    /// # Errors
    /// Wrong usage, with the nearest id as the next step.
    pub fn find(&self, name: &str) -> Result<&'a dyn Exercise> {
        if let Some(exercise) = self.exactly(name) {
            return Ok(exercise);
        }
        let wanted = spelled(name);
        let begins = |exercise: &&&dyn Exercise| {
            let (_, rest) = parts(exercise.id());
            !wanted.is_empty() && (exercise.id().starts_with(&wanted) || rest.starts_with(&wanted))
        };
        let mut beginning = self.exercises.iter().filter(begins);
        match (beginning.next(), beginning.next()) {
            (Some(only), None) => Ok(*only),
            (Some(first), Some(second)) => Err(Trouble::usage(
                format!("`{name}` names more than one exercise: {}, {} …", first.id(), second.id()),
                "give the number or more of the name",
            )),
            _ => Err(self.unknown(name, &wanted)),
        }
    }

    /// The exercise of this id, number or name, or that had the id in an earlier version of the course.
    pub fn exactly(&self, name: &str) -> Option<&'a dyn Exercise> {
        let wanted = spelled(name);
        let exact = self.exercises.iter().find(|exercise| {
            let (number, rest) = parts(exercise.id());
            exercise.id() == wanted || rest == wanted || same_number(number, &wanted)
        });
        let formerly = |exercise: &&&dyn Exercise| exercise.about().formerly.contains(&&*wanted);
        exact.or_else(|| self.exercises.iter().find(formerly)).copied()
    }

    /// The exercise of this name; without one that in whose folder this is. `command` is the one that asks.
    ///
    /// # Errors
    /// As [`Course::find`] and [`Course::here`].
    pub fn named_or_here(&self, name: Option<&str>, command: &str) -> Result<&'a dyn Exercise> {
        name.map_or_else(|| self.here(command), |name| self.find(name))
    }

    /// The exercise in whose folder this is. `command` is the one that asks.
    ///
    /// # Errors
    /// Wrong usage anywhere else.
    pub fn here(&self, command: &str) -> Result<&'a dyn Exercise> {
        let here = current_directory()?;
        let folder = CourseFolder::find(&here);
        let below = folder.as_ref().and_then(|folder| here.strip_prefix(&folder.path).ok());
        let name = below.and_then(|below| below.components().next()?.as_os_str().to_str());
        let exercise = name.and_then(|name| self.of_folder(name));
        exercise.ok_or_else(|| {
            Trouble::usage(
                "no exercise is named, and this is no exercise's folder",
                format!(
                    "name one, as in `grader {command} 03`, or change to its folder; `grader list` shows all"
                ),
            )
        })
    }

    /// The exercise that a kernel's file says it is of: by its first lines, or by its folder's name. None where neither
    /// says it.
    ///
    /// # Errors
    /// Wrong usage where the two name different exercises.
    pub fn of_file(&self, kernel: &Path) -> Result<Option<&'a dyn Exercise>> {
        let text = files::read_kernel(kernel).unwrap_or_default();
        let said = stub::id_line(&text).and_then(|line| self.exactly(line.id));
        let absolute = path::absolute(kernel).ok();
        let folder = absolute.as_deref().and_then(Path::parent).and_then(Path::file_name);
        let lies_in = folder.and_then(|name| self.of_folder(name.to_str()?));
        match (said, lies_in) {
            (Some(said), Some(lies_in)) if said.id() != lies_in.id() => Err(Trouble::usage(
                format!(
                    "{} is of {} by its first lines, and lies in the folder of {}",
                    shown(kernel),
                    said.id(),
                    lies_in.id()
                ),
                format!("name the one that is meant, as in `grader check {} --kernel FILE`", said.id()),
            )),
            _ => Ok(said.or(lies_in)),
        }
    }

    /// The exercise whose folder has this name, or had it in an earlier version of the course.
    fn of_folder(&self, name: &str) -> Option<&'a dyn Exercise> {
        let is_now = |exercise: &&dyn Exercise| exercise.id() == name;
        let was = |exercise: &&dyn Exercise| exercise.about().formerly.contains(&name);
        let all = || self.exercises.iter().copied();
        all().find(is_now).or_else(|| all().find(was))
    }

    /// The exercises of these names, or all where none is named.
    ///
    /// # Errors
    /// As [`Course::find`].
    pub fn named(&self, names: &[String]) -> Result<Vec<&'a dyn Exercise>> {
        if names.is_empty() {
            Ok(self.exercises.to_vec())
        } else {
            names.iter().map(|name| self.find(name)).collect()
        }
    }

    fn unknown(&self, name: &str, wanted: &str) -> Trouble {
        let distance = |exercise: &dyn Exercise| {
            let (_, rest) = parts(exercise.id());
            strsim::damerau_levenshtein(wanted, rest).min(strsim::damerau_levenshtein(wanted, exercise.id()))
        };
        let nearest = self
            .exercises
            .iter()
            .map(|exercise| (distance(*exercise), exercise.id()))
            .filter(|(distance, id)| *distance <= 2.max(id.len() / 3))
            .min();
        let next = match nearest {
            Some((_, id)) => format!("did you mean `{id}`? `grader list` shows all exercises"),
            None => "`grader list` shows all exercises".to_owned(),
        };
        Trouble::usage(format!("there is no exercise `{name}`"), next)
    }
}

/// A name as ids are spelled.
fn spelled(name: &str) -> String {
    last_component(name).to_lowercase().replace('_', "-")
}

/// The folder's name when a path was given, as the shell completes it.
fn last_component(name: &str) -> &str {
    let name = name.trim_end_matches('/');
    let name = name.strip_suffix("/kernel.cu").unwrap_or(name);
    name.rsplit('/').next().unwrap_or(name)
}

/// `03-reduction` as (`03`, `reduction`).
fn parts(id: &str) -> (&str, &str) {
    id.split_once('-').unwrap_or(("", id))
}

fn same_number(number: &str, wanted: &str) -> bool {
    match (number.parse::<u32>(), wanted.parse::<u32>()) {
        (Ok(number), Ok(wanted)) => number == wanted,
        _ => false,
    }
}

#[cfg(test)]
pub mod made_up {
    //! Courses for tests.

    use harness::exercise::Exercise;

    use super::Course;
    use crate::sample::Named;

    /// Calls `f` with a course of these exercises.
    pub fn course<T>(exercises: &[Named], f: impl FnOnce(Course<'_>) -> T) -> T {
        let exercises: Vec<&dyn Exercise> =
            exercises.iter().map(|exercise| exercise as &dyn Exercise).collect();
        f(Course { exercises: &exercises })
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::course;
    use crate::sample::Named;

    fn found(name: &str) -> String {
        let named: [Named; 4] = [
            Named("00-first-kernel"),
            Named("03-reduction"),
            Named("14-block-scan"),
            Named("17-capstone-scan"),
        ];
        course(&named, |course| match course.find(name) {
            Ok(exercise) => exercise.id().to_owned(),
            Err(trouble) => format!("{trouble} | {}", trouble.next),
        })
    }

    #[test]
    fn names_resolve_leniently() {
        for name in [
            "03-reduction",
            "03",
            "3",
            "reduction",
            "red",
            "Reduction",
            "learn/03-reduction/",
            "learn/03-reduction/kernel.cu",
        ] {
            assert_eq!(found(name), "03-reduction", "{name}");
        }
        assert_eq!(found("0"), "00-first-kernel");
        assert_eq!(found("first_kernel"), "00-first-kernel");
    }

    #[test]
    fn an_earlier_id_names_the_exercise_unless_it_is_anothers_now() {
        use harness::exercise::{About, Case, Constants, Exercise};
        struct Renamed(&'static str, &'static [&'static str]);
        impl Exercise for Renamed {
            fn about(&self) -> About {
                About { formerly: self.1, ..Named(self.0).about() }
            }
            fn cases(&self) -> Vec<Case> {
                Vec::new()
            }
            fn plan(&self, _: &Case, _: u64, _: &Constants) -> harness::plan::Plan {
                harness::plan::Plan::new()
            }
        }
        let exercises: [&dyn Exercise; 2] =
            [&Renamed("05-maximum", &["03-reduction", "04-voting"]), &Renamed("04-voting", &[])];
        let course = super::Course { exercises: &exercises };
        let found = |name| course.find(name).unwrap().id();
        assert_eq!(
            (found("03-reduction"), found("04-voting"), found("04")),
            ("05-maximum", "04-voting", "04-voting")
        );
        let folder = |name| course.of_folder(name).map(|exercise| exercise.id());
        assert_eq!(
            (folder("03-reduction"), folder("04-voting"), folder("03")),
            (Some("05-maximum"), Some("04-voting"), None)
        );
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        insta::assert_snapshot!(found("redcution"), @"there is no exercise `redcution` | did you mean `03-reduction`? `grader list` shows all exercises");
        insta::assert_snapshot!(found("quantum"), @"there is no exercise `quantum` | `grader list` shows all exercises");
        insta::assert_snapshot!(found("1"), @"`1` names more than one exercise: 14-block-scan, 17-capstone-scan … | give the number or more of the name");
    }
}
