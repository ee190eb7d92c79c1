//! The line at a stub's top that says which exercise it is of: `// 03-reduction: the largest of n floats.`
//!
//! It stays where a learner writes below it, so that a kernel can be told wherever it lies.

use harness::exercise::Exercise;

use crate::folder::VERSION;

/// What the line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdLine<'a> {
    /// The exercise's id, as this or an earlier version of the course has it.
    pub id: &'a str,
    /// The version of the course that the stub is of.
    pub course: Option<&'a str>,
}

/// An exercise's stub as it is written into a course folder: its first line says the version of the course, so that
/// whoever collects kernels knows for which one each was written.
pub fn written(exercise: &dyn Exercise) -> String {
    let stub = exercise.about().stub;
    let Some(line) = stub.lines().find(|line| id_line(line).is_some()) else { return stub.to_owned() };
    stub.replacen(line, &format!("{line} (course {VERSION})"), 1)
}

/// Learners put their names above it.
const SEARCHED: usize = 10;

/// Finds the line near the top of a kernel.
pub fn id_line(kernel: &str) -> Option<IdLine<'_>> {
    kernel.lines().take(SEARCHED).find_map(|line| {
        let (id, rest) = line.trim().strip_prefix("//")?.trim_start().split_once(':')?;
        let (number, name) = id.split_once('-')?;
        let is_number = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        (is_number && is_name).then(|| IdLine { id, course: version(rest) })
    })
}

/// Whether a kernel is this stub, as it came with any version of the course that has the same.
pub fn is_untouched(kernel: &str, stub: &str) -> bool {
    let without_version = |text: &str| -> String {
        let line = id_line(text).and_then(|line| line.course);
        line.map_or_else(|| text.to_owned(), |version| text.replacen(&format!(" (course {version})"), "", 1))
    };
    kernel == stub || without_version(kernel).replace("\r\n", "\n") == stub
}

fn version(rest: &str) -> Option<&str> {
    let (_, version) = rest.trim_end().strip_suffix(')')?.rsplit_once("(course ")?;
    let is_version = !version.is_empty()
        && version.len() <= 40
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
    is_version.then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_nothing_else_is() {
        let id = |text| id_line(text).map(|line| (line.id, line.course));
        assert_eq!(id("// 03-reduction: the largest.\n"), Some(("03-reduction", None)));
        let mine = "// Ada (ada@example.edu)\n\n  //03-reduction: the largest. (course 0.1.0)\r\n";
        assert_eq!(id(mine), Some(("03-reduction", Some("0.1.0"))));
        assert_eq!(id("// 03-reduction: (course <b>)\n"), Some(("03-reduction", None)));
        for other in
            ["", "// 3-reduction: x", "// reduction: x", "// 03-Reduction: x", "03-reduction: x", "// 03-: x"]
        {
            assert_eq!(id(other), None, "{other}");
        }
        assert_eq!(id(&format!("{}// 03-reduction: x", "\n".repeat(10))), None);
    }

    #[test]
    fn every_stub_has_it_and_is_written_with_its_version() {
        for exercise in course::COURSE {
            let stub = exercise.about().stub;
            assert_eq!(id_line(stub), Some(IdLine { id: exercise.id(), course: None }));
            let written = written(*exercise);
            assert_eq!(id_line(&written), Some(IdLine { id: exercise.id(), course: Some(VERSION) }));
            assert_eq!(written.lines().count(), stub.lines().count(), "a report's lines stay the chapter's");
            for untouched in
                [stub, &written, &written.replace(VERSION, "0.0.9"), &written.replace('\n', "\r\n")]
            {
                assert!(is_untouched(untouched, stub));
            }
            assert!(!is_untouched(&format!("{written}\n"), stub));
        }
    }
}
