//! Results as lines for editors: `FILE:LINE:COLUMN: error: MESSAGE [WHAT]`, as compilers have written them for decades, so
//! that whatever jumps from a compiler's message to its place does so here. VS Code's task in a course folder reads them.

use super::{
    annotation::{Annotation, Level, of_kernel},
    result::KernelResult,
};
use crate::visible::one_line;

/// All lines, and the verdicts last.
pub fn lines(results: &[KernelResult]) -> String {
    let mut out = String::new();
    for result in results {
        let said = of_kernel(result);
        // A pass is told in the last line.
        for each in said.iter().filter(|each| each.level != Level::Notice) {
            out.push_str(&format!("{}\n", line(each, result)));
        }
        out.push_str(&format!("{} {}\n", result.name, result.summary));
    }
    out
}

fn line(annotation: &Annotation<'_>, result: &KernelResult) -> String {
    let Annotation { level, file, line, column, kernel, what, message } = annotation;
    let level = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "info",
    };
    // What is wrong with the whole kernel stands where the learner's part of it begins: a place that no line has
    // would be one that no editor shows.
    let line = if *line == 0 { result.begins } else { *line };
    let what = what.unwrap_or(kernel);
    let message = one_line(&message.replace('\n', "; "));
    let place = file.map_or(String::new(), |file| format!("{file}:{line}:{}: ", (*column).max(1)));
    format!("{place}{level}: {message} [{}]", what.replace(' ', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_failed_check_and_one_that_passed() {
        let results = [sample::failed(), sample::passed()].map(|report| KernelResult::of_check(&report));
        insta::assert_snapshot!(lines(&results));
    }
}
