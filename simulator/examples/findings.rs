//! Loads PTX, runs a kernel, and prints what is wrong with it.
//!
//! `cargo run --example findings`

use std::{error::Error, sync::Arc};

use warpsim::{Argument, Launch, Module, Profile, Simulator};

/// `s[t] = in[t]; out[t] = s[63 - t];`, without the barrier between the two.
const PTX: &str = include_str!("../tests/fail/race/compiled/missing_barrier.ptx");

/// The findings of one launch, a paragraph each.
pub fn findings() -> Result<Vec<String>, Box<dyn Error>> {
    let mut gpu = Simulator::new(Arc::new(Module::load(PTX)?), &Profile::H200);
    let (input, output) = (gpu.allocate(256, "in"), gpu.allocate(256, "out"));
    gpu.write(input, &(0..64).flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
    let arguments = [input, output].map(|base| Argument::Pointer { base, offset: 0 }).to_vec();
    // A budget, because a kernel may loop for ever.
    let launch = Launch::new("shift", [1, 1, 1], [64, 1, 1], arguments).with_budget(1_000_000);
    let report = gpu.launch(&launch)?;
    let paragraph = |finding: &warpsim::Finding| {
        let line = finding.place.as_ref().map_or("?".to_owned(), |place| place.line.to_string());
        format!("line {line}: {} [{}]\n  {}", finding.severity.name(), finding.kind.name(), finding.message)
    };
    Ok(report.findings.iter().map(paragraph).collect())
}

/// Prints them.
pub fn main() -> Result<(), Box<dyn Error>> {
    findings()?.iter().for_each(|finding| println!("{finding}\n"));
    Ok(())
}
