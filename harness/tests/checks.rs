//! The judge's own kernels, on the simulator: what they fill and find must be what the host fills and finds.

use std::sync::LazyLock;

use harness::{
    compiler::{CompileRequest, compile},
    device::{Code, Execution, Job, Passes, Request, Target, worker::simulate},
    plan::Plan,
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
};

mod trusted;

#[test]
fn __worker() {
    harness::worker::intercept();
}

static CODE: LazyLock<Code> = LazyLock::new(|| {
    let toolchain = Toolchain::locate_or_install(&CompilerChoice::Pinned, None, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"));
    let request = CompileRequest::new("checks.cu", trusted::CHECKS);
    Code::from(&compile(&toolchain, &request).unwrap_or_else(|error| panic!("{error}")))
});

fn on_simulator(plan: Plan) -> Execution {
    let request = Request {
        target: Target::Simulator {
            profile: "h200".into(),
            threads: 0,
            schedules: warpsim::Schedules::default(),
            worst_requests: false,
        },
        code: CODE.clone(),
        jobs: vec![Job {
            plan,
            case: 0,
            passes: Passes::All,
            budget: 200_000_000,
            seconds: 60.0,
            clock: None,
        }],
        secret: 1,
    };
    let mut execution = simulate(request).0.remove(0);
    let errors: Vec<_> = execution.findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    execution.findings.clear();
    execution
}

#[test]
fn fills_are_the_hosts_to_the_bit() {
    trusted::fills_are_the_hosts_to_the_bit(1500, on_simulator);
}

#[test]
fn comparing_is_the_hosts() {
    trusted::comparing_is_the_hosts(on_simulator);
}

#[test]
fn changed_bytes_are_found() {
    trusted::changed_bytes_are_found(on_simulator);
}

#[test]
fn products_are_verified() {
    trusted::products_are_verified([9, 130, 70], on_simulator);
}
