//! Any bytes: they are PTX, or an error says where they are not. Never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use warpsim::Module;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(module) = Module::load(&text) {
        // What a host asks before it launches anything.
        for kernel in module.kernels() {
            assert_eq!(module.kernel(&kernel.name).map(|found| found.name), Some(kernel.name));
        }
        assert!(module.variable_bytes() <= warpsim::MOST_VARIABLE_BYTES);
    }
});
