//! `--engine slurm`: a scoring as jobs of a Slurm cluster over a shared folder. There is no scheduler of ours.
//!
//! Three jobs: one begins, an array judges a share each, and one puts together what is there when all of the array have
//! ended, however that was (`afterany`). What they do is in [`super::parts`]. Their scripts and what they say stay in the
//! results, below `slurm/`.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, ErrorKind},
    num::NonZeroUsize,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::Path,
    process::Command,
};

use super::{export::refused, intake::begin::Begun};
use crate::{
    cli::class::Score,
    exit::{Exit, Result, Trouble},
    files,
    terminal::remark,
    visible::{one_line, shown},
};
use harness::report::number_of;

/// The folder of scripts and of what jobs say, below the results.
pub const FOLDER: &str = "slurm";
/// So many kernels a task, where nobody says how many tasks: some minutes of work.
const KERNELS_A_TASK: usize = 50;
/// What submits a job.
const SBATCH: &str = "sbatch";
/// Slurm's own default of `MaxArraySize`.
const ARRAY_SIZE: usize = 1001;
/// Options that are for whoever submits, each with a value.
const OWN: [&str; 3] = ["--engine", "--tasks", "--sbatch"];

/// Refuses a machine that can't submit jobs.
///
/// # Errors
/// Wrong usage where it has no `sbatch`.
pub fn require() -> Result<()> {
    let folders = env::var_os("PATH").unwrap_or_default();
    match env::split_paths(&folders).any(|folder| folder.join(SBATCH).is_file()) {
        true => Ok(()),
        false => Err(not_run(&ErrorKind::NotFound.into())),
    }
}

fn not_run(error: &io::Error) -> Trouble {
    Trouble::usage(
        format!("could not run {SBATCH}: {}", files::explain(error)),
        "submit where Slurm's commands are, or leave --engine out to judge on this machine",
    )
}

/// Submits the jobs.
///
/// # Errors
/// Wrong usage where this machine has no Slurm, or it refuses; a judge's error where scripts can't be written.
pub fn submit(begun: &Begun<'_>, score: &Score, out: &Path) -> Result<Exit> {
    let tasks = tasks(kernels(begun), score.tasks, largest_array());
    let folder = out.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| refused(&folder, &error))?;
    let words = for_jobs(env::args_os().skip(1));
    let share = format!("\"$SLURM_ARRAY_TASK_ID\"/{tasks}");
    let own_jobs = if score.machine.jobs.is_some() { "" } else { " --jobs \"${SLURM_CPUS_ON_NODE:-1}\"" };
    for (name, part) in [("begin", "begin"), ("share", share.as_str()), ("merge", "merge")] {
        let path = folder.join(name);
        let script = script(&words, &format!("--part {part}{own_jobs}"))?;
        files::write_atomically(&path, &script).map_err(|error| refused(&path, &error))?;
    }
    let job = |name: &str, more: &[String]| sbatch(&folder, name, more, &score.sbatch);
    let begin = job("begin", &[])?;
    let array = [format!("--dependency=afterok:{begin}"), format!("--array=1-{tasks}")];
    let shares = job("share", &array)?;
    let merge = job("merge", &[format!("--dependency=afterany:{shares}")])?;
    crate::print(&format!(
        "submitted: {begin} begins, {shares} judges in {}, {merge} puts together; what they say is in {}\n\
         next: squeue --jobs={begin},{shares},{merge}\n",
        number_of(tasks, "task"),
        shown(&folder)
    ));
    Ok(Exit::Passed)
}

/// How many different kernels there are.
fn kernels(begun: &Begun<'_>) -> usize {
    let ids = || begun.exercises.iter().map(|exercise| exercise.id());
    let mut all = BTreeSet::new();
    for student in &begun.intake.students {
        for id in ids() {
            let kernels = student.kernels(id, begun.attempts).into_iter().flatten();
            all.extend(kernels.filter_map(|kernel| Some((id, kernel.kernel.as_ref().ok()?))));
        }
    }
    all.len()
}

/// How many tasks: what is asked for, or some minutes of work each; and no more than an array can have.
fn tasks(kernels: usize, asked: Option<NonZeroUsize>, largest: usize) -> usize {
    let wanted = asked.map_or(kernels.div_ceil(KERNELS_A_TASK), NonZeroUsize::get);
    // Its numbers end before MaxArraySize.
    let most = largest.saturating_sub(1).max(1);
    if wanted > most {
        remark(&format!(
            "{}, and not {wanted}: this cluster's arrays have no more (MaxArraySize)",
            number_of(most, "task")
        ));
    }
    wanted.clamp(1, most)
}

/// The cluster's `MaxArraySize`.
fn largest_array() -> usize {
    let said = Command::new("scontrol").args(["show", "config"]).output().map(|output| output.stdout);
    let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    let line = said.lines().find_map(|line| line.trim().strip_prefix("MaxArraySize"));
    line.and_then(|line| line.trim_start_matches([' ', '=']).trim().parse().ok()).unwrap_or(ARRAY_SIZE)
}

/// The words that this program was called with, without those that are for whoever submits.
fn for_jobs(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if OWN.contains(&text.as_ref()) {
            // Its value.
            words.next();
        } else if !OWN.iter().any(|own| text.strip_prefix(own).is_some_and(|rest| rest.starts_with('='))) {
            rest.push(word);
        }
    }
    rest
}

/// What a job runs: this program with these words, in the folder where it was submitted.
fn script(words: &[OsString], more: &str) -> Result<Vec<u8>> {
    let here = env::current_dir().and_then(|here| Ok((here, env::current_exe()?)));
    let (here, program) = here.map_err(|error| {
        Trouble::judge(format!("no name for this folder or program: {error}"), "submit from another folder")
    })?;
    let mut text = b"#!/bin/sh\n# Made by grader class score --engine slurm.\ncd ".to_vec();
    text.extend(quoted(here.as_os_str()));
    text.extend(b" || exit 3\nexec ");
    text.extend(quoted(program.as_os_str()));
    for word in words {
        text.push(b' ');
        text.extend(quoted(word));
    }
    text.extend(format!(" {more}\n").into_bytes());
    Ok(text)
}

/// A word as a shell takes it.
fn quoted(word: &OsStr) -> Vec<u8> {
    let mut text = vec![b'\''];
    for &byte in word.as_bytes() {
        match byte {
            b'\'' => text.extend(b"'\\''"),
            byte => text.push(byte),
        }
    }
    text.push(b'\'');
    text
}

/// Submits a script, and gives the job's number.
fn sbatch(folder: &Path, name: &str, own: &[String], asked: &[String]) -> Result<String> {
    let mut said = folder.join(if name == "share" { "share-%a.txt" } else { name }).into_os_string();
    if name != "share" {
        said.push(".txt");
    }
    let mut command = Command::new(SBATCH);
    command.args(["--parsable", "--kill-on-invalid-dep=yes", "--open-mode=append"]);
    command.arg(format!("--job-name=grader-{name}"));
    command.arg(OsString::from_vec([b"--output=", said.as_bytes()].concat()));
    command.args(own).args(asked).arg(folder.join(name));
    let output = command.output().map_err(|error| not_run(&error))?;
    let (text, complaint) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // `ID`, or `ID;CLUSTER`.
    let id = text.trim().split(';').next().unwrap_or_default();
    match output.status.success() && !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit()) {
        true => Ok(id.to_owned()),
        false => Err(Trouble::usage(
            format!("sbatch refuses the job `{name}`: {}", one_line(complaint.trim())),
            "say more to it by --sbatch, as in --sbatch=--partition=NAME; jobs that are submitted already stay: scancel ends them",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn jobs_are_called_without_what_is_for_whoever_submits() {
        let called =
            "class score s --engine slurm --out r --tasks=4 --sbatch --partition=x --sbatch=-t5 --device sim";
        assert_eq!(for_jobs(words(called).into_iter()), words("class score s --out r --device sim"));
    }

    #[test]
    fn a_task_has_some_minutes_of_work_and_an_array_no_more_than_it_can_have() {
        let asked = NonZeroUsize::new;
        assert_eq!(tasks(0, None, 1001), 1);
        assert_eq!(tasks(5700, None, 1001), 114);
        assert_eq!(tasks(5700, asked(5000), 1001), 1000);
        assert_eq!(tasks(5700, asked(20), 10), 9);
    }

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(quoted(OsStr::new("it's $(here)")), b"'it'\\''s $(here)'");
    }
}
