//! What one worker may use.

use std::sync::atomic::{AtomicUsize, Ordering};

use rlimit::Resource;
use serde::{Deserialize, Serialize};

use super::{ServeError, machine};

const GIB: u64 = 1 << 30;

/// What a worker gets of the memory that it shares with others, if there is so much: every kernel of the course can be
/// simulated in far less.
const LEAST_SHARE: u64 = 2 * GIB;

/// How many workers that simulate share this machine's memory.
static SHARED_BY: AtomicUsize = AtomicUsize::new(1);

/// From now on so many workers simulate at a time, and share this machine's memory.
pub fn share_memory(workers: usize) {
    SHARED_BY.store(workers.max(1), Ordering::Relaxed);
}

/// What one of so many workers may take of a machine's memory: the judge and the system need the rest.
fn share_of(machine: u64, workers: usize) -> u64 {
    let all = machine / 4 * 3;
    (all / workers.max(1) as u64).max(LEAST_SHARE).min(all)
}

/// What this process and its workers can raise a limit to; none where the system does not say.
fn hard(resource: Resource) -> Option<u64> {
    resource.get().ok().map(|(_, hard)| hard)
}

/// What one worker may use. The wall limit is kept by the judge, the others by the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Private writable memory in bytes.
    pub memory_bytes: u64,
    /// How many such workers share the machine's memory: with fewer, each may have more of what is granted.
    pub shared_by: usize,
    /// Also limit address space (to memory plus 1 GiB for libraries). CUDA reserves terabytes of it unused.
    pub limit_address_space: bool,
    /// Seconds of processor time over the worker's life, all threads together.
    pub cpu_seconds: u64,
    /// Seconds on the clock for one request.
    pub wall_seconds: u64,
    /// Bytes of one file, which includes the answer's bulk.
    pub file_bytes: u64,
    /// Open files.
    pub open_files: u64,
    /// Environment variables of the judge that the worker keeps; none otherwise.
    pub environment: Vec<String>,
    /// Freed memory stays with the process, which asks for as much again a moment later: giving it back to the system and
    /// taking it anew costs more than most launches do.
    pub keeps_freed_memory: bool,
}

impl Limits {
    /// For a worker that compiles.
    pub fn compile(memory_bytes: u64, cpu_seconds: u64, wall_seconds: u64) -> Self {
        Limits {
            memory_bytes,
            shared_by: 1,
            limit_address_space: true,
            cpu_seconds,
            wall_seconds,
            file_bytes: 256 << 20,
            open_files: 64,
            environment: Vec::new(),
            keeps_freed_memory: false,
        }
    }

    /// For a worker that simulates.
    pub fn simulate(memory_bytes: u64, cpu_seconds: u64, wall_seconds: u64) -> Self {
        Limits {
            limit_address_space: false,
            file_bytes: 4 << 30,
            keeps_freed_memory: true,
            ..Limits::compile(memory_bytes, cpu_seconds, wall_seconds)
        }
    }

    /// The same for one of the workers that share this machine's memory now.
    pub fn shared(self) -> Self {
        Limits { shared_by: SHARED_BY.load(Ordering::Relaxed), ..self }
    }

    /// The same for a worker that has this machine's memory for itself.
    pub fn alone(&self) -> Self {
        Limits { shared_by: 1, ..self.clone() }
    }

    /// For a worker that uses a GPU: the driver is found through variables, and opens many files.
    pub fn gpu(memory_bytes: u64, cpu_seconds: u64, wall_seconds: u64) -> Self {
        let environment =
            ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES"];
        Limits {
            open_files: 4096,
            keeps_freed_memory: false,
            environment: environment.map(str::to_owned).to_vec(),
            ..Limits::simulate(memory_bytes, cpu_seconds, wall_seconds)
        }
    }

    /// Whether a process with these limits is one with the others: the judge keeps the clock, and for each request.
    pub(super) fn same_process(&self, other: &Limits) -> bool {
        Limits { wall_seconds: other.wall_seconds, ..self.clone() } == *other
    }

    /// Bytes of memory that the system leaves a worker, if that is less than these limits grant: a shell's
    /// `ulimit`, a batch job's limit, a small machine. Workers inherit the first two from this process.
    pub(super) fn memory_lowered_to(&self) -> Option<u64> {
        let data = hard(Resource::DATA).filter(|&allowed| allowed < self.memory_bytes);
        let granted = if self.limit_address_space { self.memory_bytes.saturating_add(GIB) } else { u64::MAX };
        let space = hard(Resource::AS).filter(|&allowed| allowed < granted);
        let fitting = self.memory_that_fits();
        let fitting = (fitting < self.memory_bytes).then_some(fitting);
        data.into_iter().chain(space).chain(fitting).min()
    }

    /// The memory granted, or what of it this machine has. A worker that is granted more would make the
    /// system choose whom to kill, and nobody could tell whose fault it was.
    fn memory_that_fits(&self) -> u64 {
        match self.memory_bytes {
            // The driver of a GPU reserves far more than it uses.
            u64::MAX => u64::MAX,
            bytes => machine::memory().map_or(bytes, |machine| bytes.min(share_of(machine, self.shared_by))),
        }
    }

    /// Seconds of processor time that the system leaves a worker, if that is less than these limits grant.
    pub(super) fn cpu_lowered_to(&self) -> Option<u64> {
        hard(Resource::CPU).filter(|&allowed| allowed < self.cpu_seconds)
    }

    /// Applies the limits to this process, for good.
    pub(super) fn apply(&self) -> Result<(), ServeError> {
        let memory = self.memory_that_fits();
        let mut limits = vec![
            (Resource::DATA, memory, memory),
            // The kernel ends the process by SIGXCPU at the first number and by SIGKILL at the second.
            (Resource::CPU, self.cpu_seconds, self.cpu_seconds + 1),
            (Resource::FSIZE, self.file_bytes, self.file_bytes),
            (Resource::NOFILE, self.open_files, self.open_files),
            (Resource::CORE, 0, 0),
            // NVRTC raises its own stack limit as far as it may; the stack is not counted as data.
            (Resource::STACK, 64 << 20, 64 << 20),
        ];
        if self.limit_address_space {
            let bytes = memory.saturating_add(GIB);
            limits.push((Resource::AS, bytes, bytes));
        }
        for (resource, soft, hard) in limits {
            // A limit that is lower already stays.
            let refused = |error| ServeError::Limit { resource: resource.as_name(), error };
            let (_, ceiling) = resource.get().map_err(refused)?;
            resource.set(soft.min(ceiling), hard.min(ceiling)).map_err(refused)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_machine_lowers_the_grant_and_only_where_there_is_one() {
        let machine = machine::memory().expect("Linux says how much memory there is");
        let greedy = Limits::simulate(1 << 50, 60, 60);
        assert_eq!(greedy.memory_that_fits(), share_of(machine, 1));
        assert_eq!(greedy.memory_lowered_to(), Some(share_of(machine, 1)));
        let modest = Limits::simulate(1 << 20, 60, 60);
        assert_eq!((modest.memory_that_fits(), modest.memory_lowered_to()), (1 << 20, None));
        assert_eq!(Limits::gpu(u64::MAX, 60, 60).memory_that_fits(), u64::MAX);
    }

    #[test]
    fn workers_at_a_time_share_the_machine_and_each_has_what_it_needs() {
        let shares = [(128, 16), (64, 16), (64, 4), (8, 1), (8, 4), (1, 1), (1, 4)];
        let megabytes = shares.map(|(machine, workers)| share_of(machine * GIB, workers) >> 20);
        assert_eq!(megabytes, [6 << 10, 3 << 10, 12 << 10, 6 << 10, 2 << 10, 768, 768]);
        // Less than was granted is the machine's doing, and no grade; alone a worker may have all of it.
        let machine = machine::memory().expect("Linux says how much memory there is");
        let crowded = Limits { shared_by: 1 << 20, ..Limits::simulate(1 << 50, 60, 60) };
        assert_eq!(crowded.memory_lowered_to(), Some(LEAST_SHARE.min(share_of(machine, 1))));
        assert_eq!(crowded.alone().memory_lowered_to(), Some(share_of(machine, 1)));
        assert_eq!(crowded.alone(), Limits::simulate(1 << 50, 60, 60));
    }
}
