//! What is said at a place of a file: the remarks of a result, and the goals that they say nothing of.

use warpsim::Severity;

use super::result::{Ending, KernelResult, Test, TestOf, openable};
use crate::sentences::Sentences;

/// How an annotation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is why the kernel failed.
    Error,
    /// It is worth a look.
    Warning,
    /// It is worth knowing.
    Notice,
}

/// One annotation.
pub struct Annotation<'a> {
    /// How it is shown.
    pub level: Level,
    /// The file; none where nothing was read.
    pub file: Option<&'a str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1; 0 for the whole line.
    pub column: u32,
    /// The kernel that it is about.
    pub kernel: &'a str,
    /// The rule or the goal that it is about; none where it is about all of the kernel.
    pub what: Option<&'a str>,
    /// What it says; the first line is the gist.
    pub message: String,
}

impl Annotation<'_> {
    /// What it is about: `03-reduction: clean`.
    pub fn title(&self) -> String {
        match self.what {
            Some(what) => format!("{}: {what}", self.kernel),
            None => self.kernel.to_owned(),
        }
    }
}

/// All that is worth an annotation of one kernel.
pub fn of_kernel(result: &KernelResult) -> Vec<Annotation<'_>> {
    let mut all: Vec<Annotation<'_>> =
        result.remarks.iter().map(|remark| of_remark(remark, result)).collect();
    // The cases are in the goal's message.
    let tests = result.tests.iter().filter(|test| test.of != TestOf::Case);
    all.extend(tests.flat_map(|test| of_test(test, result)));
    if result.passed {
        let message = format!("{} {}", result.name, result.summary);
        all.push(at_file(Level::Notice, result, None, message));
    }
    all
}

fn of_remark<'a>(remark: &'a Sentences, result: &'a KernelResult) -> Annotation<'a> {
    let level = match remark.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Notice,
    };
    let message = [&remark.message].into_iter().chain(&remark.details);
    let message = message.map(String::as_str).collect::<Vec<_>>().join("\n");
    let (kernel, what) = (&result.name[..], Some(&remark.what[..]));
    match remark.place.as_ref().filter(|place| openable(place, result.file.as_deref())) {
        Some(place) => Annotation {
            level,
            file: Some(&place.file),
            line: place.line,
            column: place.column,
            kernel,
            what,
            message,
        },
        // A header of the course is in no file here; the details name it.
        None => at_file(level, result, what, message),
    }
}

/// What a goal's test is worth telling beyond the remarks.
fn of_test<'a>(test: &'a Test, result: &'a KernelResult) -> Vec<Annotation<'a>> {
    let (level, why) = match &test.ending {
        Ending::Failed(_) if test.is_remarked => return Vec::new(),
        Ending::Failed(why) => (Level::Error, why),
        Ending::Undecided(why) if test.of == TestOf::Judge => (Level::Error, why),
        Ending::Undecided(why) => (Level::Warning, why),
        Ending::Passed | Ending::Skipped(_) => return Vec::new(),
    };
    let what = Some(&test.name[..]);
    if !test.lines.is_empty() {
        let at = |(line, message): &(u32, String)| Annotation {
            line: *line,
            ..at_file(level, result, what, message.clone())
        };
        return test.lines.iter().map(at).collect();
    }
    let message =
        if why.text.is_empty() { why.message.clone() } else { format!("{}\n{}", why.message, why.text) };
    vec![at_file(level, result, what, message)]
}

/// An annotation of the whole file.
fn at_file<'a>(
    level: Level,
    result: &'a KernelResult,
    what: Option<&'a str>,
    message: String,
) -> Annotation<'a> {
    let (file, kernel) = (result.file.as_deref(), &result.name[..]);
    Annotation { level, file, line: 0, column: 0, kernel, what, message }
}
