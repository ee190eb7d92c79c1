//! A kernel that makes the simulator keep more than it may is the kernel's failure, and what it
//! never touches costs nothing.

use harness::{
    device::{Code, Execution, ExecutionStatus, Job, Passes, Request, Target, worker::simulate_within},
    plan::{Element, Fill, Launch, Plan},
    worker::Limits,
};

#[test]
fn __worker() {
    harness::worker::intercept();
}

/// 1024 threads with 400 kB each, of which they write every 64th byte up to a limit.
fn with_large_arrays(touched: u32) -> Execution {
    filled(touched, Plan::new(), &Limits::simulate(256 << 20, 60, 60))
}

/// The same after a plan, within limits.
fn filled(touched: u32, mut plan: Plan, limits: &Limits) -> Execution {
    let ptx = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry fill()\n{{\n\
         .local .align 16 .b8 array[400000];\n.reg .b64 %a;\n.reg .b32 %i;\n.reg .pred %p;\n\
         mov.u64 %a, array;\nmov.u32 %i, 0;\n$next:\nst.local.u32 [%a], %i;\nadd.s64 %a, %a, 64;\n\
         add.u32 %i, %i, 64;\nsetp.lt.u32 %p, %i, {touched};\n@%p bra $next;\nret;\n}}\n"
    );
    plan.launch(Launch::new("fill", 4, 1024));
    let request = Request {
        target: Target::Simulator {
            profile: "h200".into(),
            threads: 2,
            schedules: warpsim::Schedules::default(),
            worst_requests: false,
        },
        code: Code { checked_ptx: ptx.clone(), optimised_ptx: ptx, ..Code::default() },
        jobs: vec![Job {
            plan,
            case: 0,
            passes: Passes::All,
            budget: 100_000_000,
            seconds: 10.0,
            clock: None,
        }],
        secret: 0,
    };
    simulate_within(limits, request).0.remove(0)
}

#[test]
fn what_is_never_touched_costs_nothing() {
    assert_eq!(with_large_arrays(64).status, ExecutionStatus::Finished);
}

#[test]
fn more_than_the_simulator_may_keep_is_the_kernels_failure() {
    let status = with_large_arrays(400_000).status;
    assert!(
        matches!(&status, ExecutionStatus::Unfinished(why) if why.contains("more than 268 MB")),
        "{status:?}"
    );
}

/// Of a machine that many workers share each has 2 GiB. What needs more says nothing of the kernel: it is simulated again
/// with all the memory that one worker may have.
#[test]
fn more_than_a_workers_share_is_simulated_again_alone() {
    let mut plan = Plan::new();
    plan.buffer("large", Element::F32, &[475 << 20], Fill::Uninitialized);
    let no_more = Limits::simulate(2 << 30, 60, 60);
    let status = filled(64, plan.clone(), &no_more).status;
    assert!(matches!(status, ExecutionStatus::Unfinished(_)), "a share would be enough: {status:?}");
    let crowded = Limits { shared_by: 1 << 20, ..Limits::simulate(6 << 30, 60, 60) };
    assert_eq!(filled(64, plan, &crowded).status, ExecutionStatus::Finished);
}
