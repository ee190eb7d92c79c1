//! Real kernels, mutated as PTX is written (lines, operands, suffixes, numbers), and launched small.
//!
//! The input is PTX text; a first line `//@ fuzz GRID BLOCK SHARED COOPERATIVE VALUE` says how to launch it,
//! and everything that a launch may give is fine: an error, findings, an unfinished run. A panic, a hang or
//! more memory than libFuzzer's limits allow is not. Now and then the launch is repeated on baseline code and
//! on two threads: reports must be equal.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use warpsim_fuzz::{launch, mutate};

fuzz_target!(|bytes: &[u8]| launch::run(&String::from_utf8_lossy(bytes)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Bytes at random, now and then: what the grammar of lines can't reach.
    if seed % 16 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate::mutate(&String::from_utf8_lossy(&data[..size]), seed);
    let size = mutated.len().min(max_size);
    data[..size].copy_from_slice(&mutated.as_bytes()[..size]);
    size
});
