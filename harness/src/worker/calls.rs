//! The second half of shutting a worker in: the system calls that it has no use for are forbidden (seccomp).
//!
//! Landlock guards what is opened by a name; this guards everything else that reaches out of a process:
//! sockets, other programs, other processes and their memory, name spaces, a file's mode. It names what is
//! forbidden and not what is allowed: which harmless calls the compiler, the GPU's driver and the C library
//! make changes with their versions, and a check must not fail for that.
//!
//! There are two answers to a forbidden call. What trusted code may try in good faith (a socket for a
//! log, a helper process) is refused with "permission denied", and that code goes on without it. What
//! no library that runs here would ever try ends the process with `SIGSYS`, which the judge reports as
//! its own failure and never as a grade. Sources: seccomp(2), clone(2), and the list of calls that
//! container runtimes withhold.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

/// Calls that are refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // Network and sockets of other processes. What is open already, the line to the judge, stays usable.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    // Other programs.
    libc::SYS_execve,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // Other processes, and a process group of its own: the judge kills a worker by its group.
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    // Other files: what Landlock does not guard, or not in every version.
    libc::SYS_truncate,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    // Queues and memory that processes share by a name.
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
];

// Of `fcntl.h` and `sockios.h`; the bindings lack them, and they are the same on x86-64 and Arm.
const F_SETSIG: libc::c_int = 10;
const F_SETOWN_EX: libc::c_int = 15;
const FIOSETOWN: libc::c_int = 0x8901;
const SIOCSPGRP: libc::c_int = 0x8902;

/// The same number on every architecture (Linux 6.6); the bindings for Arm lack it.
const FCHMODAT2: libc::c_long = 452;

/// Calls that end the process.
const FATAL: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Second numbers of the same calls on x86-64, for a mode that few kernels have (x32): forbidden alike.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBERS: Option<libc::c_long> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const SECOND_NUMBERS: Option<libc::c_long> = None;

/// Forbids them to this process, all its threads, for good.
///
/// # Errors
/// Why the system does not do it.
pub(super) fn forbid() -> Result<(), seccompiler::Error> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    // The C library then makes threads by the older call, whose arguments a filter can see.
    let unknown = any(&[libc::SYS_clone3]);
    let answers = [
        (unknown, SeccompAction::Errno(libc::ENOSYS.unsigned_abs())),
        (refused()?, SeccompAction::Errno(libc::EACCES.unsigned_abs())),
        (any(FATAL), SeccompAction::KillProcess),
    ];
    for (rules, answer) in answers {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture)?;
        seccompiler::apply_filter_all_threads(&seccompiler::BpfProgram::try_from(filter)?)?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Rules that match calls with any arguments.
fn any(calls: &[libc::c_long]) -> Rules {
    let mut rules = Rules::new();
    for &call in calls {
        add(&mut rules, call, &[]);
    }
    rules
}

fn add(rules: &mut Rules, call: libc::c_long, all: &[SeccompRule]) {
    rules.insert(call, all.to_vec());
    if let Some(second) = SECOND_NUMBERS {
        rules.insert(call | second, all.to_vec());
    }
}

fn refused() -> Result<Rules, BackendError> {
    let condition = |argument, compare, value| SeccompCondition::new(argument, Length::Dword, compare, value);
    let rule = SeccompRule::new;
    let mut rules = any(REFUSED);
    // A new process; a new thread is no process.
    let thread = libc::CLONE_THREAD.unsigned_abs().into();
    add(&mut rules, libc::SYS_clone, &[rule(vec![condition(0, Compare::MaskedEq(thread), 0)?])?]);
    // Signals and limits of any process but this one. Whoever gives up (`abort`) signals itself.
    let this = u64::from(std::process::id());
    let others = rule(vec![condition(0, Compare::Ne, this)?])?;
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        add(&mut rules, call, std::slice::from_ref(&others));
    }
    let named = rule(vec![condition(0, Compare::Ne, this)?, condition(0, Compare::Ne, 0)?])?;
    add(&mut rules, libc::SYS_prlimit64, &[named]);
    // A signal, any signal, by way of a descriptor on which something happens: whose it is, and which.
    let command =
        |command: libc::c_int| rule(vec![condition(1, Compare::Eq, command.unsigned_abs().into())?]);
    let owners: [libc::c_int; 3] = [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
    add(&mut rules, libc::SYS_fcntl, &owners.into_iter().map(command).collect::<Result<Vec<_>, _>>()?);
    add(&mut rules, libc::SYS_ioctl, &[command(FIOSETOWN)?, command(SIOCSPGRP)?]);
    // The order to die with the judge.
    let dying = rule(vec![condition(0, Compare::Eq, libc::PR_SET_PDEATHSIG.unsigned_abs().into())?])?;
    add(&mut rules, libc::SYS_prctl, &[dying]);
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_has_two_answers() {
        let refused = refused().expect("rules");
        let fatal = any(FATAL);
        assert!(fatal.keys().all(|call| !refused.contains_key(call)));
        let numbers = if SECOND_NUMBERS.is_some() { 2 } else { 1 };
        assert_eq!(fatal.len(), numbers * FATAL.len(), "none is listed twice");
    }
}
