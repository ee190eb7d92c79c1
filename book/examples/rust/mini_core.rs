// The few pieces of Rust's `core` that these kernels use, so that a stable compiler makes PTX of them without any library for
// the target. With a nightly compiler and its sources (`-Z build-std=core`) the real `core` takes its place.
#![allow(missing_docs)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for u32 {}
impl Copy for usize {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *const T {}
impl<T: PointeeSized> Copy for *mut T {}

#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl<T: PointeeSized> LegacyReceiver for &T {}

#[lang = "add"]
pub trait Add<Right = Self> {
    type Output;
    fn add(self, right: Right) -> Self::Output;
}
impl Add for u32 {
    type Output = u32;
    fn add(self, right: u32) -> u32 {
        self + right
    }
}
#[lang = "sub"]
pub trait Sub<Right = Self> {
    type Output;
    fn sub(self, right: Right) -> Self::Output;
}
impl Sub for u32 {
    type Output = u32;
    fn sub(self, right: u32) -> u32 {
        self - right
    }
}
#[lang = "mul"]
pub trait Mul<Right = Self> {
    type Output;
    fn mul(self, right: Right) -> Self::Output;
}
impl Mul for u32 {
    type Output = u32;
    fn mul(self, right: u32) -> u32 {
        self * right
    }
}
#[lang = "eq"]
pub trait PartialEq<Right: PointeeSized = Self>: PointeeSized {
    fn eq(&self, other: &Right) -> bool;
    fn ne(&self, other: &Right) -> bool;
}
#[lang = "partial_ord"]
pub trait PartialOrd<Right: PointeeSized = Self>: PartialEq<Right> + PointeeSized {
    fn lt(&self, other: &Right) -> bool;
    fn le(&self, other: &Right) -> bool;
    fn gt(&self, other: &Right) -> bool;
    fn ge(&self, other: &Right) -> bool;
}
impl PartialEq for u32 {
    fn eq(&self, other: &u32) -> bool {
        *self == *other
    }
    fn ne(&self, other: &u32) -> bool {
        *self != *other
    }
}
impl PartialOrd for u32 {
    fn lt(&self, other: &u32) -> bool {
        *self < *other
    }
    fn le(&self, other: &u32) -> bool {
        *self <= *other
    }
    fn gt(&self, other: &u32) -> bool {
        *self > *other
    }
    fn ge(&self, other: &u32) -> bool {
        *self >= *other
    }
}

#[rustc_intrinsic]
pub unsafe fn offset<Pointer, Distance>(from: Pointer, distance: Distance) -> Pointer;

#[rustc_builtin_macro]
macro_rules! asm {
    () => {};
}
#[rustc_builtin_macro]
macro_rules! global_asm {
    () => {};
}

// What CUDA C++ calls threadIdx.x, blockIdx.x, blockDim.x and __syncthreads(). In the real `core` they are `core::arch::nvptx`'s
// `_thread_idx_x()` and so on.
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    pub safe fn thread_index() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    pub safe fn block_index() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    pub safe fn block_size() -> u32;
    #[link_name = "llvm.nvvm.barrier0"]
    pub safe fn sync_threads();
}
