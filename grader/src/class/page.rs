//! What the class report and the students' pages have in common: the style, and that no text of a learner is anything
//! but text. Pages have no scripts and need no other file.

use harness::report::Verdict;
use minijinja::{AutoEscape, Environment, escape_formatter, value::Value};

use super::row::{Outcome, Row};
use crate::visible::visible;

/// The style of both.
pub const STYLE: &str = include_str!("page.css");

/// Where templates are rendered.
pub fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // Whatever text comes from a learner: no template can forget it.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => escape_formatter(out, state, &Value::from(visible(text))),
        _ => escape_formatter(out, state, value),
    });
    // Names of files carry `%NN`, which a link must not decode.
    environment.add_filter("url", |text: String| text.replace('%', "%25"));
    environment.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    environment
}

/// How a row's status is shown.
pub fn class_of(row: &Row) -> &'static str {
    match (row.outcome, row.verdict) {
        (Outcome::Graded, Some(verdict)) => class_of_verdict(verdict),
        (Outcome::Graded, None) => "open",
        (Outcome::NotGradable | Outcome::NotJudged, _) => "missing",
        (Outcome::JudgeError, _) => "broken",
    }
}

/// How a verdict is shown.
pub fn class_of_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Inconclusive | Verdict::Unmeasured => "open",
    }
}
