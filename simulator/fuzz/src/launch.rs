//! Launches whatever kernels a text has, within small limits.

use std::sync::Arc;

use warpsim::{Argument, Contents, Launch, LaunchReport, Module, Profile, Simulator, internals::force_baseline};

/// Warp instructions of one launch.
const BUDGET: u64 = 4000;
/// Bytes behind every pointer argument.
const BUFFER: u64 = 4096;
/// Bytes of module variables beyond which a text is not launched: nothing is learnt from
/// filling memory with zeros.
const MOST_VARIABLE_BYTES: u64 = 1 << 20;
/// Kernels of one text.
const MOST_KERNELS: usize = 2;

/// How a text says that it wants to be launched.
#[derive(Clone, Copy)]
struct Shape {
    grid: u32,
    block: u32,
    shared: u32,
    cooperative: bool,
    value: u32,
}

impl Shape {
    fn read(text: &str) -> Shape {
        let line = text.lines().next().and_then(|line| line.strip_prefix("//@ fuzz ")).unwrap_or("");
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u32>().unwrap_or(1));
        let mut next = |otherwise: u32| numbers.next().unwrap_or(otherwise);
        Shape {
            grid: next(2).clamp(1, 40),
            block: next(64).clamp(1, 256),
            shared: next(1024) % 65_536,
            cooperative: next(0) % 2 == 1,
            value: next(16),
        }
    }
}

/// Runs the kernels of a text; panics only where the simulator does, or where it isn't deterministic.
pub fn run(text: &str) {
    let Ok(module) = Module::load(text) else { return };
    if module.variable_bytes() > MOST_VARIABLE_BYTES {
        return;
    }
    let (module, shape) = (Arc::new(module), Shape::read(text));
    let first = all(&module, shape, 1);
    // By the text and not by chance, so that a crash can be repeated.
    if text.bytes().fold(0u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)) % 16 == 0 {
        force_baseline(true);
        let again = all(&module, shape, 2);
        force_baseline(false);
        assert_eq!(first, again, "baseline code on two threads gives another result");
    }
}

fn all(module: &Arc<Module>, shape: Shape, threads: usize) -> Vec<(Option<LaunchReport>, Vec<Contents>)> {
    let mut simulator = Simulator::new(module.clone(), &Profile::H200).with_threads(threads);
    let kernels = module.kernels().take(MOST_KERNELS);
    kernels
        .map(|kernel| {
            let mut buffers = Vec::new();
            let arguments = (kernel.parameters.iter().enumerate())
                .map(|(index, parameter)| match parameter.bytes {
                    8 => {
                        let base = simulator.allocate(BUFFER, &format!("argument {index}"));
                        if index % 2 == 0 {
                            let numbers: Vec<u8> = (0..BUFFER as u32 / 4).flat_map(u32::to_le_bytes).collect();
                            simulator.write(base, &numbers).expect("a buffer of this size");
                        }
                        buffers.push(base);
                        Argument::Pointer { base, offset: 0 }
                    }
                    bytes => {
                        let mut value = shape.value.to_le_bytes().to_vec();
                        value.resize(bytes as usize, 0);
                        Argument::Bytes(value)
                    }
                })
                .collect();
            let launch = Launch::new(&kernel.name, [shape.grid, 1, 1], [shape.block, 1, 1], arguments).with_dynamic_shared(shape.shared).with_cooperative(shape.cooperative).with_budget(BUDGET);
            let report = simulator.launch(&launch).ok();
            let contents = buffers
                .iter()
                .map(|&base| simulator.read(base, BUFFER as usize).expect("a buffer of this size"))
                .collect();
            (report, contents)
        })
        .collect()
}
