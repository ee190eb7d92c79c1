//! Counts the bank conflicts of a kernel, line by line.
//!
//! `cargo run --example bank_conflicts`

use std::{error::Error, sync::Arc};

use warpsim::{Argument, Launch, Module, Profile, Simulator};

/// Reads shared memory with every stride from 0 to 33.
const PTX: &str = include_str!("../tests/pass/compiled/bank_conflicts.ptx");

/// The lines with bank conflicts, and how many each has.
pub fn conflicts() -> Result<Vec<(u32, u64)>, Box<dyn Error>> {
    let mut gpu = Simulator::new(Arc::new(Module::load(PTX)?), &Profile::H200);
    let out = gpu.allocate(4 * 34, "out");
    let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
    let report = gpu.launch(&Launch::new("strides", [1, 1, 1], [32, 1, 1], arguments))?;
    let lines = report.lines.iter().map(|line| (line.place.line, line.counters.shared_bank_conflicts()));
    Ok(lines.filter(|&(_, conflicts)| conflicts > 0).collect())
}

/// Prints them.
pub fn main() -> Result<(), Box<dyn Error>> {
    for (line, conflicts) in conflicts()? {
        println!("line {line}: {conflicts} bank conflicts");
    }
    Ok(())
}
