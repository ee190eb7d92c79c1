//! `grader measure`: every kernel of the course, the vendor's libraries and the figures in circulation on this GPU, in one run
//! and one file with its provenance.

use harness::report::Verdict;

use super::dev::{self, Judged, Prover};
use crate::{
    cli::{Measure, Part},
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files, peers,
    record::{KernelRecord, Record},
    terminal::{self, Terminal},
};

/// Runs it.
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
    let mut record = Record {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        device: devices::name(devices),
        compiler: String::new(),
        kernels: Vec::new(),
        peers: Vec::new(),
        figures: Vec::new(),
    };
    // Peers first: they are minutes at most, and a toolkit that can't build them is known at once.
    if wanted(Part::Peers) {
        keep(&mut record.peers, peers::cuda(root, "libraries", &["cublas"])?);
        keep(&mut record.peers, peers::python(root, "pytorch", "torch")?);
    }
    if wanted(Part::Figures) {
        keep(&mut record.figures, peers::cuda(root, "figures", &[])?);
    }
    let mut broken = 0;
    if wanted(Part::Exercises) {
        let exercises = course.named(&measure.names)?;
        for exercise in dev::some(&exercises)? {
            let proved = prover.prove(*exercise);
            crate::print(&dev::lines(&proved, terminal));
            broken += proved.problems.len();
            let records = proved.kernels.into_iter();
            record
                .kernels
                .extend(records.map(|judged| kernel_record(proved.exercise, judged, &mut record.compiler)));
        }
    }
    // A part measured again takes its place in the record of the whole.
    if measure.out.is_file() {
        record.fill_from(Record::read(&measure.out)?);
    }
    files::save_json(&measure.out, &record)?;
    Ok(if broken == 0 { Exit::Passed } else { Exit::Failed })
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
        candidate,
        verdict,
        goals: report.goals,
        speed: report.speed,
        problems,
    }
}
