//! Results as GitHub's workflow commands, which become annotations of the lines that a change touches.
//!
//! A command is one line, `::error file=…,line=…,title=…::message`. The runner obeys whatever line of a log begins with `::`,
//! so nothing else is printed, and what would end a command or one of its properties is escaped
//! (`@actions/toolkit`, packages/core/src/command.ts).

use warpsim::Severity;

use super::result::{Ending, KernelResult, Test, TestOf, openable};
use crate::sentences::Sentences;

/// All commands, one a line.
pub fn annotations(results: &[KernelResult]) -> String {
    results.iter().flat_map(of_kernel).map(|each| format!("{each}\n")).collect()
}

/// How an annotation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Notice,
}

/// One annotation.
struct Annotation<'a> {
    level: Level,
    file: Option<&'a str>,
    line: u32,
    column: u32,
    title: String,
    message: String,
}

fn of_kernel(result: &KernelResult) -> Vec<String> {
    let mut all: Vec<Annotation<'_>> =
        result.remarks.iter().map(|remark| of_remark(remark, result)).collect();
    // The cases are in the goal's message.
    let tests = result.tests.iter().filter(|test| test.of != TestOf::Case);
    all.extend(tests.flat_map(|test| of_test(test, result)));
    if result.passed {
        let message = format!("{} {}", result.name, result.summary);
        all.push(at_file(Level::Notice, result, result.name.clone(), message));
    }
    all.iter().map(written).collect()
}

fn of_remark<'a>(remark: &'a Sentences, result: &'a KernelResult) -> Annotation<'a> {
    let level = match remark.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Notice,
    };
    let message = [&remark.message].into_iter().chain(&remark.details);
    let message = message.map(String::as_str).collect::<Vec<_>>().join("\n");
    let title = format!("{}: {}", result.name, remark.what);
    match remark.place.as_ref().filter(|place| openable(place, result.file.as_deref())) {
        Some(place) => Annotation {
            level,
            file: Some(&place.file),
            line: place.line,
            column: place.column,
            title,
            message,
        },
        // A header of the course is in no file here; the details name it.
        None => at_file(level, result, title, message),
    }
}

/// What a goal's test is worth telling beyond the remarks.
fn of_test<'a>(test: &Test, result: &'a KernelResult) -> Vec<Annotation<'a>> {
    let (level, why) = match &test.ending {
        Ending::Failed(_) if test.is_remarked => return Vec::new(),
        Ending::Failed(why) => (Level::Error, why),
        Ending::Undecided(why) if test.of == TestOf::Judge => (Level::Error, why),
        Ending::Undecided(why) => (Level::Warning, why),
        Ending::Passed | Ending::Skipped(_) => return Vec::new(),
    };
    let title = format!("{}: {}", result.name, test.name);
    if !test.lines.is_empty() {
        let at = |(line, what): &(u32, String)| Annotation {
            line: *line,
            ..at_file(level, result, title.clone(), what.clone())
        };
        return test.lines.iter().map(at).collect();
    }
    let message =
        if why.text.is_empty() { why.message.clone() } else { format!("{}\n{}", why.message, why.text) };
    vec![at_file(level, result, title, message)]
}

/// An annotation of the whole file.
fn at_file(level: Level, result: &KernelResult, title: String, message: String) -> Annotation<'_> {
    Annotation { level, file: result.file.as_deref(), line: 0, column: 0, title, message }
}

/// As the runner reads it.
fn written(annotation: &Annotation<'_>) -> String {
    let Annotation { level, file, line, column, title, message } = annotation;
    let name = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    };
    let number = |name: &str, number: u32| (number > 0).then(|| format!("{name}={number}"));
    let file = file.map(|file| format!("file={}", property(file)));
    // A column means nothing without its line.
    let place = [file, number("line", *line), number("col", *column).filter(|_| *line > 0)];
    let properties: Vec<String> =
        place.into_iter().flatten().chain([format!("title={}", property(title))]).collect();
    format!("::{name} {}::{}", properties.join(","), data(message))
}

/// A message: one line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value: it ends at no comma and no colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{formats::KernelResult, sample};

    #[test]
    fn a_failed_check() {
        insta::assert_snapshot!(annotations(&[KernelResult::of_check(&sample::failed())]));
    }

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(data("100 %\r\n::error::x"), "100 %25%0D%0A::error::x");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
