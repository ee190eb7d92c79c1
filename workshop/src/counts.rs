//! What the simulator counted and found for every kernel of an exercise, as text that is committed beside the
//! solution: a change of the compiler or of the simulator shows as a difference of lines.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use grader::kernels::{Candidate, Role};
use harness::{exercise::Exercise, report::Report};
use warpsim::Counters;

/// Where an exercise's counts lie, below the course's root.
pub fn path(exercise: &dyn Exercise) -> PathBuf {
    PathBuf::from("solutions").join(exercise.id()).join("counts.txt")
}

/// The counts of an exercise's kernels. Wrong kernels have their errors instead: they may stop anywhere.
pub fn text<'a>(kernels: impl IntoIterator<Item = (&'a Candidate, &'a Report)>) -> String {
    let mut text = "Made by `workshop bless`: sim:h200, public seed, counters that are not 0.\n".to_owned();
    for (candidate, report) in kernels {
        // Whatever these count is within the bounds, and more is not asked of them.
        if candidate.role == Role::Right {
            continue;
        }
        let _ = writeln!(text, "\n{}", candidate.file.display());
        if candidate.role == Role::Wrong {
            errors(report, &mut text);
        } else {
            counters(report, &mut text);
        }
    }
    text
}

fn errors(report: &Report, text: &mut String) {
    let mut lines: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.is_error()) {
        let places = lines.entry(finding.kind.name()).or_default();
        places.extend(finding.place.as_ref().map(|place| place.line));
    }
    for (kind, mut places) in lines {
        places.sort_unstable();
        places.dedup();
        let places: Vec<String> = places.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "  | {kind} {}", places.join(" "));
    }
}

fn counters(report: &Report, text: &mut String) {
    for case in &report.cases {
        let Some(counters) = &case.counters else { continue };
        let _ = write!(text, "  {}", case.name);
        for (name, count) in nonzero(counters) {
            let _ = write!(text, " | {name} {count}");
        }
        text.push('\n');
    }
}

/// The counters that counted something, by name, in their own order.
fn nonzero(counters: &Counters) -> Vec<(String, u64)> {
    let Ok(serde_json::Value::Object(all)) = serde_json::to_value(counters) else { return Vec::new() };
    all.into_iter()
        .filter_map(|(name, count)| Some((name, count.as_u64()?)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// One line that differs between two texts of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kernel.
    pub kernel: String,
    /// The case; empty for findings.
    pub case: String,
    /// The counter or kind of finding.
    pub what: String,
    /// What was committed; empty where nothing was.
    pub was: String,
    /// What is now.
    pub is: String,
}

/// Every line that differs.
pub fn differences(was: &str, is: &str) -> Vec<Difference> {
    let (was, is) = (entries(was), entries(is));
    let mut places: Vec<_> = was.keys().chain(is.keys()).collect();
    places.sort();
    places.dedup();
    let of =
        |entries: &BTreeMap<Place, String>, place: &Place| entries.get(place).cloned().unwrap_or_default();
    let all = places.into_iter().map(|place| {
        let (kernel, case, what) = place.clone();
        Difference { kernel, case, what, was: of(&was, place), is: of(&is, place) }
    });
    all.filter(|difference| difference.was != difference.is).collect()
}

/// Kernel, case, counter.
type Place = (String, String, String);

fn entries(text: &str) -> BTreeMap<Place, String> {
    let mut entries = BTreeMap::new();
    let mut kernel = String::new();
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let Some(counts) = line.strip_prefix("  ") else {
            kernel = line.to_owned();
            continue;
        };
        let mut parts = counts.split('|').map(str::trim);
        let case = parts.next().unwrap_or_default();
        for part in parts {
            let (what, value) = part.split_once(' ').unwrap_or((part, ""));
            entries.insert((kernel.clone(), case.to_owned(), what.to_owned()), value.to_owned());
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAS: &str = "Made by …\n\nsolutions/x/kernel.cu\n  n = 1 | barriers 3 | local_requests 1\n\n\
                       solutions/x/wrong/a.cu\n  | race 12 14\n";

    #[test]
    fn equal_counts_differ_in_nothing() {
        assert_eq!(differences(WAS, WAS), []);
    }

    #[test]
    fn every_difference_is_named_with_its_place() {
        let is =
            WAS.replace("barriers 3", "barriers 4").replace(" | local_requests 1", "").replace("12 14", "12");
        let found: Vec<String> = differences(WAS, &is)
            .iter()
            .map(|d| format!("{} | {} | {} | {} | {}", d.kernel, d.case, d.what, d.was, d.is))
            .collect();
        insta::assert_snapshot!(found.join("\n"), @r"
        solutions/x/kernel.cu | n = 1 | barriers | 3 | 4
        solutions/x/kernel.cu | n = 1 | local_requests | 1 | 
        solutions/x/wrong/a.cu |  | race | 12 14 | 12
        ");
    }

    #[test]
    fn a_kernel_has_its_counters_or_its_errors() {
        let report = crate::sample::failed();
        let candidate = |role: Role, file: &str| Candidate {
            role,
            file: file.into(),
            source: String::new(),
            fails: Default::default(),
            may_fail: Default::default(),
        };
        let (solution, wrong) = (candidate(Role::Solution, "a.cu"), candidate(Role::Wrong, "wrong/b.cu"));
        insta::assert_snapshot!(text([(&solution, &report), (&wrong, &report)]));
    }
}
