//! `grader dev cheats`: proves the cheat book by running it.

use colored::Colorize;
use harness::exercise::Exercise;
use rayon::prelude::*;

use super::dev::root;
use crate::{
    cheats::{self, Cheat},
    cli::DevCheats,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    terminal::Terminal,
    toolchains,
};

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or a cheat whose header says nonsense.
pub fn run(course: Course<'_>, options: &DevCheats, terminal: Terminal) -> Result<Exit> {
    let root = root()?;
    let nonsense = |why: String| Trouble::usage(why, "the other kernels there show how a header looks");
    let mut all = cheats::all(&root).map_err(nonsense)?;
    if let Some(only) = &options.only {
        all.retain(|cheat| cheat.name.contains(only.as_str()));
        if all.is_empty() {
            return Err(Trouble::usage(format!("no cheat is called {only}"), "leave --only out for all"));
        }
    }
    let devices = devices::resolve(&options.device)?;
    let toolchain = toolchains::resolve(None, devices.gpu.as_ref())?;
    let attacked: Vec<(&Cheat, &dyn Exercise)> =
        all.iter().map(|cheat| Ok((cheat, course.find(&cheat.exercise)?))).collect::<Result<_>>()?;
    // A GPU runs one kernel at a time.
    let threads = if devices.gpu.is_some() { 1 } else { 0 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let problems: Vec<Vec<String>> = pool.install(|| {
        attacked
            .par_iter()
            .with_max_len(1)
            .map(|(cheat, exercise)| cheat.prove(*exercise, &options.device, &toolchain))
            .collect()
    });
    let mut wrong = 0;
    for (cheat, problems) in all.iter().zip(&problems) {
        let mark = if problems.is_empty() { "✓".green() } else { "✗".red() };
        crate::print(&format!("{mark} {}: {}\n", cheat.name, cheat.family));
        for problem in problems {
            let width =
                textwrap::Options::new(terminal.width).initial_indent("  ✗ ").subsequent_indent("    ");
            crate::print(&format!("{}\n", textwrap::fill(problem, width)));
        }
        wrong += problems.len();
    }
    Ok(if wrong == 0 { Exit::Passed } else { Exit::Failed })
}
