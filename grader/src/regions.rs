//! The learner's regions of a kernel: what stands between the marks `// >>>` and `// <<<`.

use std::ops::Range;

/// What opens and closes a region.
pub const MARKS: (&str, &str) = (">>>", "<<<");

/// The regions' lines, numbered from 0, without those of the marks. One that is never closed is none.
pub fn regions(source: &str) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    let mut opened = None;
    for (number, line) in source.lines().enumerate() {
        match opened {
            Some(first) if is_mark(line, MARKS.1) => {
                regions.push(first..number);
                opened = None;
            }
            None if is_mark(line, MARKS.0) => opened = Some(number + 1),
            _ => {}
        }
    }
    regions
}

fn is_mark(line: &str, mark: &str) -> bool {
    line.trim_start().strip_prefix("//").is_some_and(|rest| rest.trim_start().starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_what_stands_between_its_marks() {
        let source = "a\n// >>> yours\nb\nc\n  // <<<\nd\n// >>> empty\n// <<<\n// >>> open\ne\n";
        assert_eq!(regions(source), [2..4, 7..7]);
    }
}
