//! Plans on a real GPU, in a worker's process.
//!
//! All buffers lie in one guarded arena; what is uninitialised holds unpredictable bytes. A kernel
//! that faults poisons the context and one that hangs never leaves it: both end the worker (the judge
//! starts another), so nothing here tries to recover. Learners' kernels never see an expected output:
//! plans come without them.

mod arena;
mod checking;
mod driver;
mod textures;
mod timing;
mod trusted;

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use cudarc::driver::{
    result::DriverError,
    sys::{CUdevice_attribute as Attribute, CUresult},
};

use super::{
    Code, Execution, ExecutionStatus, GpuInfo, Job, Output, Request,
    no_gpu::{GpuUnusable, NoGpu},
};
use crate::{
    fill,
    plan::{Argument, BufferId, Bytes, Launch, Plan, Step},
    tensor,
};
use arena::Layout;
use driver::{Device, Event, Image, Memory, RawLaunch, Refused, Source, Variable};
use textures::{Place, Textures};

pub(crate) use timing::{prepare, sample};

/// The GPUs of this machine, in the driver's order.
pub(crate) fn gpus() -> Result<Vec<GpuInfo>, NoGpu> {
    if !driver::is_present() {
        return Err(NoGpu::Library);
    }
    let count = driver::start().map_err(|DriverError(error)| match error {
        CUresult::CUDA_ERROR_NO_DEVICE => NoGpu::NoneFound,
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => NoGpu::VersionsDiffer,
        error => NoGpu::DriverFails(format!("{error:?}")),
    })?;
    let describe = |index: i32| -> Result<GpuInfo, DriverError> { info(index, Device::get(index)?) };
    (0..count).map(|index| describe(index).map_err(|error| NoGpu::NotDescribed(error.to_string()))).collect()
}

fn info(index: i32, device: Device) -> Result<GpuInfo, DriverError> {
    let number = |attribute| device.attribute(attribute).map(|value| u32::try_from(value).unwrap_or(0));
    let major = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(GpuInfo {
        index: u32::try_from(index).unwrap_or(0),
        uuid: uuid_text(device.uuid()?),
        name: device.name()?,
        compute_capability: 10 * major + minor,
        memory_bytes: device.memory_bytes()? as u64,
        multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        l2_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        driver_version: driver::version()?,
        reads_host_memory: number(Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? != 0,
    })
}

/// As the driver's tools write it: `GPU-` and five groups.
fn uuid_text(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The GPU that this worker uses; a worker never changes it.
static OPEN: OnceLock<Result<GpuInfo, GpuUnusable>> = OnceLock::new();

/// Chooses the GPU, makes its context, and loads the code once, so that the driver has opened whatever files
/// it needs before the worker is shut in.
pub(crate) fn open(uuid: &str, code: &Code) -> Result<&'static GpuInfo, GpuUnusable> {
    let mut first = false;
    let opened = OPEN.get_or_init(|| {
        first = true;
        let all = gpus()?;
        let found = all.iter().map(|gpu| gpu.uuid.clone()).collect();
        let missing = GpuUnusable::Missing { uuid: uuid.to_owned(), found };
        let gpu = all.into_iter().find(|gpu| gpu.uuid == uuid).ok_or(missing)?;
        let no_context = |error: DriverError| GpuUnusable::NoContext(error.to_string());
        let index = i32::try_from(gpu.index).map_err(|error| GpuUnusable::NoContext(error.to_string()))?;
        Device::get(index).map_err(no_context)?.enter().map_err(no_context)?;
        Ok(gpu)
    });
    let gpu = opened.as_ref().map_err(Clone::clone)?;
    if gpu.uuid != uuid {
        return Err(GpuUnusable::Another { used: gpu.uuid.clone(), asked: uuid.to_owned() });
    }
    if first {
        // What stops it is told again by whoever needs the code.
        let _ = load(code);
    }
    Ok(gpu)
}

/// Executes the jobs one after the other; after one that did not finish, none is started.
pub(crate) fn execute(request: &Request, uuid: &str) -> Vec<Execution> {
    let all = |status: ExecutionStatus| vec![Execution::ended(status); request.jobs.len()];
    if let Err(why) = open(uuid, &request.code) {
        return all(ExecutionStatus::Error(why.to_string()));
    }
    let image = match load(&request.code) {
        Ok(image) => image,
        Err(status) => return all(status),
    };
    let mut stopped = false;
    request
        .jobs
        .iter()
        .map(|job| {
            if stopped {
                return Execution::ended(ExecutionStatus::NotStarted);
            }
            let execution = run(&image, &request.code, job, request.secret).unwrap_or_else(Execution::ended);
            stopped = execution.status != ExecutionStatus::Finished;
            execution
        })
        .collect()
}

fn run(image: &Image, code: &Code, job: &Job, secret: u64) -> Result<Execution, ExecutionStatus> {
    let plan = &job.plan;
    let layout = Layout::of(plan);
    let copying = |error| driver_status(error, "copying the plan's buffers");
    let memory = allocate(layout.bytes)?;
    layout.upload(plan, &memory, secret).map_err(copying)?;
    let bound = Bound {
        image,
        code,
        plan,
        layout: &layout,
        memory: &memory,
        textures: RefCell::default(),
        deadline: Instant::now() + Duration::from_secs_f64(job.seconds),
        seconds: job.seconds,
    };
    let mut outputs: Vec<Output> = Vec::new();
    let ended = bound
        .steps(&plan.steps, &mut |id| {
            bound.wait()?;
            let bytes = read(&memory, &layout, id).map_err(copying)?;
            let unwritten = arena::unwritten(&plan.buffers[id.0], id.0, &bytes, secret);
            outputs.retain(|known| known.buffer != id);
            outputs.push(Output { buffer: id, bytes: Bytes(bytes.into()), unwritten, undefined: Vec::new() });
            Ok(())
        })
        .and_then(|()| bound.wait());
    if !matches!(ended, Err(ExecutionStatus::Unfinished(_))) {
        // Asking whether an event is done does not hand over what was printed. A fault is known already.
        let _ = driver::synchronize();
    }
    driver::flush_printed();
    let mut execution = Execution::ended(ExecutionStatus::Finished);
    match ended {
        Ok(()) => {
            execution.guard_violations = layout.violations(plan, &memory, secret).map_err(copying)?;
            execution.changed_inputs = changed_inputs(plan, &layout, &memory).map_err(copying)?;
            execution.outputs = outputs;
        }
        Err(status) => {
            if matches!(status, ExecutionStatus::Faulted(_) | ExecutionStatus::Unfinished(_)) {
                // The context is lost: freeing would fail, or wait for a kernel that never ends.
                driver::abandon();
            }
            execution.status = status;
        }
    }
    Ok(execution)
}

fn allocate(bytes: usize) -> Result<Memory, ExecutionStatus> {
    Memory::allocate(bytes).map_err(|DriverError(error)| match error {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            let free = driver::free_bytes().unwrap_or(0);
            ExecutionStatus::Error(format!(
                "expected {} MB of free GPU memory, found {} MB: end other programs that use the GPU",
                bytes.div_ceil(1_000_000),
                free / 1_000_000
            ))
        }
        error => driver_status(DriverError(error), "allocating memory"),
    })
}

fn read(memory: &Memory, layout: &Layout, id: BufferId) -> Result<Vec<u8>, DriverError> {
    let range = &layout.buffers[id.0];
    let mut bytes = vec![0; range.len()];
    memory.read(range.start, &mut bytes)?;
    Ok(bytes)
}

/// The inputs that are not what they were, in words.
fn changed_inputs(plan: &Plan, layout: &Layout, memory: &Memory) -> Result<Vec<String>, DriverError> {
    let mut changed = Vec::new();
    for (id, buffer) in plan.buffers.iter().enumerate() {
        let before = if plan.is_input(BufferId(id)) { fill::contents(buffer) } else { None };
        let Some(before) = before else { continue };
        let after = read(memory, layout, BufferId(id))?;
        if let Some(at) = before.iter().zip(&after).position(|(before, after)| before != after) {
            let element = at / buffer.element.bytes();
            changed.push(format!("changed its input `{}`, first at element {element}", buffer.name));
        }
    }
    Ok(changed)
}

/// Sizes of the parameters of each kernel.
type Parameters = HashMap<String, Vec<u32>>;

/// The driver reads as many arguments as the kernel has parameters, whatever it is
/// given: sizes must be known.
fn parameters_of(code: &Code) -> Result<Parameters, ExecutionStatus> {
    let module = warpsim::Module::load(&code.optimised_ptx).map_err(|error| {
        ExecutionStatus::Error(format!("the kernels' parameters cannot be read: {error}"))
    })?;
    Ok(module
        .kernels()
        .map(|kernel| (kernel.name, kernel.parameters.iter().map(|parameter| parameter.bytes).collect()))
        .collect())
}

fn load(code: &Code) -> Result<Image, ExecutionStatus> {
    image_of(code, parameters_of(code)?)
}

/// Loads the cubin, or lets the driver compile the PTX where the cubin is for another GPU or absent.
fn image_of(code: &Code, parameters: Parameters) -> Result<Image, ExecutionStatus> {
    if !code.cubin.0.is_empty() {
        match Image::load(Source::Cubin(&code.cubin.0), parameters.clone()) {
            Err(DriverError(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU | CUresult::CUDA_ERROR_INVALID_IMAGE)) => {
            }
            loaded => return loaded.map_err(|error| driver_status(error, "loading the machine code")),
        }
    }
    Image::load(Source::Ptx(&code.optimised_ptx), parameters).map_err(|DriverError(error)| {
        match error {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => ExecutionStatus::Error(
            "the NVIDIA driver is too old for this compiler's PTX: update the driver, or use the compiler of \
             the driver's CUDA version"
                .to_owned(),
        ),
        error => driver_status(DriverError(error), "compiling the PTX for this GPU"),
    }
    })
}

/// A plan with its code and memory.
struct Bound<'a> {
    image: &'a Image,
    code: &'a Code,
    plan: &'a Plan,
    layout: &'a Layout,
    memory: &'a Memory,
    textures: RefCell<Textures>,
    deadline: Instant,
    /// What the deadline was set from, for words.
    seconds: f64,
}

impl Bound<'_> {
    /// Does steps; `read_back` is called for each reading.
    fn steps(
        &self,
        steps: &[Step],
        read_back: &mut dyn FnMut(BufferId) -> Result<(), ExecutionStatus>,
    ) -> Result<(), ExecutionStatus> {
        for step in steps {
            match step {
                Step::SetGlobal { name, bytes, .. } => {
                    let written = self.variable(name, bytes.0.len())?.write(&bytes.0);
                    written.map_err(|error| driver_status(error, "writing a device variable"))?;
                }
                Step::ReadGlobal { name, into } => {
                    let buffer = &self.layout.buffers[into.0];
                    let copied = self.variable(name, self.plan.buffers[into.0].bytes())?.copy_to(
                        self.memory,
                        buffer.start,
                        self.plan.buffers[into.0].bytes(),
                    );
                    copied.map_err(|error| driver_status(error, "reading a device variable"))?;
                    read_back(*into)?;
                }
                Step::Launch(launch) => self.launch(launch)?,
                Step::Repeat { times, steps } => {
                    for _ in 0..*times {
                        self.steps(steps, read_back)?;
                    }
                }
                Step::ReadBack(id) => read_back(*id)?,
            }
        }
        Ok(())
    }

    /// A device variable of so many bytes or more, which no kernel uses any more.
    fn variable(&self, name: &str, bytes: usize) -> Result<Variable, ExecutionStatus> {
        let variable = match self.image.variable(self.code.lowered(name)) {
            Ok(variable) => variable,
            Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)) => {
                return Err(ExecutionStatus::Faulted(format!(
                    "expected a device variable `{name}`, found none in the kernel"
                )));
            }
            Err(error) => return Err(driver_status(error, "looking for a device variable")),
        };
        if variable.bytes < bytes {
            return Err(ExecutionStatus::Faulted(format!(
                "expected the device variable `{name}` to hold {bytes} bytes, found {}",
                variable.bytes
            )));
        }
        // A copy would wait for kernels without any limit.
        self.wait()?;
        Ok(variable)
    }

    fn place(&self) -> Place<'_> {
        Place { plan: self.plan, layout: self.layout, memory: self.memory }
    }

    fn address(&self, buffer: BufferId) -> u64 {
        self.memory.address() + self.layout.buffers[buffer.0].start as u64
    }

    fn launch(&self, launch: &Launch) -> Result<(), ExecutionStatus> {
        let arguments: Vec<Vec<u8>> = launch
            .arguments
            .iter()
            .map(|argument| {
                Ok(match argument {
                    Argument::Buffer { buffer, offset } => {
                        let offset = offset * self.plan.buffers[buffer.0].element.bytes();
                        (self.address(*buffer) + offset as u64).to_le_bytes().to_vec()
                    }
                    Argument::Scalar(bytes) => bytes.clone(),
                    Argument::Null => vec![0; 8],
                    Argument::Texture { .. } | Argument::Surface { .. } => {
                        let handle = self.textures.borrow_mut().handle(self.place(), argument)?;
                        handle.unwrap_or_default().to_le_bytes().to_vec()
                    }
                    Argument::TensorMap { buffer, tile } => {
                        let map = tensor::map(&self.plan.buffers[buffer.0], tile, self.address(*buffer));
                        let map = map.map_err(|why| {
                            ExecutionStatus::Refused(format!(
                                "the launch of `{}` failed: {why}",
                                launch.kernel
                            ))
                        })?;
                        driver::encode(&map).map_err(|error| driver_status(error, "making a tensor map"))?
                    }
                })
            })
            .collect::<Result<_, ExecutionStatus>>()?;
        let raw = RawLaunch {
            kernel: self.code.lowered(&launch.kernel),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            cluster: launch.cluster,
            cooperative: launch.cooperative,
            arguments: &arguments,
        };
        let textures = self.textures.borrow();
        textures.copy_in(self.place(), launch)?;
        self.image.launch(&raw).map_err(|refused| refused_status(refused, launch, &arguments))?;
        textures.copy_out(self.place(), launch)
    }

    /// Waits until everything started is done, up to the deadline.
    fn wait(&self) -> Result<(), ExecutionStatus> {
        let end = Event::new().and_then(|end| end.record().map(|()| end));
        let end = end.map_err(|error| driver_status(error, "the kernel"))?;
        wait_for(&end, self.deadline, self.seconds)
    }
}

/// Waits for an event, up to a deadline.
fn wait_for(event: &Event, deadline: Instant, seconds: f64) -> Result<(), ExecutionStatus> {
    let mut pause = Duration::from_micros(10);
    loop {
        if event.is_done().map_err(|error| driver_status(error, "the kernel"))? {
            return Ok(());
        }
        if Instant::now() >= deadline {
            driver::abandon();
            return Err(ExecutionStatus::Unfinished(format!(
                "the kernel was still running after {seconds} s on the GPU"
            )));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

/// What a driver's error says: of the kernel, or of the machine.
fn driver_status(DriverError(error): DriverError, doing: &str) -> ExecutionStatus {
    let faulted = |what: &str| ExecutionStatus::Faulted(format!("{what} ({error:?})"));
    match error {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => faulted("the kernel read or wrote where no memory is"),
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => {
            faulted("the kernel used an address that is not a multiple of the access size")
        }
        CUresult::CUDA_ERROR_ASSERT => faulted("an assertion in the kernel failed"),
        CUresult::CUDA_ERROR_LAUNCH_FAILED => {
            faulted("the kernel trapped or used memory in a way the GPU refuses")
        }
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => {
            faulted("the kernel executed an illegal instruction or a trap")
        }
        CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR => {
            faulted("the kernel's call stack overflowed or was overwritten")
        }
        CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE => {
            faulted("the kernel used an address of one memory space in another")
        }
        CUresult::CUDA_ERROR_INVALID_PC => faulted("the kernel jumped to where no code is"),
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => ExecutionStatus::Unfinished(format!(
            "the operating system stopped the kernel: it took too long ({error:?})"
        )),
        _ => ExecutionStatus::Error(format!("{doing}: the NVIDIA driver says {error:?}")),
    }
}

fn preparing(error: DriverError) -> ExecutionStatus {
    driver_status(error, "preparing a timed run")
}

/// Why something did not finish, whatever its kind.
fn words(status: ExecutionStatus) -> String {
    match status {
        ExecutionStatus::Faulted(why)
        | ExecutionStatus::Refused(why)
        | ExecutionStatus::Unfinished(why)
        | ExecutionStatus::Unsupported(why)
        | ExecutionStatus::Error(why) => why,
        ExecutionStatus::Finished | ExecutionStatus::NotStarted => {
            "it ended in no state that has a name".to_owned()
        }
    }
}

fn refused_status(refused: Refused, launch: &Launch, arguments: &[Vec<u8>]) -> ExecutionStatus {
    let kernel = &launch.kernel;
    let failed = |why: String| ExecutionStatus::Faulted(format!("the launch of `{kernel}` failed: {why}"));
    match refused {
        Refused::UnknownKernel => failed("the module has no kernel of that name".to_owned()),
        Refused::Arguments(sizes) => {
            let given: Vec<usize> = arguments.iter().map(Vec::len).collect();
            failed(format!("expected arguments of {given:?} bytes, the kernel takes {sizes:?}"))
        }
        Refused::Driver { error, registers, static_shared, threads_per_block } => {
            let threads = launch.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
            let shared = u64::try_from(static_shared).unwrap_or(0) + u64::from(launch.dynamic_shared);
            match error.0 {
                CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => failed(format!(
                    "{threads} threads of {registers} registers and {shared} bytes of shared memory are more than a \
                     block may have; this kernel can have {threads_per_block} threads"
                )),
                CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => failed(format!(
                    "a cooperative launch needs all its blocks resident at once, and the grid {:?} is too large for that",
                    launch.grid
                )),
                CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => failed(format!(
                    "clusters of {:?} blocks are not allowed: a cluster has at most 8 blocks on every GPU that has clusters (compute \
                     capability 9.0 and up), the grid {:?} must be a multiple of it, and it must be what the kernel was compiled for",
                    launch.cluster.unwrap_or([1; 3]),
                    launch.grid
                )),
                CUresult::CUDA_ERROR_INVALID_VALUE => failed(format!(
                    "a grid of {:?} blocks of {:?} threads with {shared} bytes of shared memory is not allowed",
                    launch.grid, launch.block
                )),
                _ => driver_status(error, &format!("launching `{kernel}`")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_look_like_the_drivers() {
        let uuid = uuid_text([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0eff");
    }

    #[test]
    fn the_machines_faults_are_not_the_kernels() {
        let status = |error| driver_status(DriverError(error), "running");
        assert!(matches!(status(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS), ExecutionStatus::Faulted(_)));
        assert!(matches!(status(CUresult::CUDA_ERROR_LAUNCH_TIMEOUT), ExecutionStatus::Unfinished(_)));
        assert!(matches!(status(CUresult::CUDA_ERROR_ECC_UNCORRECTABLE), ExecutionStatus::Error(_)));
        assert!(matches!(status(CUresult::CUDA_ERROR_UNKNOWN), ExecutionStatus::Error(_)));
    }
}
