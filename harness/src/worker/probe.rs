//! A worker that misbehaves on request, in the sandbox of a run.
//!
//! Tests prove with it that a worker's crash stays a worker's crash; `grader doctor` asks it whether the sandbox
//! of this machine holds.

use std::{
    io,
    net::{Ipv4Addr, TcpStream},
    path::PathBuf,
    process,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{Answer, Kind, Limits, Payload, WorkerFailure, call_with, confine, sandbox::Policy};

/// What to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// Nothing: says how well it is shut in.
    Nothing,
    /// Read a file.
    Read(PathBuf),
    /// Read a file in the sandbox of a GPU run, which is wider.
    ReadBesideGpu(PathBuf),
    /// List a directory.
    List(PathBuf),
    /// Create a file.
    Create(PathBuf),
    /// Start a program.
    Execute(PathBuf),
    /// Connect to a TCP port of this machine.
    Connect(u16),
    /// Give the environment, as `NAME=value` lines.
    Environment,
    /// Abort.
    Abort,
    /// Panic.
    Panic,
    /// Sleep for ever.
    Hang,
    /// Compute for ever.
    Spin,
    /// Use this much memory.
    Allocate(u64),
    /// Print a line, as device code does.
    Print(String),
}

/// What came of it: the bytes read or nothing much, or the system's refusal.
pub type Outcome = Result<Vec<u8>, String>;

/// Asks a fresh worker to try.
///
/// # Errors
/// The failure that was asked for.
pub fn probe(probe: &Probe, limits: &Limits) -> Result<Answer<Outcome>, WorkerFailure> {
    call_with(Kind::Probe, probe, &[], limits)
}

pub(super) fn handle(request: Payload) -> Result<Payload, String> {
    let probe: Probe = request.value()?;
    let policy = match probe {
        Probe::ReadBesideGpu(_) => Policy::gpu(),
        _ => Policy::nothing(),
    };
    confine(&policy)?;
    let outcome: Outcome = attempt(&probe).map_err(|error| error.to_string());
    // Attachments come back as they went.
    Payload::new(&outcome, request.attachments)
}

fn attempt(probe: &Probe) -> io::Result<Vec<u8>> {
    match probe {
        Probe::Nothing => Ok(Vec::new()),
        Probe::Read(path) | Probe::ReadBesideGpu(path) => std::fs::read(path),
        Probe::List(path) => {
            let names = std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().into_encoded_bytes()));
            Ok(names.collect::<io::Result<Vec<_>>>()?.join(&b'\n'))
        }
        Probe::Create(path) => std::fs::write(path, b"created").map(|()| Vec::new()),
        Probe::Execute(path) => process::Command::new(path).output().map(|output| output.stdout),
        Probe::Connect(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(|_| Vec::new()),
        Probe::Environment => {
            let lines = std::env::vars_os().map(|(name, value)| {
                [name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\n"].concat()
            });
            Ok(lines.collect::<Vec<_>>().concat())
        }
        Probe::Abort => process::abort(),
        Probe::Panic => panic!("a panic was asked for"),
        Probe::Hang => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        Probe::Spin => loop {
            std::hint::spin_loop();
        },
        Probe::Allocate(bytes) => {
            let bytes = usize::try_from(*bytes).map_err(io::Error::other)?;
            let block = vec![1_u8; bytes];
            Ok(vec![std::hint::black_box(&block)[bytes / 2]])
        }
        Probe::Print(line) => {
            println!("{line}");
            Ok(Vec::new())
        }
    }
}
