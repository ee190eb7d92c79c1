//! The judge's side: starts a worker, asks, waits, and ends it.

use std::{
    fs::File,
    io::{self, Read as _},
    marker::PhantomData,
    os::{
        fd::OwnedFd,
        unix::{fs::FileExt as _, net::UnixStream, process::CommandExt as _},
    },
    process::{Child, Command, ExitStatus},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    ARGUMENT, Limits, Payload, SandboxStatus, VARIABLE, WorkerFailure, WorkerKind, interrupt,
    spent::{self, Taken},
    standby,
    wire::{self, Ask, LINE_BYTES, Reply},
};

/// What a worker answered.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The value.
    pub value: T,
    /// Bulk, as bytes.
    pub attachments: Vec<Vec<u8>>,
    /// How well the worker was shut in when it answered; `Missing` if it was not.
    pub sandbox: SandboxStatus,
    /// What was written to the worker's standard output meanwhile; a GPU's `printf` goes there.
    pub output: String,
}

/// Starts a worker, asks it once, and ends it.
///
/// # Errors
/// Any [`WorkerFailure`]; the judge is none the worse for it.
pub fn call<Q: Serialize, A: DeserializeOwned>(
    kind: WorkerKind,
    request: &Q,
    limits: &Limits,
) -> Result<A, WorkerFailure> {
    call_with(kind, request, &[], limits).map(|answer| answer.value)
}

/// As [`call`], with bulk both ways and with what else is known of the worker.
///
/// # Errors
/// Any [`WorkerFailure`].
pub fn call_with<Q: Serialize, A: DeserializeOwned>(
    kind: WorkerKind,
    request: &Q,
    attachments: &[&[u8]],
    limits: &Limits,
) -> Result<Answer<A>, WorkerFailure> {
    begin(kind, request, attachments, limits)?.answer()
}

/// As [`call_with`], but waits for nothing: several workers can work at once.
///
/// # Errors
/// Any [`WorkerFailure`].
pub fn begin<Q: Serialize>(
    kind: WorkerKind,
    request: &Q,
    attachments: &[&[u8]],
    limits: &Limits,
) -> Result<Asked, WorkerFailure> {
    let mut worker = match standby::take(kind, limits) {
        Some(worker) => worker,
        None => Worker::start(kind, limits)?,
    };
    let owed = worker.begin(request, attachments)?;
    Ok(Asked { worker, owed })
}

/// A worker that owes its one answer; dropping it ends it.
pub struct Asked {
    worker: Worker,
    owed: Owed,
}

impl Asked {
    /// Waits for the answer, at most for the wall limit since it was asked.
    ///
    /// # Errors
    /// Any [`WorkerFailure`].
    pub fn answer<A: DeserializeOwned>(self) -> Result<Answer<A>, WorkerFailure> {
        self.answer_in_parts(&mut |_| {})
    }

    /// As [`Asked::answer`]; `told` gets the parts that come before the answer, each as soon as it is there.
    ///
    /// # Errors
    /// Any [`WorkerFailure`].
    pub fn answer_in_parts<A: DeserializeOwned>(
        mut self,
        told: &mut dyn FnMut(Payload),
    ) -> Result<Answer<A>, WorkerFailure> {
        self.worker.answer(self.owed, told)
    }
}

/// An answer that is to come.
struct Owed {
    /// For its bulk.
    file: File,
    deadline: Instant,
}

/// A worker that can be asked several times; dropping it ends it. After a failure
/// every further request fails.
///
/// It stays on the thread that started it: the kernel ends a worker together with the
/// *thread* that is its parent.
pub struct Worker {
    child: Child,
    socket: UnixStream,
    /// What it has sent and nobody has read yet.
    received: Vec<u8>,
    output: File,
    errors: File,
    kind: WorkerKind,
    limits: Limits,
    /// It was ended: by its own fault, or because its judge is done with it.
    ended: bool,
    /// It was given something to warm up on, whose answer is still to come.
    warming_up: bool,
    /// What it said last that it has taken.
    taken: Taken,
    stays_on_its_thread: PhantomData<*const ()>,
}

/// How long a worker that was killed, or has closed its line, may take to be gone. The driver has to free a
/// GPU's memory first, which takes it a second or two.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// What tells glibc's allocator to keep freed memory: blocks below 32 MiB, its greatest threshold, are never the system's
/// own, and 256 MiB may be free before any goes back. Other allocators look at nothing of this.
const KEEP_FREED: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456");
/// Most bytes of a worker's output that are kept.
const OUTPUT_BYTES: u64 = 1 << 20;
/// Most bytes of a worker's standard error stream that are kept.
const ERROR_BYTES: u64 = 4 << 10;

impl Worker {
    /// Starts a worker process; it waits for its first request.
    ///
    /// # Errors
    /// [`WorkerFailure::Spawn`].
    pub fn start(kind: WorkerKind, limits: &Limits) -> Result<Self, WorkerFailure> {
        let (socket, theirs) = UnixStream::pair()?;
        let output = wire::memory_file("worker output")?;
        let errors = wire::memory_file("worker errors")?;
        // This very program, even if its file has been replaced meanwhile.
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("grader")
            // The rest is for test binaries: run the test of this name, on the main thread, and nothing else.
            .args([ARGUMENT, "--exact", "--nocapture", "--test-threads=1"])
            .env_clear()
            .env(VARIABLE, std::process::id().to_string())
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(output.try_clone()?)
            .stderr(errors.try_clone()?)
            .process_group(0);
        if limits.keeps_freed_memory {
            command.env(KEEP_FREED.0, KEEP_FREED.1);
        }
        for name in &limits.environment {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let child = command.spawn()?;
        // `command` holds the worker's end of the socket; while it lives, the worker's death is not seen.
        drop(command);
        Ok(Worker {
            child,
            socket,
            received: Vec::new(),
            output,
            errors,
            kind,
            limits: limits.clone(),
            ended: false,
            warming_up: false,
            taken: Taken::default(),
            stays_on_its_thread: PhantomData,
        })
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks and waits for the answer, at most for the wall limit.
    ///
    /// # Errors
    /// Any [`WorkerFailure`].
    pub fn ask<Q: Serialize, A: DeserializeOwned>(
        &mut self,
        request: &Q,
        attachments: &[&[u8]],
    ) -> Result<Answer<A>, WorkerFailure> {
        let owed = self.begin(request, attachments)?;
        self.answer(owed, &mut |_| {})
    }

    /// Asks. The answer must be waited for.
    fn begin<Q: Serialize>(&mut self, request: &Q, attachments: &[&[u8]]) -> Result<Owed, WorkerFailure> {
        if self.ended {
            return Err(WorkerFailure::Protocol("an earlier request ended this worker".to_owned()));
        }
        if !interrupt::may_ask(Pid::from_child(&self.child)) {
            return Err(WorkerFailure::Killed);
        }
        let asked = self.try_begin(request, attachments);
        asked.map_err(|failure| self.failed(failure))
    }

    fn try_begin<Q: Serialize>(&mut self, request: &Q, attachments: &[&[u8]]) -> Result<Owed, WorkerFailure> {
        let value = wire::encode(request)?;
        let deadline = Instant::now() + Duration::from_secs(self.limits.wall_seconds);
        if std::mem::take(&mut self.warming_up) {
            self.reply(deadline)?;
        }
        Ok(Owed { file: self.send(&value, attachments)?, deadline })
    }

    /// Waits for what it owes.
    fn answer<A: DeserializeOwned>(
        &mut self,
        owed: Owed,
        told: &mut dyn FnMut(Payload),
    ) -> Result<Answer<A>, WorkerFailure> {
        let answered = self.try_answer(&owed, told);
        match answered {
            Ok(answer) => {
                interrupt::owes_nothing(Pid::from_child(&self.child));
                Ok(answer)
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    fn try_answer<A: DeserializeOwned>(
        &mut self,
        owed: &Owed,
        told: &mut dyn FnMut(Payload),
    ) -> Result<Answer<A>, WorkerFailure> {
        let (reply, payload) = loop {
            let reply = self.reply(owed.deadline)?;
            if let Some(message) = reply.panic {
                return Err(WorkerFailure::Panicked { message: format!("{message}\n{}", self.error_text()) });
            }
            let payload = wire::read_payload(&owed.file, &reply.layout)
                .map_err(|error| WorkerFailure::Protocol(error.to_string()))?;
            if !reply.is_part {
                break (reply, payload);
            }
            told(payload);
        };
        let value = payload.value()?;
        let sandbox =
            reply.sandbox.unwrap_or_else(|| SandboxStatus::Missing("it did not ask for one".to_owned()));
        let output = text_of(&self.output, reply.output_start, OUTPUT_BYTES);
        Ok(Answer { value, attachments: payload.attachments, sandbox, output })
    }

    /// Ends it after a failure, and says which failure is to be told.
    fn failed(&mut self, failure: WorkerFailure) -> WorkerFailure {
        interrupt::owes_nothing(Pid::from_child(&self.child));
        // Whoever judges something else already waits for nothing.
        if interrupt::is_asked() {
            self.retire();
            return failure;
        }
        // A process that cannot be ended says more about this machine than its failure does
        // about what it was asked.
        match self.end(&failure.to_string()) {
            Err(stuck @ WorkerFailure::Stuck { .. }) => stuck,
            _ => failure,
        }
    }

    /// Sends an encoded request; gives the file for the bulk of its answer.
    fn send(&self, value: &[u8], attachments: &[&[u8]]) -> Result<File, WorkerFailure> {
        let mut request = wire::memory_file("request")?;
        let answer = wire::memory_file("answer")?;
        let layout = wire::write_payload(&mut request, value, attachments)?;
        let ask = Ask { kind: self.kind, limits: self.limits.clone(), layout };
        // A worker that died before it could be asked says so when its answer is awaited.
        let _ = wire::send_ask(&self.socket, &ask, &request, &answer);
        Ok(answer)
    }

    /// Gives it an encoded request whose answer nobody reads; the next request waits for its end.
    pub(super) fn warm_up(&mut self, value: &[u8]) -> Result<(), WorkerFailure> {
        self.warming_up = true;
        self.send(value, &[]).map(drop)
    }

    /// Whether it was started for this.
    pub(super) fn is_for(&self, kind: WorkerKind, limits: &Limits) -> bool {
        self.kind == kind && self.limits.same_process(limits)
    }

    /// It, with as long to answer as these limits give.
    pub(super) fn with_clock(mut self, limits: &Limits) -> Self {
        self.limits.wall_seconds = limits.wall_seconds;
        self
    }

    /// Whether it has not ended by itself, or by somebody's doing.
    pub(super) fn lives(&self) -> bool {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), exited), Ok(None))
    }

    /// Reads the worker's line, or finds out why there is none.
    fn reply(&mut self, deadline: Instant) -> Result<Reply, WorkerFailure> {
        let mut buffer = [0; 4096];
        let end = loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                break end;
            }
            if self.received.len() > LINE_BYTES {
                return Err(WorkerFailure::Protocol(format!("a line of more than {LINE_BYTES} bytes")));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.late());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(&mut buffer) {
                Ok(0) => return Err(self.post_mortem(deadline)),
                Ok(count) => self.received.extend_from_slice(&buffer[..count]),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {}
                    io::ErrorKind::ConnectionReset => return Err(self.post_mortem(deadline)),
                    _ => return Err(error.into()),
                },
            }
        };
        let line: Vec<u8> = self.received.drain(..=end).collect();
        let reply: Reply =
            serde_json::from_slice(&line).map_err(|error| WorkerFailure::Protocol(error.to_string()))?;
        spent::note(self.kind, self.taken, reply.taken);
        self.taken = reply.taken;
        Ok(reply)
    }

    /// The worker closed its end of the socket: waits for its exit and reads it.
    fn post_mortem(&mut self, deadline: Instant) -> WorkerFailure {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let gone = Instant::now() + GONE_WITHIN;
        loop {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), exited) {
                Ok(Some(_)) => break,
                Ok(None) if interrupt::is_asked() => return WorkerFailure::Killed,
                Ok(None) if Instant::now() >= deadline => return self.late(),
                Ok(None) if Instant::now() >= gone => {
                    let why = "it closed its line to the judge and did not end".to_owned();
                    return WorkerFailure::Protocol(why);
                }
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                Err(error) => return WorkerFailure::Spawn(error.into()),
            }
        }
        match self.end("it ended by itself") {
            Ok(Some(status)) => WorkerFailure::of_exit(status, self.error_text(), &self.limits),
            Ok(None) => WorkerFailure::Protocol("it was ended before".to_owned()),
            Err(failure) => failure,
        }
    }

    /// The failure of a worker that is over its wall limit and still there to be looked at.
    fn late(&self) -> WorkerFailure {
        let cpu_seconds = processor_seconds(self.id()).unwrap_or(0);
        WorkerFailure::WallLimit { limit_seconds: self.limits.wall_seconds, cpu_seconds }
    }

    fn error_text(&self) -> String {
        let size = self.errors.metadata().map_or(0, |data| data.len());
        text_of(&self.errors, size.saturating_sub(ERROR_BYTES), ERROR_BYTES)
    }

    /// Kills the worker with everything that it started, and takes its exit status, so that no zombie stays;
    /// none where that was done before.
    ///
    /// # Errors
    /// [`WorkerFailure::Stuck`]: a process that waits for a device inside the system cannot be killed before that wait is over.
    /// It is left to a thread of its own, which takes its status if ever there is one.
    fn end(&mut self, before: &str) -> Result<Option<ExitStatus>, WorkerFailure> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        let process = self.kill();
        let deadline = Instant::now() + GONE_WITHIN;
        let mut pause = Duration::from_micros(250);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                break;
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
        let state = state(self.id());
        // Without that thread it stays a zombie until the judge ends; there is nothing better to do.
        let _ = reap(process);
        Err(WorkerFailure::Stuck { process: self.id(), state, before: before.to_owned() })
    }

    /// Kills the worker with everything that it started.
    fn kill(&mut self) -> Pid {
        let process = Pid::from_child(&self.child);
        interrupt::owes_nothing(process);
        // Also where the worker itself is gone already: what it started may not be. Until its exit status is
        // taken, its number and its group's are nobody else's.
        let _ = kill_process_group(process, Signal::KILL);
        // And where it left its group in spite of all.
        let _ = self.child.kill();
        process
    }

    /// Kills the worker. On a thread that keeps the next ones ready nobody waits until it is gone, which takes one that
    /// used a GPU a second or two: [`standby::settle`] does, before a GPU is used again.
    fn retire(&mut self) {
        if !standby::is_kept() {
            // Nobody is there to be told; who asks the next worker of the same device will be.
            let _ = self.end("its judge was done with it");
        } else if !std::mem::replace(&mut self.ended, true) {
            let process = self.kill();
            if let Ok(reaper) = reap(process) {
                standby::retired(reaper);
            }
        }
    }
}

/// Takes a killed process's exit status once there is one, on a thread of its own.
fn reap(process: Pid) -> io::Result<JoinHandle<()>> {
    let reap = move || {
        let _ = waitid(WaitId::Pid(process), WaitIdOptions::EXITED);
    };
    thread::Builder::new().name("reaper".to_owned()).spawn(reap)
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.retire();
    }
}

/// What the system says a process of ours is doing, e.g. `D (disk sleep)`.
fn state(process: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.map_or_else(|| "not known".to_owned(), |state| state.trim().to_owned())
}

/// Whole seconds of processor time that a process of ours has used, all threads together.
fn processor_seconds(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may contain anything; `utime` and `stime` are fields 14
    // and 15, the state field 3.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    // Linux counts in hundredths of a second for programs, whatever it counts in itself.
    Some((user + system) / 100)
}

/// Some bytes of a file that the worker writes, as text.
fn text_of(file: &File, start: u64, at_most: u64) -> String {
    let size = file.metadata().map_or(0, |data| data.len());
    let length = size.saturating_sub(start).min(at_most);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    match file.read_exact_at(&mut bytes, start) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}
