//! A test that asserts that a kernel is clean: what a project that ships kernels can put in its `tests/`.
//!
//! `cargo test --example clean`

use std::sync::Arc;

use warpsim::{Argument, Launch, LaunchReport, LaunchStatus, Module, Profile, Simulator};

/// The largest of each block's 128 elements.
const PTX: &str = include_str!("../tests/pass/compiled/block_maximum.ptx");

/// Runs the kernel on the numbers from 0 to 299, in three blocks.
fn run() -> LaunchReport {
    let mut gpu = Simulator::new(Arc::new(Module::load(PTX).expect("PTX")), &Profile::H200);
    let (input, output) = (gpu.allocate(4 * 300, "in"), gpu.allocate(4 * 3, "out"));
    let numbers: Vec<u8> = (0..300u16).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    gpu.write(input, &numbers).expect("the buffer holds 300 numbers");
    let mut arguments = [input, output].map(|base| Argument::Pointer { base, offset: 0 }).to_vec();
    arguments.push(Argument::Bytes(300i32.to_le_bytes().to_vec()));
    gpu.launch(&Launch::new("maximum", [3, 1, 1], [128, 1, 1], arguments)).expect("a GPU takes the launch")
}

/// Fails, and says why, where a launch has errors or does not come to its end.
fn assert_clean(report: &LaunchReport) {
    let errors: Vec<_> = report.findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(report.status, LaunchStatus::Finished);
}

#[test]
fn the_kernel_is_clean() {
    assert_clean(&run());
}

/// The same as a program.
pub fn main() {
    assert_clean(&run());
    println!("clean");
}
