//! The compiling itself: runs NVRTC once over a source and reads what it says.
//!
//! This is what a compile worker executes. The optimised build makes the cubin, too: asking for machine code gives
//! byte for byte the same PTX, and takes twice as long for a long kernel. A checked build's machine code nothing
//! would run, so it asks for PTX alone.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use warpsim::Severity;

use super::{
    CompileError, CompileRequest, CompilerMessage, Contraction, diagnostics, help, log,
    nvrtc::{Nvrtc, NvrtcError, Status},
    resources::{self, KernelResources},
    shims::{ALWAYS, SHIMS},
};
use crate::{toolchain::Toolchain, worker::SandboxStatus};

/// Keeps the source's own structure in the checked PTX.
const CHECKED: &str = "--Ofast-compile";
/// The first release whose compiler has it; 12.4.127 calls it an invalid option.
const OLDEST: &str = "12.5";

/// Keeps `cooperative_groups.h` from including libcu++, which takes a second to read. What needs it all the same, a
/// header on the disk perhaps, does not compile so, and is compiled once more.
const GROUPS_ALONE: &str = "--define-macro=_CG_LIMIT_INCLUDED_DEPENDENCIES";

/// Whether a source uses cooperative groups and nothing else for which they include libcu++: the code is the same then.
fn has_groups_alone(request: &CompileRequest) -> bool {
    let has = |what: &str| {
        let headers = request.headers.iter().map(|(_, text)| text);
        headers.chain([&request.source]).any(|text| text.contains(what))
    };
    has("cooperative_groups") && !has("cuda::") && !has("cuda/")
}

/// Which of its two builds is made of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Build {
    /// Keeps the source's own structure; PTX alone.
    Checked,
    /// As the optimiser leaves it, with machine code where that is asked for.
    Optimised,
}

/// A build.
#[derive(Serialize, Deserialize)]
pub(super) struct Made {
    pub ptx: String,
    /// Travels beside the rest.
    #[serde(skip)]
    pub cubin: Vec<u8>,
    pub kernels: Vec<KernelResources>,
    pub lowered_names: BTreeMap<String, String>,
    pub diagnostics: Vec<CompilerMessage>,
    pub log: String,
    pub compiler: String,
    pub sandbox: SandboxStatus,
}

/// A loaded compiler, ready to be shut in.
pub(super) struct Loaded {
    nvrtc: Nvrtc,
    version: (u32, u32),
    library: PathBuf,
}

impl Loaded {
    pub(super) fn load(library: &Path, builtins: &Path) -> Result<Self, CompileError> {
        let unusable = |error: NvrtcError| CompileError::Unusable {
            library: library.to_owned(),
            reason: error.to_string(),
        };
        let nvrtc = Nvrtc::load(library, builtins).map_err(unusable)?;
        let version = nvrtc.version().map_err(unusable)?;
        Ok(Loaded { nvrtc, version, library: library.to_owned() })
    }

    pub(super) fn make(
        &self,
        build: Build,
        toolchain: &Toolchain,
        request: &CompileRequest,
        sandbox: SandboxStatus,
    ) -> Result<Made, CompileError> {
        let unusable = |reason| CompileError::Unusable { library: self.library.clone(), reason };
        let promised = (toolchain.version.major, toolchain.version.minor);
        if self.version != promised {
            return Err(unusable(format!(
                "expected version {}, found {:?}",
                toolchain.version, self.version
            )));
        }
        let failed = |error: NvrtcError| unusable(error.to_string());
        let supported = self.nvrtc.supported_architectures().map_err(failed)?;
        if !supported.contains(&request.architecture) {
            let compiler = format!("NVRTC {}", toolchain.version);
            return Err(CompileError::Architecture { asked: request.architecture, supported, compiler });
        }

        if let Some(at) = request.source.find('\0') {
            let line = request.source[..at].lines().count().max(1);
            let message = format!("line {line} contains a zero byte: this is not a text file");
            return Err(CompileError::Rejected {
                diagnostics: vec![error_without_place(message)],
                log: String::new(),
            });
        }
        let names = Names::of(request);
        let mut headers: Vec<(String, String)> = request.headers.clone();
        headers.extend(SHIMS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        let machine_code = request.machine_code && build == Build::Optimised;
        let mut options = options(toolchain, request, machine_code);
        if build == Build::Checked {
            options.push(format!("{CHECKED}=max"));
        }
        if machine_code {
            options.push("--ptxas-options=-v".to_owned());
        }
        let run = |options: &[String]| {
            let run = self.nvrtc.run(&request.source, &names.given, &headers, &request.names, options);
            run.map_err(failed)
        };
        let mut short = None;
        if has_groups_alone(request) {
            let options: Vec<String> = options.iter().cloned().chain([GROUPS_ALONE.to_owned()]).collect();
            short = Some(run(&options)?).filter(|run| run.output.is_ok());
        }
        let run = match short {
            Some(run) => run,
            None => run(&options)?,
        };
        // The assembler's remarks come last, behind whatever the source made the compiler print.
        let kernels = resources::parse(&run.log);
        let log = if request.guards.clean_log { log::clean(&run.log) } else { run.log };
        let output = match run.output {
            Ok(output) => output,
            // An older compiler must not be taken for a wrong kernel.
            Err(status) if status.is_invalid_option() && log.contains(CHECKED) => {
                return Err(unusable(format!(
                    "NVRTC {} has no option {CHECKED}, with which findings are made; use CUDA {OLDEST} or newer",
                    toolchain.version
                )));
            }
            Err(status) => return Err(rejected(&log, &status, &names, request, toolchain)),
        };
        let compiler = compiler_name(&output.ptx, toolchain).map_err(unusable)?;
        Ok(Made {
            ptx: names.shown_in_ptx(&output.ptx),
            cubin: output.cubin,
            kernels,
            lowered_names: request.names.iter().cloned().zip(output.lowered).collect(),
            diagnostics: names
                .shown_in(own(truthful(diagnostics::parse(&log), &names, request, toolchain), toolchain)),
            log,
            compiler,
            sandbox,
        })
    }
}

fn options(toolchain: &Toolchain, request: &CompileRequest, machine_code: bool) -> Vec<String> {
    let mut options = vec![
        "--std=c++17".to_owned(),
        "-lineinfo".to_owned(),
        // The PTX is the same, but for a virtual architecture no machine code follows.
        format!(
            "--gpu-architecture={}_{}{}",
            if machine_code { "sm" } else { "compute" },
            request.architecture,
            if request.is_specific { "a" } else { "" }
        ),
        format!("--pre-include={ALWAYS}"),
    ];
    if request.default_device {
        options.push("--device-as-default-execution-space".to_owned());
    }
    if request.contraction == Contraction::Never {
        options.push("--fmad=false".to_owned());
    }
    for directory in request.include_directories.iter().chain(&toolchain.include_directories) {
        options.push(format!("--include-path={}", directory.display()));
    }
    for (name, value) in &request.defines {
        options.push(match value {
            Some(value) => format!("--define-macro={name}={value}"),
            None => format!("--define-macro={name}"),
        });
    }
    options
}

/// The names of the source file: NVRTC is given a bare one, so that its output is the same in any directory.
struct Names {
    given: String,
    shown: String,
}

impl Names {
    fn of(request: &CompileRequest) -> Self {
        let name = Path::new(&request.file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
        // The compiler takes a name that begins with a dash for an option.
        let is_plain = !name.is_empty() && !name.starts_with('-') && name.chars().all(plain);
        let given = if is_plain { name } else { "kernel.cu" };
        Names { given: given.to_owned(), shown: request.file.clone() }
    }

    /// PTX names files absolutely: `.file 1 "/kernel.cu"` where the working directory is the root.
    fn shown_in_ptx(&self, ptx: &str) -> String {
        let here = std::env::current_dir().unwrap_or_default().join(&self.given);
        let quoted = format!("\"{}\"", here.display());
        let shown = self.shown.replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = String::with_capacity(ptx.len());
        for line in ptx.split_inclusive('\n') {
            if line.trim_start().starts_with(".file") {
                text.push_str(&line.replace(&quoted, &format!("\"{shown}\"")));
            } else {
                text.push_str(line);
            }
        }
        text
    }

    fn shown_in(&self, mut diagnostics: Vec<CompilerMessage>) -> Vec<CompilerMessage> {
        for diagnostic in &mut diagnostics {
            if diagnostic.file.as_deref() == Some(&*self.given) {
                diagnostic.file = Some(self.shown.clone());
            }
        }
        diagnostics
    }
}

/// Messages about files that are no part of this compilation lose their place: the source gave it to them, by
/// a `#line` or by printing a line that looks like a message.
fn truthful(
    mut diagnostics: Vec<CompilerMessage>,
    names: &Names,
    request: &CompileRequest,
    toolchain: &Toolchain,
) -> Vec<CompilerMessage> {
    let known = |file: &str| {
        let header =
            || request.headers.iter().map(|(name, _)| &**name).chain(SHIMS.iter().map(|(name, _)| *name));
        let mut folders = toolchain.include_directories.iter().chain(&request.include_directories);
        file == names.given
            || file == NAME_LIST
            || header().any(|name| name == file)
            || folders.any(|folder| Path::new(file).starts_with(folder))
    };
    if request.guards.clean_log {
        for diagnostic in &mut diagnostics {
            if diagnostic.file.as_deref().is_some_and(|file| !known(file)) {
                diagnostic.file = None;
                diagnostic.line = 0;
                diagnostic.column = 0;
            }
        }
    }
    diagnostics
}

/// The compiler's own list of name expressions.
const NAME_LIST: &str = "__nv_name_map";

/// Without warnings that nobody can act on: about the toolkit's own headers, and about
/// an old GPU's architecture.
fn own(mut diagnostics: Vec<CompilerMessage>, toolchain: &Toolchain) -> Vec<CompilerMessage> {
    let of_toolkit = |file: &str| {
        toolchain.include_directories.iter().any(|directory| Path::new(file).starts_with(directory))
            || SHIMS.iter().any(|(name, _)| *name == file)
    };
    diagnostics.retain(|each| {
        let idle = each.file.as_deref().is_some_and(of_toolkit)
            || each.message.starts_with("Architectures prior to");
        each.severity == Severity::Error || !idle
    });
    diagnostics
}

fn rejected(
    log: &str,
    status: &Status,
    names: &Names,
    request: &CompileRequest,
    toolchain: &Toolchain,
) -> CompileError {
    let parsed = truthful(diagnostics::parse(log), names, request, toolchain);
    let mut diagnostics = names.shown_in(own(parsed, toolchain));
    name_errors(&mut diagnostics, request);
    for diagnostic in diagnostics.iter_mut().filter(|each| each.message.ends_with(diagnostics::AT_END)) {
        diagnostic.file = Some(names.shown.clone());
        diagnostic.line = u32::try_from(request.source.lines().count()).unwrap_or(u32::MAX);
        diagnostic.excerpt = request.source.lines().last().unwrap_or_default().to_owned();
    }
    for diagnostic in &mut diagnostics {
        if diagnostic.file.as_deref().is_some_and(|file| file != names.shown) {
            continue;
        }
        at_the_end_of_the_statement(diagnostic, &request.source);
        if diagnostic.help.is_none() {
            diagnostic.help = help::of_the_language(diagnostic, &request.source);
        }
    }
    if !diagnostics.iter().any(|each| each.severity == Severity::Error) {
        diagnostics.push(error_without_place(match log.trim() {
            log if status.is_out_of_memory() || log.contains(diagnostics::NO_MEMORY_LEFT) => {
                diagnostics::OUT_OF_MEMORY.to_owned()
            }
            "" => status.to_string(),
            log => format!("{status}: {log}"),
        }));
    }
    CompileError::Rejected { diagnostics, log: log.to_owned() }
}

/// Where a semicolon is lacking the compiler points at what it found instead. If that begins a line, the mistake is at
/// the end of the code before it.
fn at_the_end_of_the_statement(diagnostic: &mut CompilerMessage, source: &str) {
    let ahead = |text: &str| {
        text.chars().take(diagnostic.column.saturating_sub(1) as usize).any(|c| !c.is_whitespace())
    };
    if diagnostic.message != diagnostics::NO_SEMICOLON || ahead(&diagnostic.excerpt) {
        return;
    }
    let before = source.lines().zip(1..).take(diagnostic.line.saturating_sub(1) as usize);
    let code =
        before.map(|(text, line)| (text.split("//").next().unwrap_or_default().trim_end(), text, line));
    let Some((code, text, line)) = code.filter(|(code, ..)| !code.is_empty()).last() else { return };
    // What a directive or a comment of several lines ends is no statement.
    if code.trim_start().starts_with('#') || code.ends_with("*/") {
        return;
    }
    diagnostic.line = line;
    diagnostic.column = u32::try_from(code.chars().count()).unwrap_or(u32::MAX);
    diagnostic.excerpt = text.to_owned();
    diagnostic.help = Some("End the statement here with `;`.".to_owned());
}

fn error_without_place(message: String) -> CompilerMessage {
    CompilerMessage {
        file: None,
        line: 0,
        column: 0,
        severity: Severity::Error,
        message,
        excerpt: String::new(),
        notes: Vec::new(),
        help: None,
    }
}

/// Turns the compiler's complaints about its own list of name expressions into one error per name asked for.
fn name_errors(diagnostics: &mut Vec<CompilerMessage>, request: &CompileRequest) {
    let mut missing: Vec<(String, String)> = Vec::new();
    for diagnostic in diagnostics.iter().filter(|each| each.file.as_deref() == Some(NAME_LIST)) {
        let name = diagnostic.excerpt.trim_start_matches("#pragma nv_mangled_name").trim().to_owned();
        if !missing.iter().any(|(other, _)| *other == name) {
            missing.push((name, diagnostic.message.clone()));
        }
    }
    diagnostics.retain(|each| each.file.as_deref() != Some(NAME_LIST));
    let kernels = kernels_of(&request.source);
    for (name, why) in missing.into_iter().rev() {
        let help = if kernels.is_empty() {
            "the file has no `__global__` function".to_owned()
        } else {
            let all = kernels.iter().map(|each| format!("`{each}`")).collect::<Vec<_>>().join(", ");
            format!(
                "the file's kernels are {all}; name a template's instance with its arguments: `tiled<16>`"
            )
        };
        let message = format!("no kernel or device variable `{name}` here: {why}");
        let error = CompilerMessage { help: Some(help), ..error_without_place(message) };
        diagnostics.insert(0, error);
    }
}

/// The names after `__global__` in a source text, for help only: comments and macros are not understood.
fn kernels_of(source: &str) -> Vec<String> {
    let mut kernels = Vec::new();
    for (at, word) in source.match_indices("__global__") {
        let mut rest = source[at + word.len()..].trim_start();
        if let Some(bounds) = rest.find("__launch_bounds__").filter(|&at| !rest[..at].contains('{')) {
            rest = rest[bounds..].split_once(')').map_or("", |(_, rest)| rest);
        }
        let Some(parameters) = rest.find('(') else { continue };
        let name = rest[..parameters].trim_end();
        let start = name.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        if start < name.len() && !kernels.iter().any(|each| each == &name[start..]) {
            kernels.push(name[start..].to_owned());
        }
    }
    kernels
}

/// The compiler's exact version, from the first lines of its PTX: `… release 13.0, V13.0.88`.
fn compiler_name(ptx: &str, toolchain: &Toolchain) -> Result<String, String> {
    let found = ptx
        .lines()
        .take(8)
        .find_map(|line| line.split_once(", V").map(|(_, version)| version.trim().to_owned()))
        .ok_or("its PTX does not name the compiler")?;
    let expected = toolchain.version.to_string();
    // A toolkit's library says which build it is only in its output.
    if found != expected && toolchain.version.build.is_some() {
        return Err(format!("expected version {expected}, found {found} in its PTX"));
    }
    Ok(format!("NVRTC {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_behind_launch_bounds_and_templates() {
        let source = "template <int N> __global__ void __launch_bounds__(256) tiled(float *a) {}\n\
                      extern \"C\" __global__ __launch_bounds__(128) void plain() {}\n__global__ void f(int *a){}";
        assert_eq!(kernels_of(source), ["tiled", "plain", "f"]);
    }
}
