//! A kernel that makes the simulator keep more than it may is the kernel's failure, and what it
//! never touches costs nothing.

use harness::{
    device::{Code, Execution, ExecutionStatus, Job, Passes, Request, Target, worker::simulate_within},
    plan::{Launch, Plan},
    worker::Limits,
};

#[test]
fn __worker() {
    harness::worker::intercept();
}

/// 1024 threads with 400 kB each, of which they write every 64th byte up to a limit.
fn with_large_arrays(touched: u32) -> Execution {
    let ptx = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry fill()\n{{\n\
         .local .align 16 .b8 array[400000];\n.reg .b64 %a;\n.reg .b32 %i;\n.reg .pred %p;\n\
         mov.u64 %a, array;\nmov.u32 %i, 0;\n$next:\nst.local.u32 [%a], %i;\nadd.s64 %a, %a, 64;\n\
         add.u32 %i, %i, 64;\nsetp.lt.u32 %p, %i, {touched};\n@%p bra $next;\nret;\n}}\n"
    );
    let mut plan = Plan::new();
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
    simulate_within(&Limits::simulate(256 << 20, 60, 60), request).0.remove(0)
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
