//! The page of figures in circulation: what is said is a template's, what is measured is a record's.

use std::fmt;

use minijinja::{Environment, Error, ErrorKind};

use crate::record::Record;

/// What stands where the record has no such figure.
const NOT_MEASURED: &str = "not measured";

/// Fills in a template. It may ask `figure(NAME)`, `how(NAME)`, `ratio(NAME, NAME)` of the record's figures,
/// `speedup(KERNEL)` over the baseline, `against(KERNEL, KERNEL)` of the same exercise, `peers(EXERCISE,
/// CASE, PEER, PEER)`, how many times as long the second of two takes that were timed beside an exercise, and
/// `fewer(KERNEL, KERNEL, COUNTER, CASE)`, how many times fewer the first counts on the simulator than the
/// second, by the exercise's committed counts (`counts` gives their text).
///
/// # Errors
/// A defect of the template: no such function, no such count, or a name that no record could have.
pub fn page(
    template: &str,
    record: &Record,
    counts: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> Result<String, Error> {
    let figures: Vec<(String, f64, String, String)> = record
        .figures
        .iter()
        .map(|figure| (figure.figure.clone(), figure.value, figure.unit.clone(), figure.how.clone()))
        .collect();
    let speedups: Vec<(String, f64)> = record
        .kernels
        .iter()
        .filter_map(|kernel| {
            Some((kernel.candidate.file.display().to_string(), kernel.speed.first()?.speedup))
        })
        .collect();
    let find = move |name: &str| figures.iter().find(|figure| figure.0 == name).cloned();
    let speedup =
        move |kernel: &str| speedups.iter().find(|(file, _)| file == kernel).map(|(_, speedup)| *speedup);

    let mut environment = Environment::new();
    let found = find.clone();
    environment.add_function("figure", move |name: &str| {
        found(name).map_or(NOT_MEASURED.to_owned(), |(_, value, unit, _)| {
            format!("{} {}", Digits(value), sign(&unit))
        })
    });
    let found = find.clone();
    environment
        .add_function("how", move |name: &str| found(name).map_or(String::new(), |(_, _, _, how)| how));
    environment.add_function("ratio", move |above: &str, below: &str| match (find(above), find(below)) {
        (Some((_, above, unit, _)), Some((_, below, other, _))) if unit == other => Ok(times(above / below)),
        (Some(_), Some(_)) => {
            Err(Error::new(ErrorKind::InvalidOperation, format!("{above} and {below} have different units")))
        }
        _ => Ok(NOT_MEASURED.to_owned()),
    });
    let measured = speedup.clone();
    environment
        .add_function("speedup", move |kernel: &str| measured(kernel).map_or(NOT_MEASURED.to_owned(), times));
    environment.add_function("against", move |kernel: &str, other: &str| {
        match (speedup(kernel), speedup(other)) {
            (Some(kernel), Some(other)) => times(kernel / other),
            _ => NOT_MEASURED.to_owned(),
        }
    });
    let times_of: Vec<(String, String, String, f64)> = record
        .peers
        .iter()
        .map(|peer| (peer.exercise.clone(), peer.case.clone(), peer.peer.clone(), peer.median_microseconds()))
        .collect();
    environment.add_function("peers", move |exercise: &str, case: &str, fast: &str, slow: &str| {
        let of = |name: &str| {
            let is = |(of, on, peer, _): &&(String, String, String, f64)| {
                of == exercise && on == case && peer == name
            };
            times_of.iter().find(is).map(|(_, _, _, microseconds)| *microseconds)
        };
        match (of(fast), of(slow)) {
            (Some(fast), Some(slow)) => times(slow / fast),
            _ => NOT_MEASURED.to_owned(),
        }
    });
    environment.add_function("fewer", move |kernel: &str, other: &str, counter: &str, case: &str| {
        let count = |file: &str| {
            let exercise = file.split('/').nth(1).unwrap_or_default();
            let found = counts(exercise).and_then(|text| counted(&text, file, case, counter));
            found.ok_or_else(|| {
                let what = format!("{file} has no {counter} in case {case}");
                Error::new(ErrorKind::InvalidOperation, what)
            })
        };
        Ok::<String, Error>(times(count(other)? / count(kernel)?))
    });
    environment.render_str(template, ())
}

/// One count from an exercise's committed counts: below the kernel's file the line of the
/// case, and in it the counter.
fn counted(text: &str, kernel: &str, case: &str, counter: &str) -> Option<f64> {
    let lines = text.lines().skip_while(|line| *line != kernel).skip(1);
    let mut cases = lines.take_while(|line| !line.is_empty()).map(|line| line.trim().split(" | "));
    let mut counters = cases.find_map(|mut parts| (parts.next() == Some(case)).then_some(parts))?;
    counters.find_map(|part| part.strip_prefix(counter)?.trim().parse().ok())
}

/// A number with three digits that count, and no more zeros than needed.
struct Digits(f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            large if large >= 100.0 => write!(f, "{:.0}", self.0),
            medium if medium >= 10.0 => write!(f, "{:.1}", self.0),
            _ => write!(f, "{:.2}", self.0),
        }
    }
}

fn times(ratio: f64) -> String {
    format!("{}×", Digits(ratio))
}

/// The unit as people write it.
fn sign(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FigureRecord, PeerRecord};

    fn record() -> Record {
        let figure = |name: &str, value: f64, unit: &str| FigureRecord {
            figure: name.to_owned(),
            value,
            unit: unit.to_owned(),
            how: "a chase".to_owned(),
        };
        Record {
            date: String::new(),
            device: String::new(),
            compiler: String::new(),
            kernels: Vec::new(),
            peers: Vec::new(),
            seconds: Default::default(),
            figures: vec![
                figure("near", 29.04, "cycles"),
                figure("far", 700.0, "cycles"),
                figure("wide", 4.2, "TB/s"),
            ],
        }
    }

    #[test]
    fn figures_are_filled_in() {
        let template = "{{ figure('near') }}, {{ how('far') }}, {{ ratio('far', 'near') }}, {{ figure('none') }}, \
                        {{ speedup('a.cu') }}";
        assert_eq!(
            page(template, &record(), |_| None).unwrap(),
            "29.0 cycles, a chase, 24.1×, not measured, not measured"
        );
    }

    #[test]
    fn units_that_differ_are_a_defect() {
        assert!(page("{{ ratio('far', 'wide') }}", &record(), |_| None).is_err());
    }

    #[test]
    fn counts_are_found_by_kernel_case_and_name() {
        let text = "head\n\na/x/slow.cu\n  n = 4 | loads 12 | loads_wide 3\n\na/x/fast.cu\n  n = 3 | loads 7\n  n = 4 | loads 4\n";
        let counts = move |exercise: &str| (exercise == "x").then(|| text.to_owned());
        let ask = |case: &str| {
            page(
                &format!("{{{{ fewer('a/x/fast.cu', 'a/x/slow.cu', 'loads', '{case}') }}}}"),
                &record(),
                counts,
            )
        };
        assert_eq!(ask("n = 4").unwrap(), "3.00×");
        assert!(ask("n = 5").is_err());
    }

    #[test]
    fn two_that_were_timed_beside_an_exercise() {
        let mut record = record();
        for (peer, microseconds) in [("quick", 2.0), ("slow", 5.0)] {
            record.peers.push(PeerRecord {
                exercise: "07".to_owned(),
                peer: peer.to_owned(),
                version: String::new(),
                case: "3 x 3".to_owned(),
                bytes: 1.0,
                operations: 0.0,
                copy_bytes_per_second: 1.0,
                microseconds: vec![microseconds],
            });
        }
        let ask = "{{ peers('07', '3 x 3', 'quick', 'slow') }}, {{ peers('07', '5 x 5', 'quick', 'slow') }}";
        assert_eq!(page(ask, &record, |_| None).unwrap(), "2.50×, not measured");
    }
}
