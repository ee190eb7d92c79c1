//! `workshop cheats`: proves the cheat book by running it.

pub mod cheat;
mod range;
pub mod record;

use std::time::Instant;

use colored::Colorize;
use grader::{
    checkout::root,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files, paragraph,
    terminal::Terminal,
    toolchains,
};
use harness::{exercise::Exercise, judge};
use rayon::prelude::*;

use crate::{
    cheats::{
        cheat::Cheat,
        record::{Proof, Record},
    },
    cli::Cheats,
};

/// Cheats that a GPU runs side by side where nothing is timed: each waits most of the time
/// for its processes to start.
const TOGETHER: usize = 8;

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or a cheat whose header says nonsense.
pub fn run(course: Course<'_>, options: &Cheats, terminal: Terminal) -> Result<Exit> {
    let root = root()?;
    let nonsense = |why: String| Trouble::usage(why, "the other kernels there show how a header looks");
    let mut all = cheat::all(&root).map_err(nonsense)?;
    if let Some(only) = &options.only {
        // A name that is one, or all names that have it in them.
        let exact = all.iter().any(|cheat| cheat.name == *only);
        all.retain(|cheat| if exact { cheat.name == *only } else { cheat.name.contains(only.as_str()) });
        if all.is_empty() {
            return Err(Trouble::usage(format!("no cheat is called {only}"), "leave --only out for all"));
        }
    }
    let devices = devices::resolve(&options.device)?;
    let toolchain = toolchains::resolve(None, devices.gpu.as_ref())?;
    let attacked: Vec<(&Cheat, &dyn Exercise)> = all
        .iter()
        .map(|cheat| Ok((cheat, cheat.made_for().map_or_else(|| course.find(&cheat.exercise), Ok)?)))
        .collect::<Result<_>>()?;
    let threads = if devices.gpu.is_some() { TOGETHER } else { 0 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let has_gpu = devices.gpu.is_some();
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let mut record = Record {
        device: devices.names().join(" + "),
        driver: devices.gpu.as_ref().and_then(|_| judge::driver()).unwrap_or_default(),
        compiler: format!("NVRTC {}", toolchain.version),
        grader: env!("CARGO_PKG_VERSION").to_owned(),
        proofs: Vec::new(),
    };
    if let Some(known) = options.out.as_deref().map(Record::read).transpose()?.flatten() {
        record.join(known).map_err(|why| Trouble::usage(why, "name another file"))?;
    }
    let save = |record: &Record| options.out.as_deref().map_or(Ok(()), |out| files::save_json(out, record));
    let prove = |(cheat, exercise): &(&Cheat, &dyn Exercise)| {
        let begun = Instant::now();
        let problems = if cheat.timed && !has_gpu {
            cheat.rehearse(*exercise, &options.device, &toolchain)
        } else {
            cheat.prove(*exercise, &options.device, &toolchain)
        };
        Proof {
            cheat: cheat.name.clone(),
            hash: cheat.hash(),
            date: date.clone(),
            proved: problems.is_empty() && (has_gpu || !cheat.timed),
            problems,
            seconds: begun.elapsed().as_secs_f64(),
        }
    };
    // What a GPU times must have it to itself.
    let (alone, together): (Vec<_>, Vec<_>) =
        attacked.into_iter().partition(|(cheat, _)| cheat.timed && has_gpu);
    let mut proofs: Vec<Proof> = pool.install(|| together.par_iter().with_max_len(1).map(prove).collect());
    proofs.iter().for_each(|proof| record.keep(proof.clone()));
    for attacked in &alone {
        let proof = prove(attacked);
        record.keep(proof.clone());
        // After each: what was proved must survive what comes after.
        save(&record)?;
        proofs.push(proof);
    }
    save(&record)?;
    proofs.sort_by(|a, b| a.cheat.cmp(&b.cheat));
    let mut wrong = 0;
    for proof in &proofs {
        let (mark, rest) = match (proof.problems.is_empty(), proof.proved) {
            (true, true) => ("✓".green(), ""),
            (true, false) => ("·".dimmed(), ": right where nothing is timed; its proof needs a GPU"),
            (false, _) => ("✗".red(), ""),
        };
        let family = all.iter().find(|cheat| cheat.name == proof.cheat).map_or("", |cheat| &cheat.family);
        grader::print(&format!("{mark} {}: {family}{rest}\n", proof.cheat));
        for problem in &proof.problems {
            grader::print(&format!("{}\n", paragraph::indented(problem, terminal.width, "  ✗ ", "    ")));
        }
        wrong += proof.problems.len();
    }
    Ok(if wrong == 0 { Exit::Passed } else { Exit::Failed })
}
