// Every block of n floats turned round through shared memory, in Rust. `tile.cu` beside it is the same in CUDA C++.
//
//     RUSTC_BOOTSTRAP=1 rustc --edition 2024 --target nvptx64-nvidia-cuda -C target-cpu=sm_75 -C opt-level=3 -C codegen-units=1 \
//         -C debuginfo=line-tables-only --remap-path-prefix=$PWD= --emit=asm tile.rs -o tile.ptx
//
// The variable lets a stable compiler use what is not stable yet: kernels, inline PTX, and doing without `core`.
#![feature(
    no_core,
    lang_items,
    rustc_attrs,
    intrinsics,
    abi_ptx,
    abi_unadjusted,
    link_llvm_intrinsics,
    asm_experimental_arch
)]
#![no_core]
#![crate_type = "rlib"]
#![allow(internal_features, dead_code)]

#[macro_use]
mod mini_core;
use mini_core::*;

// ANCHOR: static
// Rust has no word for shared memory, so the array is declared in PTX: 256 floats.
global_asm!(".shared .align 4 .b8 tile[1024];");

fn tile() -> *mut f32 {
    let address: *mut f32;
    unsafe { asm!("cvta.shared.u64 {}, tile;", out(reg64) address) };
    address
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse_static(input: *const f32, output: *mut f32, n: u32) {
    let thread = thread_index();
    let first = block_index() * 256;
    let count = if n - first < 256 { n - first } else { 256 };
    unsafe {
        if thread < count {
            *offset(tile(), thread as usize) = *offset(input, (first + thread) as usize);
        }
        sync_threads();
        if thread < count {
            *offset(output, (first + thread) as usize) = *offset(tile(), (count - 1 - thread) as usize);
        }
    }
}
// ANCHOR_END: static

// ANCHOR: dynamic
// As long as the launch says.
global_asm!(".extern .shared .align 16 .b8 pool[];");

fn pool() -> *mut f32 {
    let address: *mut f32;
    unsafe { asm!("cvta.shared.u64 {}, pool;", out(reg64) address) };
    address
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse_dynamic(input: *const f32, output: *mut f32, n: u32) {
    let thread = thread_index();
    let first = block_index() * block_size();
    let count = if n - first < block_size() { n - first } else { block_size() };
    unsafe {
        if thread < count {
            *offset(pool(), thread as usize) = *offset(input, (first + thread) as usize);
        }
        sync_threads();
        if thread < count {
            *offset(output, (first + thread) as usize) = *offset(pool(), (count - 1 - thread) as usize);
        }
    }
}
// ANCHOR_END: dynamic

// ANCHOR: unsynchronized
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse_too_early(input: *const f32, output: *mut f32, n: u32) {
    let thread = thread_index();
    let first = block_index() * 256;
    let count = if n - first < 256 { n - first } else { 256 };
    unsafe {
        if thread < count {
            *offset(tile(), thread as usize) = *offset(input, (first + thread) as usize);
            *offset(output, (first + thread) as usize) = *offset(tile(), (count - 1 - thread) as usize);
        }
    }
}
// ANCHOR_END: unsynchronized
