//! What the hardware assembler says of each kernel, read from its `-v` log.

use serde::{Deserialize, Serialize};

/// One kernel's use of the machine, as `ptxas` counts it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    /// The kernel's lowered name.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of spilled registers stored per thread.
    pub spill_store_bytes: u32,
    /// Bytes of spilled registers loaded per thread.
    pub spill_load_bytes: u32,
    /// Bytes of stack frame per thread (local memory).
    pub stack_bytes: u32,
    /// Static shared memory per block in bytes.
    pub shared_bytes: u32,
    /// Named barriers used.
    pub barriers: u32,
}

/// Reads a log such as this, in which the functions called from a kernel follow with properties of their own:
///
/// ```text
/// ptxas info    : Compiling entry function '_Z5tiledILi16EEvPf' for 'sm_90'
/// ptxas info    : Function properties for _Z5tiledILi16EEvPf
/// ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
/// ptxas info    : Used 10 registers, used 1 barriers, 64 bytes smem
/// ```
pub(super) fn parse(log: &str) -> Vec<KernelResources> {
    let mut kernels: Vec<KernelResources> = Vec::new();
    let mut of_kernel_itself = false;
    for line in log.lines() {
        if let Some(rest) = line.split_once("Compiling entry function '").map(|(_, rest)| rest) {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.push(KernelResources { kernel, ..KernelResources::default() });
        }
        let Some(current) = kernels.last_mut() else { continue };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            of_kernel_itself = function.trim() == current.kernel;
        } else if line.contains(" bytes stack frame") && of_kernel_itself {
            current.stack_bytes = number_before(line, " bytes stack frame");
            current.spill_store_bytes = number_before(line, " bytes spill stores");
            current.spill_load_bytes = number_before(line, " bytes spill loads");
        } else if line.contains("Used ") && line.contains(" registers") {
            current.registers = number_before(line, " registers");
            current.barriers = number_before(line, " barriers");
            current.shared_bytes = number_before(line, " bytes smem");
        }
    }
    kernels
}

/// The decimal number that ends where `unit` begins, 0 if there is none.
fn number_before(line: &str, unit: &str) -> u32 {
    let Some(end) = line.find(unit) else { return 0 };
    let digits = line[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    line[digits..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_with_a_called_function_gives_the_kernels_own_numbers() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
ptxas info    : Function properties for _Z1kPf
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 16 bytes cumulative stack size, 64 bytes smem
ptxas info    : Compile time = 2.966 ms
ptxas info    : Function properties for _Z6calleef
ptxas         .     40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";
        let kernel = |kernel: &str, registers, store, load, stack, shared, barriers| KernelResources {
            kernel: kernel.to_owned(),
            registers,
            spill_store_bytes: store,
            spill_load_bytes: load,
            stack_bytes: stack,
            shared_bytes: shared,
            barriers,
        };
        assert_eq!(parse(log), [kernel("_Z1kPf", 10, 8, 12, 16, 64, 1), kernel("plain", 8, 0, 0, 0, 0, 0)]);
    }
}
