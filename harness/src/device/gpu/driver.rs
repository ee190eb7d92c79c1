//! The CUDA driver behind safe calls: the only place that talks to it.
//!
//! Everything goes to the null stream, so device work is ordered as written; copies to and from the host wait
//! for it. Memory is plain device memory, never managed. The library is loaded when first asked for; without
//! it [`is_present`] is false and nothing else may be called.

mod texture;

use std::{
    collections::HashMap,
    ffi::{CString, c_int, c_void},
    sync::atomic::{AtomicBool, Ordering},
};

use cudarc::driver::{
    result::{self, DriverError},
    sys::{self, CUresult},
};
pub(super) use texture::{Array, Object};
use warpsim::{OutsideFill, Swizzle, TensorElement, TensorMap};

/// Set when a kernel hangs or the context is poisoned: from then on nothing is freed,
/// because freeing would wait.
static ABANDONED: AtomicBool = AtomicBool::new(false);

/// Gives up on the context: nothing that exists now is ever freed. The process is to end soon.
pub(super) fn abandon() {
    ABANDONED.store(true, Ordering::Relaxed);
}

fn abandoned() -> bool {
    ABANDONED.load(Ordering::Relaxed)
}

/// True where the driver's library is.
pub(super) fn is_present() -> bool {
    // SAFETY: loads a library by name and drops it again; the driver's initialisers are safe to run.
    unsafe { sys::is_culib_present() }
}

/// Starts the driver and counts its GPUs.
pub(super) fn start() -> Result<i32, DriverError> {
    result::init()?;
    result::device::get_count()
}

/// What the driver says of itself.
pub(super) fn version() -> Result<u32, DriverError> {
    let mut version: c_int = 0;
    // SAFETY: the pointer is valid for the call.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(u32::try_from(version).unwrap_or(0))
}

/// A GPU of the driver.
#[derive(Clone, Copy)]
pub(super) struct Device(sys::CUdevice);

impl Device {
    pub fn get(index: i32) -> Result<Self, DriverError> {
        result::device::get(index).map(Device)
    }
    pub fn name(self) -> Result<String, DriverError> {
        result::device::get_name(self.0)
    }
    pub fn uuid(self) -> Result<[u8; 16], DriverError> {
        Ok(result::device::get_uuid(self.0)?.bytes.map(|byte| byte as u8))
    }
    pub fn memory_bytes(self) -> Result<usize, DriverError> {
        // SAFETY: the device came from `get`.
        unsafe { result::device::total_mem(self.0) }
    }
    pub fn attribute(self, attribute: sys::CUdevice_attribute) -> Result<i32, DriverError> {
        // SAFETY: the device came from `get`.
        unsafe { result::device::get_attribute(self.0, attribute) }
    }
    /// Makes the device's context, if it has none yet, and uses it on this thread.
    pub fn enter(self) -> Result<(), DriverError> {
        // SAFETY: the device came from `get`; the context is never released, so it stays valid.
        unsafe {
            let context = result::primary_ctx::retain(self.0)?;
            result::ctx::set_current(context)
        }
    }
}

/// Bytes that are free on the device.
pub(super) fn free_bytes() -> Result<usize, DriverError> {
    result::mem_get_info().map(|(free, _)| free)
}

/// Device memory.
pub(super) struct Memory {
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl Memory {
    /// Allocates; at least one byte.
    pub fn allocate(bytes: usize) -> Result<Self, DriverError> {
        let bytes = bytes.max(1);
        // SAFETY: a context is current; what it returns is freed once, by `Drop`.
        let address = unsafe { result::malloc_sync(bytes) }?;
        Ok(Memory { address, bytes })
    }
    pub fn address(&self) -> u64 {
        self.address
    }
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    fn check(&self, offset: usize, bytes: usize) {
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= self.bytes), "a copy outside its memory");
    }
    /// Copies from the host.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DriverError> {
        self.check(offset, bytes.len());
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies in this allocation; the call returns when the host's
        // bytes are no longer needed.
        unsafe { result::memcpy_htod_sync(self.address + offset as u64, bytes) }
    }
    /// Copies to the host.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.check(offset, bytes.len());
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies in this allocation; the call returns when the copy is done.
        unsafe { result::memcpy_dtoh_sync(bytes, self.address + offset as u64) }
    }
    /// Sets every byte, in order with the kernels.
    pub fn fill(&self, byte: u8) -> Result<(), DriverError> {
        // SAFETY: the whole allocation and no more.
        unsafe { result::memset_d8_async(self.address, byte, self.bytes, std::ptr::null_mut()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if !abandoned() {
            // SAFETY: allocated by `allocate`, freed here only. An error means that the
            // context is gone with it.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// A point in the null stream's work.
pub(super) struct Event(sys::CUevent);

impl Event {
    pub fn new() -> Result<Self, DriverError> {
        result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(Event)
    }
    /// Marks the present end of the work.
    pub fn record(&self) -> Result<(), DriverError> {
        // SAFETY: the event exists as long as `self`.
        unsafe { result::event::record(self.0, std::ptr::null_mut()) }
    }
    /// True when the work before the mark is done; an error is the work's.
    pub fn is_done(&self) -> Result<bool, DriverError> {
        // SAFETY: the event exists as long as `self`.
        match unsafe { result::event::query(self.0) } {
            Ok(()) => Ok(true),
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            Err(error) => Err(error),
        }
    }
    /// Microseconds from this mark to a later one; both must be done.
    pub fn microseconds_to(&self, end: &Event) -> Result<f64, DriverError> {
        type ElapsedTime = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;
        let mut milliseconds = 0.0_f32;
        // The call's first form, which every driver has; the bindings know only the second, of driver 12.8.
        // SAFETY: the library stays loaded; the name has this signature in `cuda.h`.
        let elapsed = unsafe { sys::culib().get::<ElapsedTime>(b"cuEventElapsedTime\0") }
            .map_err(|_| DriverError(CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND))?;
        // SAFETY: both events exist and are on the null stream; the pointer is valid for the call.
        unsafe { elapsed(&raw mut milliseconds, self.0, end.0) }.result()?;
        Ok(f64::from(milliseconds) * 1000.0)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !abandoned() {
            // SAFETY: created by `new`, destroyed here only.
            let _ = unsafe { result::event::destroy(self.0) };
        }
    }
}

/// A variable of a loaded module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub address: u64,
    pub bytes: usize,
}

impl Variable {
    /// Copies from the host to the variable's start.
    pub fn write(self, bytes: &[u8]) -> Result<(), DriverError> {
        assert!(bytes.len() <= self.bytes, "a copy outside its variable");
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the variable belongs to a loaded module and holds that many bytes.
        unsafe { result::memcpy_htod_sync(self.address, bytes) }
    }
}

impl Variable {
    /// Copies its first bytes to a place of an allocation.
    pub fn copy_to(self, memory: &Memory, offset: usize, bytes: usize) -> Result<(), DriverError> {
        assert!(bytes <= self.bytes, "a copy outside its variable");
        memory.check(offset, bytes);
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both ranges lie in what they belong to.
        unsafe { result::memcpy_dtod_sync(memory.address + offset as u64, self.address, bytes) }
    }
    /// Copies all of it to the host.
    pub fn read(self, bytes: &mut [u8]) -> Result<(), DriverError> {
        assert_eq!(bytes.len(), self.bytes, "a copy of a whole variable");
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the variable belongs to a loaded module and holds that many bytes.
        unsafe { result::memcpy_dtoh_sync(bytes, self.address) }
    }
}

/// A kernel's launch, with the bytes of each argument.
pub(super) struct RawLaunch<'a> {
    pub kernel: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub cluster: Option<[u32; 3]>,
    pub cooperative: bool,
    pub arguments: &'a [Vec<u8>],
}

/// Why a launch did not even start.
pub(super) enum Refused {
    /// The module has no such kernel.
    UnknownKernel,
    /// The kernel takes other arguments: sizes expected.
    Arguments(Vec<u32>),
    /// The driver's answer, and what the kernel needs: registers per thread, static
    /// shared memory, greatest block.
    Driver { error: DriverError, registers: i32, static_shared: i32, threads_per_block: i32 },
}

/// Loaded machine code.
pub(super) struct Image {
    module: sys::CUmodule,
    /// Sizes of the parameters of each kernel.
    parameters: HashMap<String, Vec<u32>>,
}

impl Image {
    /// Loads a cubin, or PTX for the driver to compile. `parameters` are the sizes of
    /// each kernel's parameters.
    pub fn load(image: Source<'_>, parameters: HashMap<String, Vec<u32>>) -> Result<Self, DriverError> {
        let text;
        let pointer: *const c_void = match image {
            Source::Cubin(bytes) => bytes.as_ptr().cast(),
            Source::Ptx(ptx) => {
                text = CString::new(ptx).map_err(|_| DriverError(CUresult::CUDA_ERROR_INVALID_PTX))?;
                text.as_ptr().cast()
            }
        };
        // SAFETY: a cubin is an ELF file that knows its own size, PTX ends with a zero byte;
        // both live over the call.
        let module = unsafe { result::module::load_data(pointer) }?;
        Ok(Image { module, parameters })
    }

    /// A variable.
    pub fn variable(&self, name: &str) -> Result<Variable, DriverError> {
        let name = CString::new(name).map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
        // SAFETY: the module is loaded as long as `self` lives.
        let (address, bytes) = unsafe { result::module::get_global(self.module, name) }?;
        Ok(Variable { address, bytes })
    }

    /// Starts a kernel.
    pub fn launch(&self, launch: &RawLaunch<'_>) -> Result<(), Refused> {
        let Some(sizes) = self.parameters.get(launch.kernel) else { return Err(Refused::UnknownKernel) };
        let given = launch.arguments.iter().map(Vec::len);
        if !sizes.iter().map(|&bytes| bytes as usize).eq(given) {
            return Err(Refused::Arguments(sizes.clone()));
        }
        let name = CString::new(launch.kernel).map_err(|_| Refused::UnknownKernel)?;
        // SAFETY: the module is loaded as long as `self` lives.
        let function = match unsafe { result::module::get_function(self.module, name) } {
            Ok(function) => function,
            Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)) => return Err(Refused::UnknownKernel),
            Err(error) => {
                return Err(Refused::Driver { error, registers: 0, static_shared: 0, threads_per_block: 0 });
            }
        };
        use sys::CUfunction_attribute_enum as Attribute;
        let attribute = |attribute| {
            // SAFETY: the function belongs to the loaded module.
            unsafe { result::function::get_function_attribute(function, attribute) }.unwrap_or(0)
        };
        let refused = |error| Refused::Driver {
            error,
            registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS),
            static_shared: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
            threads_per_block: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        };
        if launch.dynamic_shared > 0 {
            // The opt-in that host code makes for more than 48 KiB; harmless below.
            let bytes = i32::try_from(launch.dynamic_shared).unwrap_or(i32::MAX);
            let opt_in = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function belongs to the loaded module.
            unsafe { result::function::set_function_attribute(function, opt_in, bytes) }.map_err(refused)?;
        }
        let mut parameters: Vec<*mut c_void> =
            launch.arguments.iter().map(|bytes| bytes.as_ptr().cast_mut().cast()).collect();
        let [gx, gy, gz] = launch.grid;
        let [bx, by, bz] = launch.block;
        if let Some(cluster) = launch.cluster {
            return launch_in_clusters(function, launch, cluster, &mut parameters).map_err(refused);
        }
        let start =
            if launch.cooperative { result::launch_cooperative_kernel } else { result::launch_kernel };
        // SAFETY: there are as many arguments as parameters, each of its size (checked above); the driver
        // copies them before it returns. What the kernel does is confined to the device's memory, where this
        // process has nothing but what plans put there.
        unsafe {
            start(
                function,
                (gx, gy, gz),
                (bx, by, bz),
                launch.dynamic_shared,
                std::ptr::null_mut(),
                &mut parameters,
            )
        }
        .map_err(refused)
    }
}

/// A launch with clusters, which is an attribute of the launch (CUDA driver API, `cuLaunchKernelEx`).
fn launch_in_clusters(
    function: sys::CUfunction,
    launch: &RawLaunch<'_>,
    [x, y, z]: [u32; 3],
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    use sys::CUlaunchAttributeID as Id;
    let attribute = |id, value| sys::CUlaunchAttribute_st { id, pad: [0; 4], value };
    let dimensions = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
    // What an attribute does not use of its value is zero.
    let mut cluster = sys::CUlaunchAttributeValue { pad: [0; 64] };
    cluster.clusterDim = dimensions;
    let mut cooperative = sys::CUlaunchAttributeValue { pad: [0; 64] };
    cooperative.cooperative = 1;
    let mut attributes = vec![attribute(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, cluster)];
    if launch.cooperative {
        attributes.push(attribute(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative));
    }
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let configuration = sys::CUlaunchConfig_st {
        gridDimX: gx,
        gridDimY: gy,
        gridDimZ: gz,
        blockDimX: bx,
        blockDimY: by,
        blockDimZ: bz,
        sharedMemBytes: launch.dynamic_shared,
        hStream: std::ptr::null_mut(),
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    };
    // SAFETY: as for a launch without attributes (see the caller); the driver copies them, too, before it returns.
    unsafe {
        sys::cuLaunchKernelEx(
            &raw const configuration,
            function,
            parameters.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    }
    .result()
}

impl Drop for Image {
    fn drop(&mut self) {
        if !abandoned() {
            // SAFETY: loaded by `load`, unloaded here only; its kernels are done or the context is poisoned.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

/// What a module is loaded from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Cubin(&'a [u8]),
    Ptx(&'a str),
}

/// A tensor map as the driver makes it; the buffer at its address must be the tensor's.
pub(super) fn encode(map: &TensorMap) -> Result<Vec<u8>, DriverError> {
    use sys::{
        CUtensorMapDataType_enum as DataType, CUtensorMapFloatOOBfill_enum as OutsideNumber,
        CUtensorMapSwizzle_enum as Swap,
    };
    type Encode = unsafe extern "C" fn(
        *mut sys::CUtensorMap,
        DataType,
        u32,
        *mut c_void,
        *const u64,
        *const u64,
        *const u32,
        *const u32,
        sys::CUtensorMapInterleave_enum,
        Swap,
        sys::CUtensorMapL2promotion_enum,
        OutsideNumber,
    ) -> CUresult;
    let unknown = DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED);
    let kind = match map.element {
        TensorElement::U8 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        TensorElement::U16 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        TensorElement::U32 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT32,
        TensorElement::I32 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
        TensorElement::U64 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        TensorElement::I64 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT64,
        TensorElement::F16 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        TensorElement::Bf16 => DataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        TensorElement::F32 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        TensorElement::F64 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        _ => return Err(unknown),
    };
    let swizzle = match map.swizzle {
        Swizzle::None => Swap::CU_TENSOR_MAP_SWIZZLE_NONE,
        Swizzle::Bytes32 => Swap::CU_TENSOR_MAP_SWIZZLE_32B,
        Swizzle::Bytes64 => Swap::CU_TENSOR_MAP_SWIZZLE_64B,
        Swizzle::Bytes128 => Swap::CU_TENSOR_MAP_SWIZZLE_128B,
        _ => return Err(unknown),
    };
    let fill = match map.fill {
        OutsideFill::Nan => OutsideNumber::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        _ => OutsideNumber::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    };
    // The lists have as many entries as the driver reads: one for each dimension, of strides one less.
    map.check().map_err(|_| DriverError(CUresult::CUDA_ERROR_INVALID_VALUE))?;
    // Drivers before 12.0 have no tensor maps.
    // SAFETY: the library stays loaded; the name has this signature in `cuda.h`.
    let encode = unsafe { sys::culib().get::<Encode>(b"cuTensorMapEncodeTiled\0") }
        .map_err(|_| DriverError(CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND))?;
    let mut made = sys::CUtensorMap { opaque: [0; 16] };
    // SAFETY: all pointers are valid for the call, and the lists are long enough (checked above). The driver writes down the
    // tensor's address and reads nothing there.
    unsafe {
        encode(
            &raw mut made,
            kind,
            map.dimensions.len() as u32,
            map.address as *mut c_void,
            map.dimensions.as_ptr(),
            map.strides.as_ptr(),
            map.extents.as_ptr(),
            map.element_strides.as_ptr(),
            sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            sys::CUtensorMapL2promotion_enum::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            fill,
        )
    }
    .result()?;
    Ok(made.opaque.iter().flat_map(|eight| eight.to_le_bytes()).collect())
}

/// Waits for everything, without limit; the driver hands over what kernels printed. Only
/// for work known to be over.
pub(super) fn synchronize() -> Result<(), DriverError> {
    result::ctx::synchronize()
}

/// Writes out what kernels printed: the driver prints into the C library's buffer,
/// which Rust's does not flush.
pub(super) fn flush_printed() {
    unsafe extern "C" {
        fn fflush(stream: *mut c_void) -> c_int;
    }
    // SAFETY: a null stream means all of them.
    let _ = unsafe { fflush(std::ptr::null_mut()) };
}
