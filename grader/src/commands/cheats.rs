//! `grader dev cheats`: proves the cheat book by running it.

use std::{collections::BTreeMap, time::Instant};

use colored::Colorize;
use harness::exercise::Exercise;
use rayon::prelude::*;
use serde::Serialize;

use super::dev::root;
use crate::{
    cheats::{self, Cheat},
    cli::DevCheats,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    terminal::Terminal,
    toolchains,
};

/// Cheats that a GPU runs side by side where nothing is timed: each waits most of the time for its processes to start.
const TOGETHER: usize = 8;

/// What became of one cheat.
#[derive(Serialize)]
struct Proof {
    cheat: String,
    family: String,
    device: String,
    /// True where all that its header says came true.
    proved: bool,
    /// Sentences.
    problems: Vec<String>,
    seconds: f64,
}

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or a cheat whose header says nonsense.
pub fn run(course: Course<'_>, options: &DevCheats, terminal: Terminal) -> Result<Exit> {
    let root = root()?;
    let nonsense = |why: String| Trouble::usage(why, "the other kernels there show how a header looks");
    let mut all = cheats::all(&root).map_err(nonsense)?;
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
    let prove = |(cheat, exercise): &(&Cheat, &dyn Exercise)| {
        let begun = Instant::now();
        let problems = if cheat.timed && !has_gpu {
            cheat.rehearse(*exercise, &options.device, &toolchain)
        } else {
            cheat.prove(*exercise, &options.device, &toolchain)
        };
        let proof = Proof {
            cheat: cheat.name.clone(),
            family: cheat.family.clone(),
            device: devices.names().join(" + "),
            proved: problems.is_empty() && (has_gpu || !cheat.timed),
            problems,
            seconds: begun.elapsed().as_secs_f64(),
        };
        (cheat.name.clone(), proof)
    };
    // What a GPU times must have it to itself.
    let (alone, together): (Vec<_>, Vec<_>) =
        attacked.into_iter().partition(|(cheat, _)| cheat.timed && has_gpu);
    let mut proofs: BTreeMap<String, Proof> =
        pool.install(|| together.par_iter().with_max_len(1).map(prove).collect());
    proofs.extend(alone.iter().map(prove));
    let mut wrong = 0;
    for proof in proofs.values() {
        let (mark, rest) = match (proof.problems.is_empty(), proof.proved) {
            (true, true) => ("✓".green(), ""),
            (true, false) => ("·".dimmed(), ": right where nothing is timed; its proof needs a GPU"),
            (false, _) => ("✗".red(), ""),
        };
        crate::print(&format!("{mark} {}: {}{rest}\n", proof.cheat, proof.family));
        for problem in &proof.problems {
            let width =
                textwrap::Options::new(terminal.width).initial_indent("  ✗ ").subsequent_indent("    ");
            crate::print(&format!("{}\n", textwrap::fill(problem, width)));
        }
        wrong += proof.problems.len();
    }
    if let Some(out) = &options.out {
        files::save_json(out, &proofs.values().collect::<Vec<_>>())?;
    }
    Ok(if wrong == 0 { Exit::Passed } else { Exit::Failed })
}
