//! Results as JUnit's XML, which servers for continuous integration and gradebooks read: a suite for each kernel, in it a
//! test for each goal and each case.
//!
//! A goal that failed is a failure; what the judge could not do or the machine could not decide is an error, and what was
//! not judged is skipped. The file is what Jenkins' schema admits, the strictest of those in use.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::result::{Ending, KernelResult, Test, TestOf, Why};
use crate::exit::{Result, Trouble};

/// The whole file.
///
/// # Errors
/// Results that have no XML: a bug.
pub fn xml(results: &[KernelResult]) -> Result<String> {
    let mut report = Report::new("grader");
    report.add_test_suites(results.iter().map(suite));
    let text = report
        .to_string()
        .map_err(|error| Trouble::judge(format!("could not write XML: {error}"), "report this as a bug"))?;
    // Jenkins knows this attribute of a suite, not of the whole file, and refuses the file.
    Ok(text.replacen(&format!(" skipped=\"{}\"", report.skipped), "", 1))
}

fn suite(result: &KernelResult) -> TestSuite {
    let mut suite = TestSuite::new(&*result.name);
    if let Some(file) = &result.file {
        suite.add_property(("kernel", file.as_str()));
    }
    suite.add_test_cases(result.tests.iter().map(|test| case(test, &result.name)));
    suite
}

fn case(test: &Test, kernel: &str) -> TestCase {
    let status = match &test.ending {
        Ending::Passed => TestCaseStatus::success(),
        Ending::Failed(why) => not_passed(NonSuccessKind::Failure, why),
        Ending::Undecided(why) => not_passed(NonSuccessKind::Error, why),
        Ending::Skipped(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(why.as_str());
            status
        }
    };
    let mut case = TestCase::new(&*test.name, status);
    case.set_classname(match test.of {
        TestOf::Judge => format!("{kernel}.judge"),
        TestOf::Goal => format!("{kernel}.goal"),
        TestOf::Case => format!("{kernel}.case"),
    });
    case
}

fn not_passed(kind: NonSuccessKind, why: &Why) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    // An attribute is one line: a reader of XML makes spaces of its ends of lines.
    status.set_type(why.kind.as_str()).set_message(why.message.replace('\n', " "));
    if !why.text.is_empty() {
        status.set_description(why.text.as_str());
    }
    status
}
