//! Findings and compiler messages as sentences: what, where as `file:line:column`, why. For whoever can't use a drawing:
//! screen readers, and programs that collect results. Nothing is drawn, coloured or broken into lines of a width.

use std::fmt;

use harness::report::Diagnostic;
use warpsim::{Finding, Place, Severity};

use crate::{
    excerpt::{self, Judged},
    visible::{one_line, visible},
};

/// What is said of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentences {
    /// How bad it is.
    pub severity: Severity,
    /// What it is: `race`, or `compiler`.
    pub what: String,
    /// Where it is, by a file that the reader knows.
    pub place: Option<Place>,
    /// What is wrong and what to do.
    pub message: String,
    /// The lines concerned, and facts.
    pub details: Vec<String>,
}

impl fmt::Display for Sentences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(", at {}", written(place)));
        write!(f, "{}, {}{place}: {}", self.severity.name(), self.what, self.message)?;
        self.details.iter().try_for_each(|detail| write!(f, "\n{detail}"))
    }
}

/// Of a finding.
pub fn finding(finding: &Finding, judged: Judged<'_>) -> Sentences {
    let (here, there) = excerpt::labels(finding);
    let mut details = Vec::new();
    match (&finding.place, &finding.other) {
        (Some(place), Some(other)) if place == other => {
            let both = excerpt::both_here(finding).unwrap_or(format!("{here}; {there}"));
            details.push(line(place, judged, &both));
        }
        (place, other) => {
            details.extend(place.iter().map(|place| line(place, judged, &here)));
            details.extend(other.iter().map(|other| line(other, judged, &there)));
        }
    }
    let facts = excerpt::facts(finding);
    if !facts.is_empty() {
        details.push(format!("{facts}."));
    }
    Sentences {
        severity: finding.severity,
        what: finding.kind.name().to_owned(),
        place: finding.place.as_ref().map(|place| known(place, judged)),
        message: visible(&finding.message),
        details,
    }
}

/// Of a compiler message.
pub fn diagnostic(diagnostic: &Diagnostic, judged: Judged<'_>) -> Sentences {
    Sentences {
        severity: diagnostic.severity,
        what: "compiler".to_owned(),
        place: diagnostic.place.as_ref().map(|place| known(place, judged)),
        message: visible(&diagnostic.message),
        details: diagnostic
            .place
            .iter()
            .map(|place| line(place, judged, ""))
            .chain(diagnostic.help.iter().map(|help| format!("help: {}", visible(help))))
            .collect(),
    }
}

/// A place, as people and editors write it.
fn written(place: &Place) -> String {
    match place.column {
        0 => format!("{}:{}", place.file, place.line),
        column => format!("{}:{}:{column}", place.file, place.line),
    }
}

/// A place by the file's name that the reader knows, on one line.
fn known(place: &Place, judged: Judged<'_>) -> Place {
    let file = if excerpt::is_judged(place, judged) { judged.path } else { &place.file };
    Place { file: one_line(file), ..place.clone() }
}

/// A line of the source, and what happens there.
fn line(place: &Place, judged: Judged<'_>, label: &str) -> String {
    let known = known(place, judged);
    let text = judged.source.lines().nth((place.line as usize).wrapping_sub(1)).unwrap_or_default();
    let text = match excerpt::is_judged(place, judged) {
        true => format!(" `{}`", visible(text.trim())),
        false => String::new(),
    };
    let label = if label.is_empty() { String::new() } else { format!(": {label}") };
    format!("{}:{}{text}{label}", known.file, known.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_finding_names_its_lines() {
        let judged = Judged { path: "learn/03-reduction/kernel.cu", source: sample::SOURCE };
        insta::assert_snapshot!(finding(&sample::race(), judged).to_string());
        insta::assert_snapshot!(finding(&sample::out_of_bounds(), judged).to_string());
    }

    #[test]
    fn a_header_is_named_without_a_line_of_the_kernel() {
        let judged = Judged { path: "kernel.cu", source: "one\ntwo\n" };
        let place = Some(Place { file: "course.cuh".to_owned(), line: 2, column: 7 });
        let message = "expected a `;`".to_owned();
        let said = diagnostic(
            &Diagnostic { place, severity: Severity::Error, message, excerpt: String::new(), help: None },
            judged,
        );
        assert_eq!(said.to_string(), "error, compiler, at course.cuh:2:7: expected a `;`\ncourse.cuh:2");
    }
}
