//! `grader class init`: writes an assignment to start from.

use std::{fmt::Write as _, io::ErrorKind, path::Path};

use crate::{
    assignment::parts_of,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    outputs::Output,
    terminal::in_lines,
    visible::shown,
};

/// What comes before the exercises.
const HEAD: &str = include_str!("init.toml");

/// Runs it.
///
/// # Errors
/// Wrong usage where something is there already.
pub fn run(course: Course<'_>, file: &Path) -> Result<Exit> {
    let name = shown(file);
    Output { option: "class init", path: file, what: "assignment" }.require_folder()?;
    files::write_new(file, example(course).as_bytes()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Trouble::usage(
            format!("{name} is there already"),
            "move it away, or name another file: `grader class init FILE.toml`",
        ),
        _ => Trouble::judge(
            format!("could not write {name}: {}", files::explain(&error)),
            "make room there, make the folder writable, or name another file",
        ),
    })?;
    crate::print(&in_lines(&format!(
        "{name}: every exercise with points to change. next: edit it, then `grader class score SUBMISSIONS --assignment \
         {name} --dry-run`"
    )));
    Ok(Exit::Passed)
}

/// The file's text: all that an assignment may say, and every exercise of the course.
pub fn example(course: Course<'_>) -> String {
    let mut out = HEAD.to_owned();
    for exercise in course.exercises {
        let title = exercise.about().title.replace(['\n', '\r'], " ");
        let _ = writeln!(out, "\n# {title}\n[exercises.{}]", exercise.id());
        for (part, points) in parts_of(*exercise) {
            let _ = writeln!(out, "{part} = {points}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::{
        Assignment,
        class::{KEYS, OVERRIDE_KEYS},
    };

    #[test]
    fn the_example_parses_and_has_every_key() {
        let folder = tempfile::tempdir().unwrap();
        let course = Course { exercises: course::COURSE };
        let text = example(course);
        let whole = folder.path().join("whole.toml");
        // What may be left out stands there as a comment; it must parse, too.
        let all: Vec<&str> = text.lines().map(|line| line.strip_prefix("#: ").unwrap_or(line)).collect();
        assert_ne!(all.join("\n"), text.trim_end());
        for text in [&text, &all.join("\n")] {
            std::fs::write(&whole, text).unwrap();
            let (assignment, _) =
                Assignment::read(&whole, course).map_err(|trouble| trouble.message).unwrap();
            assert_eq!(assignment.exercises.len(), course.exercises.len());
            assert!(assignment.class.is_some());
        }
        let has = |key: &str| all.iter().any(|line| line.starts_with(&format!("{key} = ")));
        for key in KEYS.iter().chain(&OVERRIDE_KEYS).chain(&crate::assignment::KEYS) {
            let is_table = all.iter().any(|line| {
                line.starts_with(&format!("[{key}")) || line.starts_with(&format!("[[class.{key}"))
            });
            assert!(has(key) || is_table, "{key}");
        }
    }
}
