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
    use super::*;

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
