//! The machine: its processor, what confines a kernel, its GPUs.

use std::{fs, thread::available_parallelism};

use harness::{
    device::{GpuInfo, NoGpu},
    report::number_of,
    toolchain::Release,
    worker::{SandboxStatus, probe::break_out},
};

use super::fact::{Fact, absent, broken, good, lacking};

/// The processor, and whether the simulator is fast on it.
pub fn processor() -> Fact {
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    let architecture = std::env::consts::ARCH;
    let cores = number_of(cores, "core");
    match (architecture, fast_path()) {
        (_, Some(true)) => good("processor", format!("{cores}, {architecture} with AVX2 and FMA")),
        ("aarch64", _) => good("processor", format!("{cores}, {architecture}")),
        ("x86_64", _) => lacking("processor", format!("{cores}, {architecture} without AVX2 and FMA"))
            .advise("nothing: checks take several times as long, and everything else is the same"),
        _ => broken("processor", format!("{cores}, {architecture}")).advise(
            "use a machine or a container with x86-64 or 64-bit Arm: the compiler exists for no other processor",
        ),
    }
}

/// Whether the simulator's fast path can be used; none where there is no such question.
fn fast_path() -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    return Some(std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma"));
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Tries to break out of it, as `score` does before it judges anyone.
pub fn sandbox(beside_gpu: bool) -> Fact {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let kernel = kernel.trim();
    match break_out(beside_gpu) {
        Err(failure) => broken("workers", failure.to_string()).advise("report this as a bug"),
        Ok(proof) if proof.holds() => good(
            "sandbox",
            format!("Landlock and seccomp, {}: no attempt to break out worked (kernel {kernel})", proof.status),
        ),
        Ok(proof) if proof.status == SandboxStatus::Full => {
            broken("sandbox", format!("in force, yet {}", proof.breaches.join("; "))).advise("report this as a bug")
        }
        Ok(proof) => lacking("sandbox", format!("{} (kernel {kernel})", proof.status)).advise(
            "use a kernel with Landlock (5.13 or newer, `landlock` in /sys/kernel/security/lsm) and seccomp; `check` \
             works without, `score` wants --allow-unsandboxed",
        ),
    }
}

/// The GPUs, their driver, and what it lets kernels read.
pub fn gpus(gpus: Result<Vec<GpuInfo>, NoGpu>) -> Vec<Fact> {
    let gpus = match gpus {
        Ok(gpus) => gpus,
        Err(why) => {
            return vec![
                absent("GPU", why.to_string())
                    .advise("none needed: the simulator judges everything but speed"),
            ];
        }
    };
    let mut facts = Vec::new();
    for gpu in &gpus {
        let (major, minor) = (gpu.compute_capability / 10, gpu.compute_capability % 10);
        let found = format!(
            "gpu:{}: {}, compute capability {major}.{minor}, {:.0} GiB",
            gpu.index,
            gpu.name,
            gpu.memory_bytes as f64 / (1u64 << 30) as f64
        );
        facts.push(match gpu.compute_capability {
            75.. => good("GPU", found),
            _ => {
                lacking("GPU", found).advise("the course is tested on 7.5 and newer; --device sim needs none")
            }
        });
    }
    if let Some(gpu) = gpus.first() {
        let version = format!("CUDA {}.{}", gpu.driver_version / 1000, gpu.driver_version % 1000 / 10);
        facts.push(match Release::for_gpu(gpu.needs()) {
            Ok(Release::Cuda13) => good("driver", version),
            Ok(release) => good("driver", format!("{version}: kernels are compiled by {release}")),
            Err(reason) => lacking("driver", format!("{version}: {reason}"))
                .advise("update the driver to one for CUDA 13, or use --device sim"),
        });
        facts.push(match gpu.reads_host_memory {
            false => good("HMM", "off: kernels can't read the judge's memory"),
            true => lacking("HMM", "on: a hostile kernel can read the memory of its own worker").advise(
                "harmless for your own kernels; to score others', load nvidia_uvm with uvm_disable_hmm=1",
            ),
        });
    }
    facts
}
