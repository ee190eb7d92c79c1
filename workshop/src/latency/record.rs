//! How long a learner waits for a verdict: the record of `workshop latency`, and its table in the book.

use std::{fmt::Write as _, path::Path};

use grader::{
    exit::{Result, Trouble},
    files,
};
use harness::measure::median;
use serde::{Deserialize, Serialize};

/// What was measured on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The day.
    pub date: String,
    /// Processors, and what else is to be known.
    pub machine: String,
    /// What judged.
    pub device: String,
    /// Each exercise.
    pub exercises: Vec<Latencies>,
}

/// The times of one exercise, in milliseconds, in the order of the saves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latencies {
    /// Its id.
    pub exercise: String,
    /// From a save to the first verdict.
    pub first_milliseconds: Vec<f64>,
    /// From a save to the report of all but speed.
    pub report_milliseconds: Vec<f64>,
}

impl Latencies {
    /// For whoever waits for the measurement.
    pub fn line(&self) -> String {
        let [first, report] = [&self.first_milliseconds, &self.report_milliseconds];
        format!(
            "{}: first verdict {} (worst {}), report {} (worst {})",
            self.exercise,
            milliseconds(median(first)),
            milliseconds(worst(first)),
            milliseconds(median(report)),
            milliseconds(worst(report)),
        )
    }
}

impl Record {
    /// Where the course's own lie, below its root: without a GPU, and with one.
    pub const FILES: [&str; 2] = ["solutions/measured/latency.json", "solutions/measured/latency-gpu.json"];

    /// Reads a record; none where the file is missing.
    ///
    /// # Errors
    /// Wrong usage where it is no record.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                Trouble::usage(
                    format!("{} is no record of times: {error}", path.display()),
                    "make it with cargo workshop latency --out FILE",
                )
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Trouble::usage(
                format!("could not read {}: {}", path.display(), files::explain(&error)),
                "make it readable, or name another file",
            )),
        }
    }

    /// Takes over what was measured now; of another machine or device nothing stays.
    pub fn keep(&mut self, new: Record) {
        if (&self.machine, &self.device) != (&new.machine, &new.device) {
            *self = new;
            return;
        }
        self.date = new.date;
        for measured in new.exercises {
            self.exercises.retain(|known| known.exercise != measured.exercise);
            self.exercises.push(measured);
        }
        self.exercises.sort_by(|one, other| one.exercise.cmp(&other.exercise));
    }

    /// As a table in Markdown.
    pub fn table(&self, file: &str) -> String {
        let mut text = "| exercise | first verdict, median | worst | report, median | worst |\n\
                        |---|---:|---:|---:|---:|\n"
            .to_owned();
        for measured in &self.exercises {
            let _ = write!(text, "| {} |", measured.exercise);
            for times in [&measured.first_milliseconds, &measured.report_milliseconds] {
                let _ = write!(text, " {} | {} |", milliseconds(median(times)), milliseconds(worst(times)));
            }
            text.push('\n');
        }
        let saves = || self.exercises.iter().map(|measured| measured.first_milliseconds.len());
        let saves = match (saves().min().unwrap_or(0), saves().max().unwrap_or(0)) {
            (least, most) if least == most => format!("{most} saves each"),
            (least, most) => format!("{least} to {most} saves each"),
        };
        let Record { machine, device, date, .. } = self;
        let _ =
            write!(text, "\n*{saves}. {device}; {machine}; {date}: {file}, made by `workshop latency`.*\n");
        text
    }
}

fn worst(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

fn milliseconds(time: f64) -> String {
    if time < 999.5 { format!("{time:.0} ms") } else { format!("{:.1} s", time / 1e3) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The first verdicts that the course promises: without a GPU on two cores, and with one.
    fn promised_without_gpu(exercise: &str) -> f64 {
        if exercise == "03-reduction" { 100.0 } else { 1000.0 }
    }
    fn promised_with_gpu(_: &str) -> f64 {
        250.0
    }

    /// The exercises whose recorded first verdict is not as promised, each with the reason.
    fn unkept(record: &Record, exercises: &[&str], promised: fn(&str) -> f64) -> BTreeMap<String, String> {
        let reason = |id: &str| {
            let measured = record.exercises.iter().find(|known| known.exercise == id);
            let Some(times) =
                measured.map(|known| &known.first_milliseconds).filter(|times| !times.is_empty())
            else {
                return Some("not measured".to_owned());
            };
            let (first, most) = (median(times), promised(id));
            (first > most).then(|| format!("{first:.1} ms after a save, promised {most:.0} ms"))
        };
        exercises.iter().filter_map(|id| Some(((*id).to_owned(), reason(id)?))).collect()
    }

    #[test]
    fn the_recorded_first_verdicts_are_as_promised() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let course: Vec<&str> = course::COURSE.iter().map(|exercise| exercise.id()).collect();
        type Promise = (&'static str, &'static str, fn(&str) -> f64, &'static [&'static str]);
        let promises: [Promise; 2] = [
            (Record::FILES[0], "--device sim", promised_without_gpu, &[]),
            // It takes 317 ms on the record's H200.
            (Record::FILES[1], "--device gpu --edits 5", promised_with_gpu, &["21-clusters"]),
        ];
        for (file, options, promised, excepted) in promises {
            let record = Record::read(&root.join(file)).expect("a record").expect("a committed record");
            let found = unkept(&record, &course, promised);
            let names: Vec<&str> = found.keys().map(String::as_str).collect();
            assert_eq!(
                names, excepted,
                "{found:#?}\nmeasure again: cargo workshop latency {options} --out {file}\n\
                 or write down in this test why an exercise is excepted"
            );
        }
    }

    #[test]
    fn a_promise_that_is_not_kept_is_named() {
        let known = record("two threads", &[("00", 2000.0), ("03-reduction", 1.0)]);
        assert_eq!(unkept(&known, &["00", "03-reduction"], promised_without_gpu), BTreeMap::new());
        let mut slow = known;
        slow.exercises[0].first_milliseconds = vec![1001.0];
        slow.exercises[1].first_milliseconds = vec![100.1];
        slow.exercises.push(Latencies { exercise: "04".to_owned(), ..Latencies::default() });
        let found = unkept(&slow, &["00", "03-reduction", "04", "05"], promised_without_gpu);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["00", "03-reduction", "04", "05"]);
        assert_eq!(found["05"], "not measured");
    }

    fn record(machine: &str, exercises: &[(&str, f64)]) -> Record {
        let times = |&(exercise, time): &(&str, f64)| Latencies {
            exercise: exercise.to_owned(),
            first_milliseconds: vec![time, 1.0, 2.0],
            report_milliseconds: vec![time],
        };
        Record {
            machine: machine.to_owned(),
            exercises: exercises.iter().map(times).collect(),
            ..Record::default()
        }
    }

    #[test]
    fn what_is_measured_again_takes_its_place() {
        let mut known = record("two threads", &[("00", 9.0), ("03", 8.0)]);
        known.keep(record("two threads", &[("00", 7.0)]));
        assert_eq!(known, record("two threads", &[("00", 7.0), ("03", 8.0)]));
        known.keep(record("four threads", &[("03", 1.0)]));
        assert_eq!(known, record("four threads", &[("03", 1.0)]));
    }

    #[test]
    fn a_table_has_medians_and_the_worst() {
        let table = record("two threads", &[("00", 1234.0)]).table("a file");
        assert!(table.contains("| 00 | 2 ms | 1.2 s | 1.2 s | 1.2 s |"), "{table}");
        assert!(table.contains("*3 saves each."), "{table}");
        let mut mixed = record("two threads", &[("00", 1.0), ("03", 1.0)]);
        mixed.exercises[1].first_milliseconds.pop();
        assert!(mixed.table("a file").contains("*2 to 3 saves each."));
    }
}
