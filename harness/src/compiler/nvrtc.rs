//! NVRTC's C interface: the one module of the compiler with `unsafe` in it.
//!
//! The libraries are loaded by absolute path, the builtins first, because NVRTC itself looks for its builtins
//! by bare name and would take another version's from the loader's path. (cudarc's bindings load NVRTC by
//! bare name too, which is why they are not used for this.)

#![allow(unsafe_code)]

use std::{
    ffi::{CStr, CString, c_char, c_int},
    fmt, io,
    path::{Path, PathBuf},
    ptr,
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

type Program = *mut std::ffi::c_void;
const SUCCESS: c_int = 0;
const OUT_OF_MEMORY: c_int = 1;
const INVALID_OPTION: c_int = 5;

/// What the loader or the compiler could not do. That a source does not compile is none of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum NvrtcError {
    #[error("loading {}: {error}", .path.display())]
    Loading { path: PathBuf, error: libloading::Error },
    #[error("{}: {error}", .library.display())]
    Symbol { library: PathBuf, error: libloading::Error },
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("expected only {} to be loaded, found {mapped}", .library.display())]
    AnotherIsMapped { library: PathBuf, mapped: String },
    #[error("{} is not mapped after loading it", .0.display())]
    NotMapped(PathBuf),
    #[error("{what} contains a NUL byte at {position}")]
    Nul { what: &'static str, position: usize },
    #[error("{function}: {status}")]
    Call { function: &'static str, status: Status },
}

/// What a function of NVRTC's returned, which is no success.
#[derive(Debug)]
pub(super) struct Status {
    code: c_int,
    name: String,
}

impl Status {
    /// The compiler got too little memory.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.code == OUT_OF_MEMORY
    }

    /// The compiler does not know an option.
    pub(super) fn is_invalid_option(&self) -> bool {
        self.code == INVALID_OPTION
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

/// The loaded compiler.
pub(super) struct Nvrtc {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    supported_count: unsafe extern "C" fn(*mut c_int) -> c_int,
    supported: unsafe extern "C" fn(*mut c_int) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    add_name: unsafe extern "C" fn(Program, *const c_char) -> c_int,
    lowered_name: unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    /// Declared last: the functions above point into it.
    _library: Library,
    _builtins: Library,
}

/// What one run of the compiler left.
pub(super) struct Run {
    /// Everything it printed.
    pub log: String,
    /// What it made.
    pub output: Result<Output, Status>,
}

/// What a successful run made.
pub(super) struct Output {
    /// PTX.
    pub ptx: String,
    /// Machine code.
    pub cubin: Vec<u8>,
    /// One lowered name per name expression.
    pub lowered: Vec<String>,
}

impl Nvrtc {
    /// Loads the compiler and checks that the files mapped are the files asked for.
    pub(super) fn load(library: &Path, builtins: &Path) -> Result<Self, NvrtcError> {
        let open = |path: &Path| {
            // SAFETY: both are NVIDIA's libraries at paths that `toolchain` chose; their initialisers have no
            // preconditions.
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
                .map_err(|error| NvrtcError::Loading { path: path.to_owned(), error })
        };
        let _builtins = open(builtins)?;
        let library_path = library;
        let library = open(library)?;
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: the field's type is the function's declaration in nvrtc.h; the pointer is kept
                // together with the library that it points into.
                *unsafe { library.get($name) }
                    .map_err(|error| NvrtcError::Symbol { library: library_path.to_owned(), error })?
            };
        }
        let nvrtc = Nvrtc {
            version: symbol!(b"nvrtcVersion\0"),
            supported_count: symbol!(b"nvrtcGetNumSupportedArchs\0"),
            supported: symbol!(b"nvrtcGetSupportedArchs\0"),
            error_string: symbol!(b"nvrtcGetErrorString\0"),
            create: symbol!(b"nvrtcCreateProgram\0"),
            destroy: symbol!(b"nvrtcDestroyProgram\0"),
            add_name: symbol!(b"nvrtcAddNameExpression\0"),
            lowered_name: symbol!(b"nvrtcGetLoweredName\0"),
            compile: symbol!(b"nvrtcCompileProgram\0"),
            log_size: symbol!(b"nvrtcGetProgramLogSize\0"),
            log: symbol!(b"nvrtcGetProgramLog\0"),
            ptx_size: symbol!(b"nvrtcGetPTXSize\0"),
            ptx: symbol!(b"nvrtcGetPTX\0"),
            cubin_size: symbol!(b"nvrtcGetCUBINSize\0"),
            cubin: symbol!(b"nvrtcGetCUBIN\0"),
            _library: library,
            _builtins,
        };
        assert_mapped(library_path, builtins)?;
        Ok(nvrtc)
    }

    /// Major and minor version.
    pub(super) fn version(&self) -> Result<(u32, u32), NvrtcError> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two valid out-pointers, as nvrtcVersion asks.
        self.check(unsafe { (self.version)(&mut major, &mut minor) }, "nvrtcVersion")?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// Architectures as compute capability × 10.
    pub(super) fn supported_architectures(&self) -> Result<Vec<u32>, NvrtcError> {
        let mut count = 0;
        // SAFETY: a valid out-pointer.
        self.check(unsafe { (self.supported_count)(&mut count) }, "nvrtcGetNumSupportedArchs")?;
        let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the array has the length that nvrtcGetNumSupportedArchs gave.
        self.check(unsafe { (self.supported)(all.as_mut_ptr()) }, "nvrtcGetSupportedArchs")?;
        Ok(all.into_iter().map(c_int::unsigned_abs).collect())
    }

    /// Compiles `source` once.
    pub(super) fn run(
        &self,
        source: &str,
        file: &str,
        headers: &[(String, String)],
        names: &[String],
        options: &[String],
    ) -> Result<Run, NvrtcError> {
        let source = c_string("the source", source)?;
        let file = c_string("the file's name", file)?;
        let header_names = c_strings("a header's name", headers.iter().map(|(name, _)| name))?;
        let header_texts = c_strings("a header", headers.iter().map(|(_, text)| text))?;
        let names = c_strings("a kernel's name", names)?;
        let options = c_strings("a compiler option", options)?;
        let (header_names, header_texts) = (pointers(&header_names), pointers(&header_texts));
        let option_pointers = pointers(&options);

        let mut program: Program = ptr::null_mut();
        // SAFETY: every pointer is a NUL-terminated string or an array of as many as the count says, and all
        // outlive the call; NVRTC copies them.
        let status = unsafe {
            (self.create)(
                &mut program,
                source.as_ptr(),
                file.as_ptr(),
                length(&header_names),
                header_texts.as_ptr(),
                header_names.as_ptr(),
            )
        };
        self.check(status, "nvrtcCreateProgram")?;
        let program = Guard { nvrtc: self, program };

        for name in &names {
            // SAFETY: a live program and a NUL-terminated string.
            self.check(unsafe { (self.add_name)(program.program, name.as_ptr()) }, "nvrtcAddNameExpression")?;
        }
        // SAFETY: a live program and an array of as many NUL-terminated strings as the count says.
        let status =
            unsafe { (self.compile)(program.program, length(&option_pointers), option_pointers.as_ptr()) };
        let log = program.text(self.log_size, self.log, "nvrtcGetProgramLog")?;
        if status != SUCCESS {
            return Ok(Run { log, output: Err(self.status(status)) });
        }
        let ptx = program.text(self.ptx_size, self.ptx, "nvrtcGetPTX")?;
        let cubin = program.bytes(self.cubin_size, self.cubin, "nvrtcGetCUBIN")?;
        let mut lowered = Vec::with_capacity(names.len());
        for name in &names {
            let mut text: *const c_char = ptr::null();
            // SAFETY: a live, compiled program, a NUL-terminated string and a valid out-pointer.
            let status = unsafe { (self.lowered_name)(program.program, name.as_ptr(), &mut text) };
            self.check(status, "nvrtcGetLoweredName")?;
            // SAFETY: on success NVRTC stores a NUL-terminated string that lives as long as the program.
            lowered.push(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
        }
        Ok(Run { log, output: Ok(Output { ptx, cubin, lowered }) })
    }

    fn status(&self, code: c_int) -> Status {
        // SAFETY: nvrtcGetErrorString returns a static NUL-terminated string for every value.
        let name = unsafe { CStr::from_ptr((self.error_string)(code)) };
        Status { code, name: name.to_string_lossy().into_owned() }
    }

    fn check(&self, code: c_int, function: &'static str) -> Result<(), NvrtcError> {
        match code {
            SUCCESS => Ok(()),
            _ => Err(NvrtcError::Call { function, status: self.status(code) }),
        }
    }
}

/// Destroys its program.
struct Guard<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

type SizeFunction = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type CopyFunction = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

impl Guard<'_> {
    fn bytes(
        &self,
        size_of: SizeFunction,
        copy: CopyFunction,
        function: &'static str,
    ) -> Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: a live program and a valid out-pointer.
        self.nvrtc.check(unsafe { size_of(self.program, &mut size) }, function)?;
        let mut bytes = vec![0_u8; size];
        if size > 0 {
            // SAFETY: the buffer has the size that the function's twin asked for.
            self.nvrtc.check(unsafe { copy(self.program, bytes.as_mut_ptr().cast()) }, function)?;
        }
        Ok(bytes)
    }

    fn text(
        &self,
        size_of: SizeFunction,
        copy: CopyFunction,
        function: &'static str,
    ) -> Result<String, NvrtcError> {
        let mut bytes = self.bytes(size_of, copy, function)?;
        // Not only the last byte: the log has one more between the assembler's remarks and its errors.
        bytes.retain(|&byte| byte != 0);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created by the same library and is destroyed once. Nothing can be done
        // about a failure here.
        let _ = unsafe { (self.nvrtc.destroy)(&mut self.program) };
    }
}

fn c_string(what: &'static str, text: &str) -> Result<CString, NvrtcError> {
    CString::new(text).map_err(|error| NvrtcError::Nul { what, position: error.nul_position() })
}

fn c_strings<'a>(
    what: &'static str,
    all: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<CString>, NvrtcError> {
    all.into_iter().map(|each| c_string(what, each)).collect()
}

fn pointers(all: &[CString]) -> Vec<*const c_char> {
    all.iter().map(|each| each.as_ptr()).collect()
}

fn length(all: &[*const c_char]) -> c_int {
    c_int::try_from(all.len()).unwrap_or(c_int::MAX)
}

/// Checks in the process's own memory map that no other NVRTC is loaded.
fn assert_mapped(library: &Path, builtins: &Path) -> Result<(), NvrtcError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |error| NvrtcError::File { path, error }
    };
    let maps = Path::new("/proc/self/maps");
    let maps = std::fs::read_to_string(maps).map_err(at(maps))?;
    let canonical = |path: &Path| path.canonicalize().map_err(at(path));
    let expected = [canonical(library)?, canonical(builtins)?];
    for line in maps.lines().filter(|line| line.contains("libnvrtc")) {
        let mapped = line.find('/').map_or("", |start| &line[start..]);
        if !expected.iter().any(|path| path.as_os_str() == mapped) {
            let library = library.to_owned();
            return Err(NvrtcError::AnotherIsMapped { library, mapped: mapped.to_owned() });
        }
    }
    for path in expected {
        if !maps.contains(&*path.to_string_lossy()) {
            return Err(NvrtcError::NotMapped(path));
        }
    }
    Ok(())
}
