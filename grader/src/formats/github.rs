//! Results as GitHub's workflow commands, which become annotations of the lines that a change touches.
//!
//! A command is one line, `::error file=…,line=…,title=…::message`. The runner obeys whatever line of a log begins with `::`,
//! so nothing else is printed, and what would end a command or one of its properties is escaped
//! (`@actions/toolkit`, packages/core/src/command.ts).

use super::{
    annotation::{Annotation, Level, of_kernel},
    result::KernelResult,
};

/// All commands, one a line.
pub fn annotations(results: &[KernelResult]) -> String {
    results.iter().flat_map(of_kernel).map(|each| format!("{}\n", written(&each))).collect()
}

/// As the runner reads it.
fn written(annotation: &Annotation<'_>) -> String {
    let Annotation { level, file, line, column, message, .. } = annotation;
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
        place.into_iter().flatten().chain([format!("title={}", property(&annotation.title()))]).collect();
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
