//! What scoring a made-up class took: the record of `workshop class`, and its table in the book.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};

use grader::{
    exit::{Result, Trouble},
    took::{Most, Took},
};
use serde::{Deserialize, Serialize};

use crate::child::Program;

/// What was measured on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The day.
    pub date: String,
    /// Processors, and what else is to be known.
    pub machine: String,
    /// What judged.
    pub device: String,
    /// How many students.
    pub students: usize,
    /// How many exercises.
    pub exercises: usize,
    /// How many rows.
    pub rows: usize,
    /// How many rows were not what they must be.
    pub mismatches: usize,
    /// How many submissions of each kind.
    pub kinds: BTreeMap<String, usize>,
    /// How many more students handed in a hostile archive each.
    #[serde(default)]
    pub hostile_archives: usize,
    /// Bytes of the folder of results.
    pub results_bytes: u64,
    /// Bytes of the store in it; none in records from before it was measured.
    #[serde(default)]
    pub store_bytes: Option<u64>,
    /// The first run.
    pub cold: Run,
    /// The same again, with nothing changed.
    pub warm: Run,
    /// What the first run says of its workers; none in records from before it said so.
    #[serde(default)]
    pub took: Option<Took>,
}

/// What one run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// On the clock.
    pub seconds: f64,
    /// Of processors, with all workers.
    pub processor_seconds: f64,
    /// The most memory that the program and its workers had together, as far as looks twice a second saw it.
    pub peak_bytes: u64,
}

impl Run {
    /// Waits for a program's end.
    ///
    /// # Errors
    /// As waiting.
    pub fn of(mut program: Program) -> std::io::Result<(Self, ExitStatus)> {
        let (begin, before) = (Instant::now(), waited_for());
        let mut peak_bytes = 0;
        loop {
            if let Some(ended) = program.ended()? {
                let (seconds, processor_seconds) = (begin.elapsed().as_secs_f64(), waited_for() - before);
                return Ok((Run { seconds, processor_seconds, peak_bytes }, ended));
            }
            peak_bytes = peak_bytes.max(memory(program.id()));
            thread::sleep(LOOK);
        }
    }
}

const LOOK: Duration = Duration::from_millis(500);
/// What the system counts processor time in.
const TICKS_A_SECOND: f64 = 100.0;

/// Processor seconds of all processes that this one has waited for, and they for theirs.
fn waited_for() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the program's name, which may have spaces: `cutime` and `cstime` are fields 16 and 17.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS_A_SECOND
}

/// Bytes of a process and of those that it has started; what several share is counted once.
fn memory(process: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kibibytes: u64 =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0);
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: u64 = children
        .flat_map(|text| text.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>())
        .map(memory)
        .sum();
    (kibibytes << 10) + children
}

impl Record {
    /// Rows in a second of one core's work, in the first run.
    pub fn rows_a_core_second(&self) -> f64 {
        self.rows as f64 / self.cold.processor_seconds
    }

    /// Where the course's own lie, below its root: without a GPU, and with one and two.
    pub const FILES: [&str; 3] = [
        "solutions/measured/class.json",
        "solutions/measured/class-one-gpu.json",
        "solutions/measured/class-two-gpus.json",
    ];

    /// Reads a record; none where the file is missing.
    ///
    /// # Errors
    /// A judge's error where it is no record.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Ok(bytes) = fs::read(path) else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Trouble::judge(
                format!("{} is no record of a class: {error}", path.display()),
                "make it with cargo workshop class --out FILE",
            )
        })
    }

    /// Records as a table in Markdown.
    pub fn table(records: &[(Record, &str)]) -> String {
        let mut text =
            "| class | device | first run | processors | again | memory | results | mismatches |\n\
                        |---|---|---:|---:|---:|---:|---:|---:|\n"
                .to_owned();
        for (record, _) in records {
            let Record { students, exercises, rows, device, cold, warm, mismatches, .. } = record;
            let _ = writeln!(
                text,
                "| {students} × {exercises}: {rows} rows | {device} | {:.0} s | {:.2} s a row | {:.1} s | {} MB | {} | \
                 {mismatches} |",
                cold.seconds,
                cold.processor_seconds / *rows as f64,
                warm.seconds,
                cold.peak_bytes / 1_000_000,
                record.sizes(),
            );
        }
        for (record, file) in records {
            let Record { machine, date, .. } = record;
            let shares = record.shares().map(|shares| format!("\n{shares}\n")).unwrap_or_default();
            let _ = write!(text, "{shares}\n*{machine}; {date}: `{file}`, made by `workshop class`.*\n");
        }
        text
    }

    /// For whoever waits for the measurement.
    pub fn in_words(&self) -> String {
        let run = |name: &str, run: &Run| {
            format!(
                "{name}: {:.1} s, {:.1} s of processors, {} MB of memory at most\n",
                run.seconds,
                run.processor_seconds,
                run.peak_bytes / 1_000_000
            )
        };
        let shares = self.shares().map(|shares| shares + "\n").unwrap_or_default();
        format!(
            "{} rows ({} students, {} exercises) and {} hostile archives, {} on {}\n{}{}{:.2} rows a second and core, results: \
             {}\n{shares}{} rows are not what they must be\n",
            self.rows,
            self.students,
            self.exercises,
            self.hostile_archives,
            self.device,
            self.machine,
            run("first", &self.cold),
            run("again", &self.warm),
            self.rows_a_core_second(),
            self.sizes(),
            self.mismatches,
        )
    }

    /// What the processors worked on in the first run, and the kernel that took most, in a sentence each.
    fn shares(&self) -> Option<String> {
        let Took { workers, most } = self.took.as_ref()?;
        let all = self.cold.processor_seconds;
        let share = |seconds: f64| {
            let percent = 100.0 * seconds / all;
            if percent < 1.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
        };
        let mut text = format!(
            "Of the processors' time in the first run {} went into compiling, {} into running cases, {} into starting workers and \
             shutting them in, and {} into all else.",
            share(workers.compiling),
            share(workers.running),
            share(workers.confining),
            share(all - workers.total()),
        );
        if let Some(Most { exercise, seconds, .. }) = most {
            let _ = write!(text, " The kernel that took most is one of {exercise}: {seconds:.1} s.");
        }
        Some(text)
    }

    /// The folder of results, and the store's part of it where that was measured.
    fn sizes(&self) -> String {
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let store = self.store_bytes.map(|bytes| format!(", `results.sqlite` {}", megabytes(bytes)));
        megabytes(self.results_bytes) + &store.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use harness::worker::Spent;

    use super::*;

    #[test]
    fn shares_are_of_the_processors_time_and_older_records_have_none() {
        let workers = Spent { compiling: 30.0, running: 63.5, confining: 0.5 };
        let most = Most { exercise: "17-capstone-scan".to_owned(), seconds: 6.25, ..Most::default() };
        let cold = Run { processor_seconds: 100.0, ..Run::default() };
        let record =
            Record { rows: 100, cold, took: Some(Took { workers, most: Some(most) }), ..Record::default() };
        let said = "Of the processors' time in the first run 30 % went into compiling, 64 % into running cases, 0.5 % into starting \
                    workers and shutting them in, and 6 % into all else. The kernel that took most is one of 17-capstone-scan: \
                    6.2 s.";
        assert!(record.in_words().contains(&format!("{said}\n")), "{}", record.in_words());
        let table = Record::table(&[(record, "class.json")]);
        assert!(table.contains(&format!("\n\n{said}\n\n*")), "{table}");
        assert!(!Record::table(&[(Record::default(), "class.json")]).contains("Of the processors"));
    }

    #[test]
    fn the_stores_size_is_recorded_and_told_and_older_records_are_read() {
        let record = Record { results_bytes: 8_000_000, store_bytes: Some(1_230_000), ..Record::default() };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        let table = Record::table(&[(record.clone(), "class.json")]);
        assert!(table.contains("| 8.0 MB, `results.sqlite` 1.2 MB |"), "{table}");
        assert!(record.in_words().contains("results: 8.0 MB, `results.sqlite` 1.2 MB\n"));
        let older = text.replace(",\"store_bytes\":1230000", "").replace(",\"hostile_archives\":0", "");
        let older: Record = serde_json::from_str(&older).unwrap();
        assert_eq!(older, Record { store_bytes: None, ..record });
        assert!(Record::table(&[(older, "class.json")]).contains("| 8.0 MB |"));
    }
}
