//! The command line of the course: check a kernel, run any kernel, score a class.
//!
//! A library, so that a private course is a crate that calls [`main`] with its own exercises. A command is a
//! file here, and a folder with its parts and its renderer where it has some: it gathers, asks the harness, and
//! shows. Judging itself is the harness's: nothing here decides a verdict. What authors run is the workshop's.

pub mod ascii;
pub mod assignment;
mod banks;
mod book;
pub mod calibrate;
pub mod check;
pub mod checkout;
mod class;
pub mod cli;
mod compiler;
pub mod course;
pub mod devices;
mod doctor;
mod editor;
pub mod excerpt;
pub mod exit;
pub mod explain;
pub mod files;
mod folder;
pub mod formats;
pub mod hint;
pub mod hints;
mod init;
mod json;
pub mod kernels;
mod list;
#[cfg(test)]
mod made_up;
mod occupancy;
pub mod outputs;
pub mod paragraph;
mod profile;
mod progress;
pub mod regions;
mod reset;
pub mod run;
#[cfg(test)]
mod sample;
pub mod schema;
pub mod sentences;
mod settings;
mod signals;
mod solution;
mod stub;
pub mod submit;
pub mod table;
pub mod terminal;
pub mod thresholds;
pub mod toolchains;
pub mod visible;
mod watch;
mod working;
mod written;
mod zipped;

use std::{
    env,
    io::{self, IsTerminal as _, Write},
    process::ExitCode,
};

use clap::{CommandFactory as _, FromArgMatches as _};
use harness::exercise::Exercise;
use serde::Serialize;

pub use class::took;

use crate::{
    cli::{Cli, Command},
    course::Course,
    exit::{Exit, Result, Trouble},
    settings::Settings,
    terminal::Terminal,
};

/// Runs the command line over a course's exercises.
pub fn main(course: &[&dyn Exercise]) -> ExitCode {
    // A worker of this program is this program: it serves and never comes back.
    harness::worker::intercept();
    let line = Cli::command().try_get_matches().unwrap_or_else(|said| end_with(&said));
    let cli = Cli::from_arg_matches(&line).unwrap_or_else(|said| end_with(&said));
    terminal::set_plain(cli.plain);
    let mut command = cli.command.unwrap_or_else(without_command);
    let settings = Settings::for_command(&command);
    let ended = settings.and_then(|settings| {
        settings.put_into(&mut command, &line);
        terminal::set_plain(cli.plain || settings.plain);
        run(Course { exercises: course }, command, Terminal::detect())
    });
    match ended {
        Ok(exit) => exit.code().into(),
        Err(trouble) => {
            terminal::print_trouble(&trouble);
            trouble.exit.code().into()
        }
    }
}

fn run(course: Course<'_>, command: Command, terminal: Terminal) -> Result<Exit> {
    signals::hear(&command);
    match command {
        Command::Watch(watch) => watch::run(course, &watch),
        Command::List(list) => list::run(course, &list, terminal),
        Command::Check(check) => check::run(course, &check, terminal),
        Command::Run(run) => run::run(&run, terminal),
        Command::Score(score) => class::score::run(course, &score, score.part, terminal),
        Command::Class(class) => class::run(course, &class, terminal),
        Command::Init(init) => init::run(course, &init),
        Command::Hint(hint) => hint::run(course, &hint, terminal),
        Command::Explain(words) => explain::run(course, &words, terminal),
        Command::Solution(solution) => solution::run(course, &solution),
        Command::Reset(reset) => reset::run(course, &reset),
        Command::Submit(submit) => submit::run(course, &submit),
        Command::Doctor(doctor) => doctor::run(course, &doctor, terminal),
        Command::Completions { shell } => {
            completions(shell);
            Ok(Exit::Passed)
        }
        Command::Compiler(cli::Compiler::Install { cuda, from }) => compiler::install(cuda, &from),
        Command::Calibrate(calibrate) => calibrate::run(course, &calibrate),
    }
}

/// Prints what makes a shell complete the commands and options that a learner meets.
fn completions(shell: clap_complete::Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "grader", &mut script);
    print_raw(&String::from_utf8_lossy(&script));
}

/// Ends with help, or with what is wrong about the arguments: as clap does, but as everything else is printed, in lines that
/// fit and characters that the locale has; and help that can't be written is an error.
fn end_with(said: &clap::Error) -> ! {
    terminal::set_plain(env::args_os().any(|argument| argument == "--plain"));
    let colour = Terminal::detect().colour;
    let text = |colour: bool| match colour {
        true => said.render().ansi().to_string(),
        false => said.render().to_string(),
    };
    match said.use_stderr() {
        true => terminal::say(text(colour && io::stderr().is_terminal()).trim_end()),
        false => print(&text(colour)),
    }
    std::process::exit(said.exit_code());
}

/// What is done where nothing is asked for: `watch`, where that can be; else the help, which is wrong usage.
fn without_command() -> Command {
    let here = folder::current_directory().ok().and_then(|here| folder::CourseFolder::find(&here));
    if here.is_some() && io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Command::Watch(cli::Watch::default());
    }
    let next = match here {
        Some(_) => "list",
        None => "init course",
    };
    print(&format!("{}\nnext: {} {next}\n", Cli::command().render_help(), terminal::typed()));
    std::process::exit(Exit::Usage as i32);
}

/// The headers that every kernel may include, without a file.
fn headers() -> Vec<(String, String)> {
    let (name, text) = harness::exercise::COURSE_HEADER;
    vec![(name.to_owned(), text.to_owned())]
}

/// What a shell calls a program that wrote to a pipe which nobody reads any more: no pass and no fail.
const READER_GONE: i32 = 141;

/// Prints to standard output. A line that is wider than the terminal is broken at spaces, hidden characters are spelled out,
/// and all is ASCII where the locale has no more. A reader that went away (`| head`) ends the program quietly.
pub fn print(text: &str) {
    if !io::stdout().is_terminal() {
        return print_whole(text);
    }
    let folded = paragraph::folded(text, Terminal::detect().width);
    match text.ends_with('\n') {
        true => print_whole(&folded),
        false => print_whole(folded.trim_end_matches('\n')),
    }
}

/// The same for what is to be copied or read by a program: no line is broken.
pub fn print_whole(text: &str) {
    print_raw(&ascii::shown(&visible::unhidden(text)));
}

fn print_raw(text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            std::process::exit(READER_GONE);
        }
        terminal::say(&format!("error: could not write to standard output: {}", files::explain(&error)));
        std::process::exit(Exit::JudgeError as i32);
    }
}

/// Prints data as JSON, and nothing else.
///
/// # Errors
/// Data that has no JSON: a bug.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Trouble::judge(format!("could not write JSON: {error}"), "report this as a bug"))?;
    print_raw(&visible::in_json(&text, ascii::is_wanted()));
    print_raw("\n");
    Ok(())
}
