//! A worker that misbehaves on request, in the sandbox of a run.
//!
//! Tests prove with it that a worker's crash stays a worker's crash; `grader doctor` asks it whether the
//! sandbox of this machine holds.

use std::{
    fs::Permissions,
    io,
    net::{Ipv4Addr, TcpStream},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::PathBuf,
    process,
    time::Duration,
};

use rustix::{
    process::{Pid, getpgid, setpgid, test_kill_process},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};
use serde::{Deserialize, Serialize};

use super::{
    Answer, Limits, Payload, SandboxStatus, ServeError, WorkerFailure, WorkerKind, call_with, confine,
    sandbox::Policy, wire,
};

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
    /// Connect to a socket in the file system.
    ConnectTo(PathBuf),
    /// Ask whether a process may be signalled.
    Signal(i32),
    /// Join the process group of a process, which is not the group that the judge kills.
    JoinGroup(i32),
    /// Make a file readable for everyone.
    OpenToAll(PathBuf),
    /// Leave for a name space of its own.
    LeaveNameSpace,
    /// Start a thread, which every worker may.
    Thread,
    /// Try each; the outcome is all of theirs.
    Several(Vec<Probe>),
    /// The same in the sandbox of a GPU run.
    SeveralBesideGpu(Vec<Probe>),
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
pub type ProbeOutcome = Result<Vec<u8>, String>;

/// Asks a fresh worker to try.
///
/// # Errors
/// The failure that was asked for.
pub fn probe(probe: &Probe, limits: &Limits) -> Result<Answer<ProbeOutcome>, WorkerFailure> {
    call_with(WorkerKind::Probe, probe, &[], limits)
}

pub(super) fn handle(request: Payload) -> Result<Payload, ServeError> {
    let probe: Probe = request.value()?;
    let policy = match probe {
        Probe::ReadBesideGpu(_) | Probe::SeveralBesideGpu(_) => Policy::gpu(),
        _ => Policy::nothing(),
    };
    confine(&policy)?;
    let outcome: ProbeOutcome = attempt(&probe).map_err(|error| error.to_string());
    // Attachments come back as they went.
    Ok(Payload::new(&outcome, request.attachments)?)
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
        Probe::ConnectTo(path) => UnixStream::connect(path).map(|_| Vec::new()),
        Probe::Signal(process) => {
            let process = Pid::from_raw(*process).ok_or(io::ErrorKind::InvalidInput)?;
            Ok(test_kill_process(process).map(|()| Vec::new())?)
        }
        Probe::JoinGroup(process) => {
            let process = Pid::from_raw(*process).ok_or(io::ErrorKind::InvalidInput)?;
            Ok(setpgid(None, Some(getpgid(Some(process))?)).map(|()| Vec::new())?)
        }
        Probe::OpenToAll(path) => {
            std::fs::set_permissions(path, Permissions::from_mode(0o777)).map(|()| Vec::new())
        }
        Probe::LeaveNameSpace => leave_name_space().map(|()| Vec::new()),
        Probe::Thread => {
            let thread = std::thread::Builder::new().spawn(|| b"a thread".to_vec())?;
            thread.join().map_err(|_| io::Error::other("the thread panicked"))
        }
        Probe::Several(probes) | Probe::SeveralBesideGpu(probes) => {
            let outcomes: Vec<ProbeOutcome> =
                probes.iter().map(|probe| attempt(probe).map_err(|error| error.to_string())).collect();
            wire::encode(&outcomes).map_err(io::Error::other)
        }
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

fn leave_name_space() -> io::Result<()> {
    // No descriptor of a name space is needed to be refused: the call itself is forbidden.
    use std::os::fd::AsFd as _;
    let nothing = io::stdin();
    Ok(move_into_link_name_space(nothing.as_fd(), Some(LinkNameSpaceType::User))?)
}

/// What trying to break out of the sandbox gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// How well the worker was shut in, as it says itself.
    pub status: SandboxStatus,
    /// What a worker could do all the same, in words; empty where the sandbox held.
    pub breaches: Vec<String>,
}

impl Proof {
    /// True where every attempt was refused.
    pub fn holds(&self) -> bool {
        self.breaches.is_empty() && self.status.protects_files()
    }
}

/// Tries to break out of the sandbox of a simulator run, or of the wider one beside a GPU, in every way that
/// a worker taken over by what it compiles or runs would try first.
///
/// # Errors
/// If a worker, or the files to steal and to spoil, cannot be made.
pub fn break_out(beside_gpu: bool) -> Result<Proof, WorkerFailure> {
    let limits = Limits::simulate(1 << 30, 10, 20);
    let folder = tempfile::tempdir()?;
    let (file, new) = (folder.path().join("file"), folder.path().join("new"));
    std::fs::write(&file, b"yours")?;
    std::fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    let socket = folder.path().join("socket");
    let _listening = std::os::unix::net::UnixListener::bind(&socket)?;
    // Nobody needs to listen there: what is refused is refused before.
    let port = 9;
    let judge = i32::try_from(process::id()).map_err(io::Error::other)?;
    let attempts = [
        (Probe::Read(file.clone()), "read a file of yours"),
        (Probe::Read("/proc/self/environ".into()), "read its own environment"),
        (Probe::List(folder.path().to_owned()), "listed a folder of yours"),
        (Probe::Create(new), "made a file in a folder of yours"),
        (Probe::Create(file.clone()), "wrote to a file of yours"),
        (Probe::OpenToAll(file), "changed who may read a file of yours"),
        (Probe::Execute("/bin/true".into()), "started a program"),
        (Probe::Connect(port), "used the network"),
        (Probe::ConnectTo(socket), "connected to a socket of another process"),
        (Probe::Signal(judge), "could signal the judge"),
        (Probe::JoinGroup(judge), "left the process group that the judge kills"),
    ];
    let probes: Vec<Probe> = attempts.iter().map(|(probe, _)| probe.clone()).collect();
    let several = if beside_gpu { Probe::SeveralBesideGpu(probes) } else { Probe::Several(probes) };
    let answer = probe(&several, &limits)?;
    let outcomes = answer.value.map_err(WorkerFailure::Protocol)?;
    let outcomes: Vec<ProbeOutcome> = wire::decode(&outcomes)?;
    let mut breaches: Vec<String> = Vec::new();
    for ((_, what), outcome) in attempts.iter().zip(outcomes) {
        match outcome {
            Err(why) if why.contains("Permission denied") => {}
            Ok(_) => breaches.push(format!("a worker {what}")),
            Err(why) => {
                breaches.push(format!("nothing forbade what a worker tried ({what}); it failed by `{why}`"))
            }
        }
    }
    match probe(&Probe::LeaveNameSpace, &limits) {
        Err(WorkerFailure::Forbidden { .. }) => {}
        Err(failure) => return Err(failure),
        Ok(_) => breaches.push("a worker could ask for another name space".to_owned()),
    }
    Ok(Proof { status: answer.sandbox, breaches })
}
