//! What the shadow takes of memory: at most four times the data for what kernels usually
//! do, and how bad it can get.
//!
//! `Simulator::footprint` is asked, and an allocator that counts says whether the answer leaves anything out.
//! Each test would see the other's allocations, so there is one. `cargo test -p warpsim --test footprint --
//! --nocapture` prints the table.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use warpsim::{Argument, Footprint, Launch, LaunchStatus, Module, Profile, Simulator};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const COMPARED: [&str; 2] =
    [include_str!("../benches/compare/checked.ptx"), include_str!("../benches/compare/optimised.ptx")];
const MORE: [&str; 2] = [include_str!("footprint/checked.ptx"), include_str!("footprint/optimised.ptx")];

/// A kernel argument.
#[derive(Clone, Copy)]
enum Given {
    /// A buffer of so many words that the host has filled.
    Filled(u32),
    /// One of zeros.
    Zeroed(u32),
    /// One that nobody has written.
    Empty(u32),
    Number(u32),
}
use Given::{Empty, Filled, Number, Zeroed};

struct Case {
    ptx: &'static str,
    kernel: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    arguments: Vec<Given>,
}

/// What the simulator says, and the bytes that the launch allocated beyond what stood before, at its peak.
fn measure(case: &Case, clean: bool) -> (Footprint, u64) {
    let module = Arc::new(Module::load(case.ptx).expect("the kernels are PTX"));
    let mut simulator = Simulator::new(module, &Profile::H200).with_footprint();
    let arguments = (case.arguments.iter())
        .map(|&argument| match argument {
            Filled(words) | Zeroed(words) | Empty(words) => {
                let base = simulator.allocate(4 * u64::from(words), "buffer");
                if !matches!(argument, Empty(_)) {
                    let most = if matches!(argument, Zeroed(_)) { 1 } else { 8191 };
                    let bytes: Vec<u8> = (0..words).flat_map(|i| (i % most).to_le_bytes()).collect();
                    simulator.write(base, &bytes).expect("a buffer of this size");
                }
                Argument::Pointer { base, offset: 0 }
            }
            Number(number) => Argument::Bytes(number.to_le_bytes().to_vec()),
        })
        .collect();
    let launch = Launch::new(case.kernel, case.grid, case.block, arguments).with_budget(u64::MAX);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let report = simulator.launch(&launch).expect("a launch that a GPU accepts");
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert_eq!(report.status, LaunchStatus::Finished, "{}", case.kernel);
    assert!(!clean || report.findings.is_empty(), "{}: {:?}", case.kernel, report.findings);
    (simulator.footprint(), peak as u64)
}

fn print(case: &Case, footprint: Footprint, peak: u64) {
    let Footprint { data_bytes, shadow_bytes, .. } = footprint;
    let ratio = footprint.ratio();
    println!(
        "{:>10} {:?}×{:?}: {data_bytes} B of data, {shadow_bytes} B of shadow: {ratio:.2}×; peak {peak} B",
        case.kernel, case.grid, case.block
    );
}

#[test]
fn shadow_is_at_most_four_times_the_data() {
    typical();
    worst();
}

/// Kernels as courses have them, on at least a mebibyte of data.
fn typical() {
    const N: u32 = 1 << 18;
    let linear =
        |ptx, kernel, arguments| Case { ptx, kernel, grid: [N / 256, 1, 1], block: [256, 1, 1], arguments };
    for mode in 0..2 {
        let (compared, more) = (COMPARED[mode], MORE[mode]);
        let square = |kernel, n: u32, tile: u32, block, arguments| Case {
            ptx: compared,
            kernel,
            grid: [n / tile, n / tile, 1],
            block,
            arguments,
        };
        let matmul = |n: u32| {
            let words = n * n;
            square("matmul", n, 16, [16, 16, 1], vec![Filled(words), Filled(words), Empty(words), Number(n)])
        };
        let cases = [
            matmul(256),
            matmul(384),
            square("transpose", 512, 32, [32, 8, 1], vec![Filled(N), Empty(N), Number(512)]),
            linear(compared, "reduction", vec![Filled(N), Empty(N / 256)]),
            Case { grid: [N / 4096, 1, 1], ..linear(compared, "histogram", vec![Filled(N), Zeroed(256)]) },
            Case { grid: [256, 1, 1], ..linear(more, "bins", vec![Filled(N), Zeroed(256), Number(N)]) },
            linear(more, "scan", vec![Filled(N), Empty(N), Zeroed(2 * N / 256 + 3)]),
            linear(more, "stencil", vec![Filled(N), Empty(N), Number(N)]),
            linear(more, "add", vec![Filled(N), Filled(N), Empty(N)]),
            linear(more, "saxpy", vec![Filled(N), Filled(N)]),
        ];
        for case in cases {
            let (footprint, peak) = measure(&case, true);
            print(&case, footprint, peak);
            // Where blocks take turns each has registers, which are no shadow.
            let takes_turns = ["histogram", "bins", "scan"].contains(&case.kernel);
            let rest = peak.saturating_sub(footprint.shadow_bytes);
            assert!(takes_turns || rest < 1 << 20, "{}: {rest} bytes are not accounted for", case.kernel);
            assert!(footprint.ratio() <= 4.0, "{}: {:.2}×", case.kernel, footprint.ratio());
        }
    }
}

/// Nobody writes such kernels; what they take is what `warpsim::footprint` says.
fn worst() {
    let case = |kernel, grid, block, arguments| Case {
        ptx: MORE[1],
        kernel,
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        arguments,
    };
    const BYTES: u32 = 8192;
    let few = [
        // Every group of stripes for every byte: 50 bytes, and the page's own.
        (case("everything", 2, 32, vec![Filled(BYTES / 4), Number(BYTES)]), 45.0..60.0),
        // Bytes that all blocks read, in no order: what a finished block read is forgotten
        // once it has been compared.
        (case("scattered", 32, 256, vec![Filled(BYTES / 4), Empty(32 * 256), Number(BYTES)]), 0.0..20.0),
        // Sixty-four readers of each byte, in lists.
        (case("readers", 40, 64, vec![Filled(512), Empty(40 * 64), Zeroed(1), Number(2048)]), 0.0..1000.0),
    ];
    for (case, bounds) in few {
        let (footprint, peak) = measure(&case, false);
        print(&case, footprint, peak);
        let ratio = footprint.ratio();
        assert!(bounds.contains(&ratio), "{}: {ratio:.2}× is not in {bounds:?}", case.kernel);
    }
}
