//! Python processes that stay: importing NumPy and the references takes longer than most kernels do. Each answers for
//! one kernel after another, as `run.py` would in a process of its own; there are as many as tests that run at once.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::{Mutex, PoisonError},
};

use crate::python::{NEEDED, command};

/// Those that no test is asking.
static IDLE: Mutex<Vec<Interpreter>> = Mutex::new(Vec::new());

/// One `run.py --serve`. It ends when its standard input does.
struct Interpreter {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The exit code and the output of `run.py ARGUMENTS`.
pub fn ask(arguments: &[&str]) -> io::Result<(i32, String)> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = idle().pop();
    let mut interpreter = waiting.map_or_else(Interpreter::start, Ok)?;
    let answer = interpreter.ask(arguments)?;
    // One that gave no answer is not asked again.
    idle().push(interpreter);
    Ok(answer)
}

impl Interpreter {
    fn start() -> io::Result<Self> {
        let mut command = command("blind/run.py");
        command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| io::Error::new(error.kind(), NEEDED))?;
        let requests = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Ok(Interpreter { process, requests, answers })
    }

    fn ask(&mut self, arguments: &[&str]) -> io::Result<(i32, String)> {
        let mut line = serde_json::to_string(arguments)?;
        line.push('\n');
        self.requests.write_all(line.as_bytes())?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            let ended = self.process.wait()?;
            return Err(io::Error::other(format!(
                "it ended ({ended}) in place of an answer; what it said is above"
            )));
        }
        Ok(serde_json::from_str(&answer)?)
    }
}
