//! How many blocks of a kernel a multiprocessor holds at once, beside what the CUDA driver of an H200 says.
//!
//! `occupancy/h200.json` is what `occupancy/measure.cu` printed there; its head says how to make it again. It
//! says where it is from, the GPU's limits, and rows of what a kernel takes and how many blocks of it fit.

use serde::Deserialize;
use warpsim::{BlockNeeds, Profile, Resource};

#[derive(Deserialize)]
struct Golden {
    provenance: Provenance,
    limits: Limits,
    /// Registers per thread, static and dynamic shared bytes per block, threads per block;
    /// and the driver's answer.
    blocks: Vec<[u32; 5]>,
}

#[derive(Deserialize)]
struct Provenance {
    gpu: String,
    driver: u32,
    date: String,
}

/// As the driver gives them, in the units of [`Profile`].
#[derive(Debug, Deserialize, PartialEq)]
struct Limits {
    compute_capability: u32,
    multiprocessors: u32,
    threads_per_multiprocessor: u32,
    blocks_per_multiprocessor: u32,
    registers_per_multiprocessor: u32,
    /// The simulator takes a block's limit for that of the multiprocessor.
    registers_per_block: u32,
    shared_per_multiprocessor: u32,
    shared_per_block: u32,
    shared_per_block_optin: u32,
    shared_reserved_per_block: u32,
}

fn golden() -> Golden {
    let golden: Golden =
        serde_json::from_str(include_str!("occupancy/h200.json")).expect("h200.json is a golden");
    let Provenance { gpu, driver, date } = &golden.provenance;
    assert_eq!(gpu, "NVIDIA H200", "measured with driver {driver} on {date}");
    golden
}

#[test]
fn the_profile_has_the_gpus_limits() {
    let profile = &Profile::H200;
    let ours = Limits {
        compute_capability: profile.compute_capability,
        multiprocessors: profile.multiprocessors,
        threads_per_multiprocessor: profile.threads_per_multiprocessor,
        blocks_per_multiprocessor: profile.blocks_per_multiprocessor,
        registers_per_multiprocessor: profile.registers_per_multiprocessor,
        registers_per_block: profile.registers_per_multiprocessor,
        shared_per_multiprocessor: profile.shared_per_multiprocessor,
        shared_per_block: profile.shared_per_block,
        shared_per_block_optin: profile.shared_per_block_optin,
        shared_reserved_per_block: profile.shared_reserved_per_block,
    };
    assert_eq!(ours, golden().limits);
}

#[test]
fn as_many_blocks_fit_as_the_driver_says() {
    let rows = golden().blocks;
    let mut alone: Vec<Resource> = Vec::new();
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|&[registers, fixed, dynamic, threads, blocks]| {
            let needs = BlockNeeds { threads, registers: Some(registers), shared_bytes: fixed + dynamic };
            let ours = Profile::H200.occupancy(needs);
            if let [only] = ours.limited_by[..] {
                alone.push(only);
            }
            (ours.blocks != blocks)
                .then(|| format!("{needs:?}: the driver says {blocks}, the simulator {ours:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    // The rows are of use only if each limit decides some of them.
    assert!(rows.len() >= 700, "only {} rows", rows.len());
    for resource in [Resource::Threads, Resource::Blocks, Resource::Registers, Resource::SharedMemory] {
        assert!(alone.contains(&resource), "{resource:?} alone limits no row");
    }
}
