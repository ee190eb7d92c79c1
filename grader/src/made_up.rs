//! A GPU and a compiler made up for tests.

use harness::{
    device::GpuInfo,
    toolchain::{Origin, PINNED, Toolchain},
};

/// The pinned compiler, where it isn't: what compiles with it fails.
pub fn toolchain() -> Toolchain {
    Toolchain {
        library: "nowhere".into(),
        builtins: "nowhere".into(),
        include_directories: Vec::new(),
        version: PINNED,
        origin: Origin::Cache,
        note: None,
    }
}

/// A GPU that isn't there, by its number.
pub fn gpu(index: u32) -> GpuInfo {
    GpuInfo {
        index,
        uuid: format!("GPU-{index}"),
        name: "Made-up".to_owned(),
        compute_capability: 90,
        memory_bytes: 1 << 36,
        multiprocessors: 132,
        l2_bytes: 1 << 25,
        driver_version: 13_000,
        reads_host_memory: false,
    }
}
