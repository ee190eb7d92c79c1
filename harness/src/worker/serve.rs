//! The worker's side: becomes a worker, waits for requests, and calls what the table says.

use std::{
    any::Any,
    env,
    fs::File,
    io::Write as _,
    os::{fd::AsFd as _, unix::net::UnixStream},
    panic::{self, AssertUnwindSafe},
    process::{self, ExitCode},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    ARGUMENT, ConfineError, SandboxStatus, ServeError, VARIABLE, ValueError, WorkerKind, inherited, probe,
    sandbox::{self, Policy},
    spent,
    wire::{self, Layout, Reply},
};

/// What a request or an answer consists of.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    /// A serialised value: [`Payload::value`] reads it.
    pub value: Vec<u8>,
    /// Bulk, as bytes.
    pub attachments: Vec<Vec<u8>>,
}

/// What a worker of some kind does with a request. It calls [`confine`] as soon as it holds what it needs.
pub type Handler = fn(Payload) -> Result<Payload, ServeError>;

/// What each kind of worker does.
fn handler(kind: WorkerKind) -> Handler {
    match kind {
        WorkerKind::Compile => crate::compiler::worker::handle,
        WorkerKind::Run => crate::device::worker::handle,
        WorkerKind::Probe => probe::handle,
    }
}

impl Payload {
    /// A payload of a value and attachments.
    ///
    /// # Errors
    /// If the value cannot be serialised.
    pub fn new<T: Serialize>(value: &T, attachments: Vec<Vec<u8>>) -> Result<Self, ValueError> {
        Ok(Payload { value: wire::encode(value)?, attachments })
    }

    /// The value.
    ///
    /// # Errors
    /// If it is not a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, ValueError> {
        wire::decode(&self.value)
    }
}

static SANDBOX: OnceLock<(Policy, SandboxStatus)> = OnceLock::new();

/// Shuts this process in, for good, and says how well. A worker is shut in once: a later request for the same
/// policy changes nothing.
///
/// # Errors
/// If it is shut in by another policy already, or asked outside a worker.
pub fn confine(policy: &Policy) -> Result<SandboxStatus, ConfineError> {
    if !is_worker() {
        return Err(ConfineError::NoWorker);
    }
    let restrict = || spent::while_confining(|| sandbox::restrict(policy));
    let (in_force, status) = SANDBOX.get_or_init(|| (policy.clone(), restrict()));
    if in_force == policy {
        return Ok(status.clone());
    }
    Err(ConfineError::AnotherPolicy)
}

fn is_worker() -> bool {
    env::var_os(VARIABLE).is_some() && env::args().nth(1).as_deref() == Some(ARGUMENT)
}

/// Returns if this process is no worker; otherwise serves until the judge is done, and exits.
pub fn intercept() {
    if is_worker() {
        let code = main();
        // Not by returning: the caller's `main` must not run in a worker. `ExitCode` cannot be read back.
        process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}

fn main() -> ExitCode {
    inherited::close_all();
    // Whoever kills the judge has killed its workers.
    let judge = env::var(VARIABLE).ok().and_then(|id| Pid::from_raw(id.parse().ok()?));
    if set_parent_process_death_signal(Some(Signal::KILL)).is_err() || judge.is_none() || getppid() != judge {
        return ExitCode::FAILURE;
    }
    // If the machine runs out of memory, a worker is to go and not the judge. Where this
    // can't be said, it isn't.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    // No start of a set-user-id program can give anything back, with or without Landlock.
    if rustix::thread::set_no_new_privs(true).is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::FAILURE };
    match serve(&Arc::new(UnixStream::from(socket))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worker: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The line to the judge, and the file for the answer that is being made.
static LINE: Mutex<Option<(Arc<UnixStream>, File)>> = Mutex::new(None);

fn line() -> MutexGuard<'static, Option<(Arc<UnixStream>, File)>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the judge a part of the answer that is being made. For requests whose judge listens only; whether it arrives
/// changes nothing of the answer.
pub(crate) fn tell<T: Serialize>(part: &T) {
    let told = || -> Result<(), ServeError> {
        let value = wire::encode(part)?;
        if let Some((socket, file)) = &mut *line() {
            let layout = wire::write_payload(file, &value, &[])?;
            let taken = spent::taken();
            let part = Reply { layout, sandbox: None, output_start: 0, panic: None, is_part: true, taken };
            send(socket, &part)?;
        }
        Ok(())
    };
    let _ = told();
}

fn send(mut socket: &UnixStream, reply: &Reply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    socket.write_all(&line)
}

fn serve(socket: &Arc<UnixStream>) -> Result<(), ServeError> {
    let mut limited = false;
    while let Some((ask, request, answer)) = wire::receive_ask(socket)? {
        if !limited {
            spent::started();
            ask.limits.apply()?;
            limited = true;
        }
        let output_start = rustix::fs::tell(std::io::stdout()).unwrap_or(0);
        let request = wire::read_payload(&request, &ask.layout)?;
        let handler = handler(ask.kind);
        *line() = Some((socket.clone(), answer));
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| handler(request)));
        // From now on nothing is told.
        let Some((_, mut answer)) = line().take() else { return Ok(()) };
        // What device code printed must be there before the answer is.
        let _ = std::io::stdout().flush();
        let sandbox = SANDBOX.get().map(|(_, status)| status.clone());
        let layout = Layout::default();
        let taken = spent::taken();
        let mut reply = Reply { layout, sandbox, output_start, panic: None, is_part: false, taken };
        match outcome {
            Ok(Ok(payload)) => {
                let attachments: Vec<&[u8]> = payload.attachments.iter().map(Vec::as_slice).collect();
                reply.layout = wire::write_payload(&mut answer, &payload.value, &attachments)?;
            }
            Ok(Err(error)) => return Err(error),
            Err(cause) => reply.panic = Some(message_of(&*cause)),
        }
        send(socket, &reply)?;
    }
    Ok(())
}

fn message_of(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
