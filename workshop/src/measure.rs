//! `workshop measure`: every kernel of the course, the vendor's libraries and the figures in circulation on
//! this GPU, in one run and one file with its provenance.

pub mod peers;

use std::{
    path::Path,
    thread::{self, ScopedJoinHandle},
    time::Instant,
};

use grader::{
    calibrate,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    terminal::{self, Terminal},
};
use harness::report::Verdict;
use serde::de::DeserializeOwned;

use self::peers::{Program, Source};
use crate::{
    check::lines,
    cli::{Measure, Part},
    prover::{Judged, Prover, some},
    record::{KernelRecord, Record},
};

/// Libraries on the cases that the course times, and the course's own kernel on cases that it doesn't.
const PEERS: [Source; 2] =
    [Source { name: "libraries", libraries: &["cublas"] }, Source { name: "convolution", libraries: &[] }];
const FIGURES: Source = Source { name: "figures", libraries: &[] };

/// A program that is being built on a thread.
type Building<'scope> = ScopedJoinHandle<'scope, Result<std::result::Result<Program, String>>>;

/// Runs it. First everything that may happen side by side: programs are built while kernels are judged in
/// everything but speed. Then, alone, whatever a clock is held to. What is measured is saved after each part.
///
/// # Errors
/// Wrong usage outside a checkout or without a GPU; a judge error where a peer program fails.
pub fn run(course: Course<'_>, measure: &Measure, terminal: Terminal) -> Result<Exit> {
    let prover = Prover::new(&measure.device)?;
    let (root, devices) = (&prover.root, &prover.devices);
    if devices.gpu.is_none() {
        return Err(Trouble::judge(
            "no GPU here, and speed is measured on one",
            "run it where `grader doctor` names a GPU",
        ));
    }
    let wanted = |part: Part| measure.only.is_none_or(|only| only == part);
    let exercises = course.named(&measure.names)?;
    let exercises = if wanted(Part::Exercises) { some(&exercises)? } else { &[] };
    let older = if measure.out.is_file() { Some(Record::read(&measure.out)?) } else { None };
    let mut record = Record {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        device: devices::name(devices),
        compiler: String::new(),
        kernels: Vec::new(),
        peers: Vec::new(),
        figures: Vec::new(),
        seconds: Default::default(),
    };
    let mut clock = Clock(Instant::now());
    let (judged, programs, figures) = thread::scope(|scope| {
        let build = |source: Source| scope.spawn(move || peers::build(root, source));
        let programs = wanted(Part::Peers).then(|| PEERS.map(build));
        let figures = wanted(Part::Figures).then(|| build(FIGURES));
        (prover.judge(exercises), programs.map(|all| all.map(built)), figures.map(built))
    });
    clock.passed(&mut record, "judging, building");
    if let Some(programs) = programs {
        for program in programs {
            keep(&mut record.peers, ran(program?)?);
        }
        keep(&mut record.peers, peers::python(root, "pytorch", "torch")?);
        clock.passed(&mut record, "peers");
        save(&measure.out, &record, &older)?;
    }
    if let Some(program) = figures {
        keep(&mut record.figures, ran(program?)?);
        clock.passed(&mut record, "figures");
        save(&measure.out, &record, &older)?;
    }
    let mut broken = 0;
    for (exercise, judged) in exercises.iter().zip(judged) {
        let proved = prover.timed(*exercise, judged);
        grader::print(&lines(&proved, terminal));
        broken += proved.problems.len();
        let records = proved.kernels.into_iter();
        record
            .kernels
            .extend(records.map(|judged| kernel_record(proved.exercise, judged, &mut record.compiler)));
        clock.passed(&mut record, proved.exercise);
        save(&measure.out, &record, &older)?;
    }
    let seconds: f64 = record.seconds.values().sum();
    terminal::remark(&format!("measured in {seconds:.0} s; the record says how many each part took"));
    Ok(if broken == 0 { Exit::Passed } else { Exit::Failed })
}

/// When the last part ended.
struct Clock(Instant);

impl Clock {
    /// Notes what the part that ends now took, in seconds to a tenth.
    fn passed(&mut self, record: &mut Record, part: &str) {
        let seconds = (10.0 * self.0.elapsed().as_secs_f64()).round() / 10.0;
        record.seconds.insert(part.to_owned(), seconds);
        self.0 = Instant::now();
    }
}

/// Waits for a program.
fn built(building: Building<'_>) -> Result<std::result::Result<Program, String>> {
    building.join().unwrap_or_else(|_| {
        Err(Trouble::judge("a thread that built a peer program panicked", "report this as a bug"))
    })
}

fn ran<T: DeserializeOwned>(
    program: std::result::Result<Program, String>,
) -> Result<std::result::Result<Vec<T>, String>> {
    match program {
        Ok(program) => program.run().map(Ok),
        Err(why) => Ok(Err(why)),
    }
}

/// Writes the record. A part measured again takes its place in the record of the whole.
fn save(path: &Path, record: &Record, older: &Option<Record>) -> Result<()> {
    let mut whole = record.clone();
    if let Some(older) = older {
        whole.fill_from(older.clone());
    }
    files::save_json(path, &whole)
}

/// Keeps what was measured; says what could not be.
fn keep<T>(all: &mut Vec<T>, measured: std::result::Result<Vec<T>, String>) {
    match measured {
        Ok(more) => all.extend(more),
        Err(why) => terminal::remark(&format!("not measured: {why}")),
    }
}

fn kernel_record(
    exercise: &str,
    (candidate, report, problems): Judged,
    compiler: &mut String,
) -> KernelRecord {
    if compiler.is_empty() {
        // Where the compiler lies on that machine is nobody's business.
        *compiler = report.compiler.split(" (").next().unwrap_or_default().to_owned();
    }
    let verdict = if report.judge_error.is_some() { Verdict::Unmeasured } else { report.verdict };
    KernelRecord {
        exercise: exercise.to_owned(),
        code: calibrate::code_hash(&candidate.source),
        candidate,
        verdict,
        goals: report.goals,
        speed: report.speed,
        problems,
    }
}
