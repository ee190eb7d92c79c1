//! `workshop screenshots`: the pictures of the README. Runs the real program in a terminal, on kernels that lack
//! something, and draws what stands on the screen.
//!
//! The pictures are looked at and not compared: what they show is proved by the tests of the command line.

mod picture;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use grader::{
    checkout::root,
    exit::{Exit, Result, Trouble},
    files,
};

use crate::{cli::Screenshots, session::Session};

/// Where they go, below the course's root.
const FOLDER: &str = "book/src/images";
/// Columns and rows that a page shows without making the letters small.
const SIZE: (u16, u16) = (110, 28);
/// Whose kernel is shown.
const EXERCISE: &str = "03-reduction";
const CHECKED: &str = "solutions/03-reduction/wrong/missing-barrier-after-load.cu";
const WATCHED: &str = "solutions/03-reduction/wrong/barrier-in-branch.cu";
/// Stands at the end of the screen while there is nothing to judge.
const WAITS: &str = "waits for a save";
/// Longer than any of it takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout or without the program; a judge error where a screen does not come.
pub fn run(options: &Screenshots) -> Result<Exit> {
    let root = root()?;
    let program = Session::program(options.program.as_deref())?;
    let place = tempfile::tempdir()
        .map_err(|error| Trouble::judge(format!("no folder to work in: {error}"), "free the disk"))?;
    Session::start(&program, &["init", "course"], place.path(), SIZE)?.finished(PATIENCE)?;
    let course = place.path().join("course");
    let kernel = course.join(EXERCISE).join("kernel.cu");

    save(&kernel, &as_a_learner(&root.join(CHECKED))?)?;
    let mut check = Session::start(&program, &["check", EXERCISE, "--device", "sim"], &course, SIZE)?;
    check.finished(PATIENCE)?;
    draw(&root, "report", &format!("grader check {EXERCISE}"), &check)?;

    let mut watch = Session::start(&program, &["watch", EXERCISE, "--device", "sim"], &course, SIZE)?;
    watch.awaited("error[race]", PATIENCE)?;
    watch.awaited(WAITS, PATIENCE)?;
    save(&kernel, &as_a_learner(&root.join(WATCHED))?)?;
    watch.awaited("error[barrier_divergence]", PATIENCE)?;
    watch.awaited(WAITS, PATIENCE)?;
    draw(&root, "watch", &format!("grader watch {EXERCISE}"), &watch)?;
    grader::print("next: look at them, and at git diff\n");
    Ok(Exit::Passed)
}

/// A kernel without what it declares to authors.
fn as_a_learner(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).map_err(|error| {
        Trouble::usage(
            format!("could not read {}: {}", path.display(), files::explain(&error)),
            "run it in a checkout of the course",
        )
    })?;
    let lines = text.lines().filter(|line| !line.starts_with("//!"));
    Ok(lines.map(|line| format!("{line}\n")).collect::<String>().trim_start().to_owned())
}

fn save(kernel: &Path, text: &str) -> Result<()> {
    files::save(kernel, text.as_bytes())
}

fn draw(root: &Path, name: &str, title: &str, session: &Session) -> Result<()> {
    let file = PathBuf::from(FOLDER).join(name).with_extension("svg");
    files::save(&root.join(&file), picture::svg(&session.screen(), title).as_bytes())?;
    grader::print(&format!("{}\n", file.display()));
    Ok(())
}
