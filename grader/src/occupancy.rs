//! Occupancy in one sentence: how full a multiprocessor gets, and what allows no more.

use harness::report::{CaseReport, KernelOccupancy};
use warpsim::{Occupancy, Resource};

/// Below this share a check mentions it.
const LOW: f64 = 0.5;

/// `50 %: 32 of 64 warps, 4 blocks on each multiprocessor; registers (64 each) allow no more`.
pub fn sentence(occupancy: &Occupancy) -> String {
    let limits: Vec<String> = occupancy.limited_by.iter().map(|limit| name(*limit, occupancy)).collect();
    let blocks = match occupancy.blocks {
        1 => "1 block".to_owned(),
        many => format!("{many} blocks"),
    };
    let allow = if occupancy.limited_by == [Resource::SharedMemory] { "allows" } else { "allow" };
    let unknown = if occupancy.registers.is_none() { " (registers unknown)" } else { "" };
    format!(
        "{:.0} %: {} of {} warps, {blocks} on each multiprocessor; {} {allow} no more{unknown}",
        100.0 * occupancy.share(),
        occupancy.warps,
        occupancy.most_warps,
        limits.join(" and "),
    )
}

fn name(limit: Resource, occupancy: &Occupancy) -> String {
    match limit {
        Resource::Threads => "its threads".to_owned(),
        Resource::Blocks => "its block slots".to_owned(),
        Resource::Registers => {
            format!("registers ({} a thread)", occupancy.registers.unwrap_or_default())
        }
        Resource::SharedMemory => format!("shared memory ({} bytes a block)", occupancy.shared_bytes),
    }
}

/// The kernels of a check that fill less than half of a multiprocessor, each once,
/// although their blocks are many.
pub fn low(cases: &[CaseReport]) -> Vec<String> {
    let mut known: Vec<&KernelOccupancy> = Vec::new();
    for of in cases.iter().flat_map(|case| &case.occupancy) {
        let scarce = |limit: &Resource| matches!(limit, Resource::Registers | Resource::SharedMemory);
        let low = of.occupancy.share() < LOW && of.occupancy.limited_by.iter().any(scarce);
        if low && !known.contains(&of) {
            known.push(of);
        }
    }
    known
        .into_iter()
        .map(|of| {
            let threads: u32 = of.block.iter().product();
            format!("`{}` with blocks of {threads} threads: occupancy {}", of.kernel, sentence(&of.occupancy))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use warpsim::{BlockNeeds, Profile};

    use super::*;

    fn sentence_of(threads: u32, registers: Option<u32>, shared_bytes: u32) -> String {
        sentence(&Profile::H200.occupancy(BlockNeeds { threads, registers, shared_bytes }))
    }

    #[test]
    fn sentences() {
        assert_eq!(
            sentence_of(256, Some(64), 0),
            "50 %: 32 of 64 warps, 4 blocks on each multiprocessor; registers (64 a thread) allow no more"
        );
        assert_eq!(
            sentence_of(256, None, 120 * 1024),
            "12 %: 8 of 64 warps, 1 block on each multiprocessor; shared memory (122880 bytes a block) allows no more \
             (registers unknown)"
        );
        assert_eq!(
            sentence_of(64, Some(16), 0),
            "100 %: 64 of 64 warps, 32 blocks on each multiprocessor; its threads and its block slots allow no more"
        );
    }

    #[test]
    fn a_check_mentions_only_what_registers_or_shared_memory_keep_low() {
        let of = |threads: u32, registers: u32| KernelOccupancy {
            kernel: "tiled".to_owned(),
            block: [threads, 1, 1],
            resident_blocks: 132,
            occupancy: Profile::H200.occupancy(BlockNeeds {
                threads,
                registers: Some(registers),
                shared_bytes: 0,
            }),
        };
        let mut case = crate::sample::passed().cases.remove(0);
        case.occupancy = vec![of(32, 16), of(256, 32), of(256, 128), of(256, 128)];
        let low = low(&[case]);
        assert_eq!(low.len(), 1);
        assert!(low[0].starts_with("`tiled` with blocks of 256 threads: occupancy 25 %: 16 of 64 warps"));
    }
}
