//! The page of figures in circulation: what is said is a template's, what is measured is a record's.
//!
//! The [`Questions`] that such a template asks are also asked in the text of other pages ([`super::numbers`]).

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use minijinja::{Environment, Error, ErrorKind};
use serde::Deserialize;

use crate::record::Record;

/// The readings of a GPU's counters.
const READINGS: &str = "grader/tests/counters/hardware.json";

/// What stands where the record has no such figure.
const NOT_MEASURED: &str = "not measured";

/// What a text may ask of a record and of the committed counts.
///
/// Texts: `figure(NAME)`, `how(NAME)`, `ratio(NAME, NAME)` of the record's figures; `speedup(KERNEL)` or
/// `speedup(KERNEL, CASE)` over the baseline; `against(KERNEL, KERNEL)` of the same exercise;
/// `peers(EXERCISE, CASE, PEER, PEER)`, how many times as long the second of two takes that were timed beside
/// an exercise; `fewer(KERNEL, KERNEL, COUNTER, CASE)`, how many times fewer the first counts on the simulator
/// than the second.
///
/// Numbers, to calculate with: `value(NAME)` of a figure, `microseconds(KERNEL)` or `microseconds(KERNEL, CASE)`,
/// `baseline(KERNEL, CASE)` for the baseline's time beside it, `count(KERNEL, COUNTER, CASE)`, `ncu(LAUNCH, METRIC)` of
/// the launches whose counters were read on a GPU. Further functions make texts
/// of them: `digits`, three digits that count; `grouped`, a whole number in groups of three; `bare`, a ratio
/// without its sign.
///
/// A kernel is a file below the course's root, or, where the text is of one exercise, below that exercise's folder
/// in `solutions`.
pub struct Questions {
    environment: Environment<'static>,
}

/// A kernel's timed case: its name, the kernel's time, the baseline's, and the speedup.
struct Timed {
    case: String,
    microseconds: f64,
    baseline: f64,
    speedup: f64,
}

impl Questions {
    /// Questions to a record, to the exercises' committed counts and to the readings of a GPU's counters (`read` gives
    /// a file's text, by its path below the course's root). `home` is the exercise that a text is about.
    pub fn new(
        record: &Record,
        read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
        home: Option<&str>,
    ) -> Self {
        let mut environment = Environment::new();
        for (name, written) in [("digits", digits as fn(f64) -> String), ("grouped", grouped)] {
            environment.add_function(name, written);
        }
        environment.add_function("bare", |ratio: &str| ratio.trim_end_matches('×').to_owned());
        let home = home.map(|exercise| format!("solutions/{exercise}/"));
        let file: Files<String> = Arc::new(move |kernel: &str| {
            let is_whole = ["solutions/", "kernels/"].iter().any(|folder| kernel.starts_with(folder));
            home.iter().filter(|_| !is_whole).cloned().collect::<String>() + kernel
        });
        figures(&mut environment, record);
        times_of(&mut environment, record, &file);
        let read: Files<Option<String>> = Arc::new(read);
        counted_on_the_simulator(&mut environment, &read, &file);
        read_on_a_gpu(&mut environment, read);
        Self { environment }
    }

    /// A template with its questions answered.
    ///
    /// # Errors
    /// A defect of the template: no such function, no such count, or a name that no record could have.
    pub fn page(&self, template: &str) -> Result<String, Error> {
        self.environment.render_str(template, ())
    }
}

fn figures(environment: &mut Environment<'static>, record: &Record) {
    let figures: Vec<(String, f64, String, String)> = record
        .figures
        .iter()
        .map(|figure| (figure.figure.clone(), figure.value, figure.unit.clone(), figure.how.clone()))
        .collect();
    let find = move |name: &str| figures.iter().find(|figure| figure.0 == name).cloned();
    let found = find.clone();
    environment.add_function("figure", move |name: &str| {
        found(name).map_or(NOT_MEASURED.to_owned(), |(_, value, unit, _)| {
            format!("{} {}", Digits(value), sign(&unit))
        })
    });
    let found = find.clone();
    environment
        .add_function("how", move |name: &str| found(name).map_or(String::new(), |(_, _, _, how)| how));
    let found = find.clone();
    environment.add_function("value", move |name: &str| {
        found(name)
            .map(|(_, value, ..)| value)
            .ok_or_else(|| lacks(format!("the record has no figure {name}")))
    });
    environment.add_function("ratio", move |above: &str, below: &str| match (find(above), find(below)) {
        (Some((_, above, unit, _)), Some((_, below, other, _))) if unit == other => Ok(times(above / below)),
        (Some(_), Some(_)) => Err(lacks(format!("{above} and {below} have different units"))),
        _ => Ok(NOT_MEASURED.to_owned()),
    });
}

/// Makes something of a file's name.
type Files<T> = Arc<dyn Fn(&str) -> T + Send + Sync>;

fn times_of(environment: &mut Environment<'static>, record: &Record, file: &Files<String>) {
    let kernels: Vec<(String, Vec<Timed>)> = record
        .kernels
        .iter()
        .map(|kernel| {
            let timed = kernel.speed.iter().map(|speed| Timed {
                case: speed.case.clone(),
                microseconds: speed.kernel_microseconds,
                baseline: speed.baseline_microseconds,
                speedup: speed.speedup,
            });
            (kernel.candidate.file.display().to_string(), timed.collect())
        })
        .collect();
    let (kernels, path) = (Arc::new(kernels), file.clone());
    // The first timed case where none is named.
    let find = move |kernel: &str, case: Option<&str>, what: fn(&Timed) -> f64| {
        let timed = &kernels.iter().find(|(of, _)| *of == path(kernel))?.1;
        let found =
            timed.iter().find(|timed| case.is_none_or(|case| case == timed.case.trim_end_matches(", timed")));
        found.map(what)
    };
    let ratio = find.clone();
    environment.add_function("speedup", move |kernel: &str, case: Option<&str>| {
        ratio(kernel, case, |timed| timed.speedup).map_or(NOT_MEASURED.to_owned(), times)
    });
    let ratio = find.clone();
    environment.add_function("against", move |kernel: &str, other: &str, case: Option<&str>| {
        match [kernel, other].map(|kernel| ratio(kernel, case, |timed| timed.speedup)) {
            [Some(kernel), Some(other)] => times(kernel / other),
            _ => NOT_MEASURED.to_owned(),
        }
    });
    for (name, what) in [
        ("microseconds", (|timed| timed.microseconds) as fn(&Timed) -> f64),
        ("baseline", |timed| timed.baseline),
    ] {
        let find = find.clone();
        environment.add_function(name, move |kernel: &str, case: Option<&str>| {
            find(kernel, case, what)
                .ok_or_else(|| lacks(format!("the record has no time of {kernel} in {case:?}")))
        });
    }
    let times_of: Vec<(String, String, String, f64)> = record
        .peers
        .iter()
        .map(|peer| (peer.exercise.clone(), peer.case.clone(), peer.peer.clone(), peer.median_microseconds()))
        .collect();
    let (time, file, peers) = (find, file.clone(), times_of.clone());
    environment.add_function("share_of", move |peer: &str, kernel: &str| {
        let file = file(kernel);
        let is = |(of, _, name, _): &&(String, String, String, f64)| {
            file.split('/').nth(1) == Some(of) && name == peer
        };
        match (peers.iter().find(is), time(kernel, None, |timed| timed.microseconds)) {
            (Some((.., microseconds)), Some(of_kernel)) => format!("{:.2}", microseconds / of_kernel),
            _ => NOT_MEASURED.to_owned(),
        }
    });
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
}

fn counted_on_the_simulator(
    environment: &mut Environment<'static>,
    read: &Files<Option<String>>,
    file: &Files<String>,
) {
    let read = read.clone();
    let file = file.clone();
    let count = Arc::new(move |kernel: &str, counter: &str, case: &str| {
        let kernel = file(kernel);
        let exercise = kernel.split('/').nth(1).unwrap_or_default();
        let counts = read(&format!("solutions/{exercise}/counts.txt"));
        let found = counts.and_then(|text| counted(&text, &kernel, case, counter));
        found.ok_or_else(|| lacks(format!("{kernel} has no {counter} in case {case}")))
    });
    let of = count.clone();
    environment.add_function("fewer", move |kernel: &str, other: &str, counter: &str, case: &str| {
        Ok::<String, Error>(times(of(other, counter, case)? / of(kernel, counter, case)?))
    });
    environment
        .add_function("count", move |kernel: &str, counter: &str, case: &str| count(kernel, counter, case));
}

/// What a GPU's counters gave in one session, as `grader/tests/counters/counters.py` keeps it.
#[derive(Deserialize)]
struct Session {
    /// The names of the readings, in their order.
    #[serde(default)]
    metrics: Vec<String>,
    /// The readings of each launch.
    launches: BTreeMap<String, Vec<f64>>,
}

fn read_on_a_gpu(environment: &mut Environment<'static>, read: Files<Option<String>>) {
    let sessions: OnceLock<Vec<Session>> = OnceLock::new();
    environment.add_function("ncu", move |launch: &str, metric: &str| {
        let parse = || read(READINGS).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let of = |session: &Session| {
            let place = session.metrics.iter().position(|name| name == metric)?;
            session.launches.get(launch)?.get(place).copied()
        };
        let found = sessions.get_or_init(parse).iter().find_map(of);
        found.ok_or_else(|| lacks(format!("{READINGS} has no {metric} of {launch}")))
    });
}

fn lacks(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

/// One count from an exercise's committed counts: below the kernel's file the line of the
/// case, and in it the counter.
pub fn counted(text: &str, kernel: &str, case: &str, counter: &str) -> Option<f64> {
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

/// A number as the book's texts show it.
pub fn digits(value: f64) -> String {
    Digits(value).to_string()
}

/// A whole number in groups of three digits, which no line break parts.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let ends_group = |(place, digit): (usize, char)| {
        let left = digits.len() - 1 - place;
        if left > 0 && left % 3 == 0 && digits.len() > 4 {
            format!("{digit}\u{a0}")
        } else {
            digit.to_string()
        }
    };
    digits.chars().enumerate().map(ends_group).collect()
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

    fn page(
        template: &str,
        record: &Record,
        read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Result<String, Error> {
        Questions::new(record, read, None).page(template)
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let written = |template: &str| page(template, &record(), |_| None).unwrap();
        assert_eq!(
            written("{{ grouped(24576) }}, {{ grouped(3072) }}, {{ grouped(1000000) }}"),
            "24\u{a0}576, 3072, 1\u{a0}000\u{a0}000"
        );
        assert_eq!(written("{{ digits(value('far') / 3) }}, {{ bare(ratio('far', 'near')) }}"), "233, 24.1");
    }

    #[test]
    fn what_the_record_lacks_is_no_number() {
        assert!(page("{{ value('none') }}", &record(), |_| None).is_err());
        assert!(page("{{ microseconds('a.cu') }}", &record(), |_| None).is_err());
    }

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
        let text = "head\n\nsolutions/x/slow.cu\n  n = 4 | loads 12 | loads_wide 3\n\nsolutions/x/fast.cu\n  n = 3 | loads 7\n  n = 4 | loads 4\n";
        let counts = move |file: &str| (file == "solutions/x/counts.txt").then(|| text.to_owned());
        let ask = |case: &str| {
            page(
                &format!("{{{{ fewer('solutions/x/fast.cu', 'solutions/x/slow.cu', 'loads', '{case}') }}}}"),
                &record(),
                counts,
            )
        };
        assert_eq!(ask("n = 4").unwrap(), "3.00×");
        assert!(ask("n = 5").is_err());
    }

    #[test]
    fn readings_are_found_by_launch_and_metric() {
        let kept = r#"[{"counters": ["a"], "launches": {"x": [1]}},
                       {"metrics": ["a", "b"], "launches": {"x": [24576, 3]}}]"#;
        let read = |file: &str| (file == READINGS).then(|| kept.to_owned());
        assert_eq!(
            page("{{ grouped(ncu('x', 'a')) }}, {{ grouped(ncu('x', 'b')) }}", &record(), read).unwrap(),
            "24\u{a0}576, 3"
        );
        assert!(page("{{ ncu('y', 'a') }}", &record(), read).is_err());
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
