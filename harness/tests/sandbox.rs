//! Opening a file outside the allowed set is denied inside both workers.
//!
//! On a kernel without Landlock there is nothing to prove, and these tests fail, so that nobody takes them
//! for proof. With `CUDA_GRADER_WITHOUT_LANDLOCK=1` they pass there, having looked at nothing.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use harness::{
    compiler::{CompileError, CompileRequest, Compiled, compile},
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
    worker::{
        Limits, SandboxStatus, WorkerFailure,
        probe::{Probe, break_out, probe},
    },
};

#[test]
fn __worker() {
    harness::worker::intercept();
}

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| {
    Toolchain::locate_or_install(&CompilerChoice::Pinned, None, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"))
});

/// A word that no compiler message contains.
const SECRET: &str = "xylophone_4711";

/// True where the sandbox is there to be tested; false where it is missing and the
/// one who runs this knows it.
fn sandboxed() -> bool {
    let limits = Limits::simulate(512 << 20, 60, 60);
    let SandboxStatus::Missing(reason) = probe(&Probe::Nothing, &limits).expect("a worker").sandbox else {
        return true;
    };
    assert!(
        std::env::var_os("CUDA_GRADER_WITHOUT_LANDLOCK").is_some_and(|value| value == "1"),
        "the sandbox cannot be tested: {reason}. Use a kernel with Landlock, or set CUDA_GRADER_WITHOUT_LANDLOCK=1 to \
         go without; `check` works without it, `score` refuses"
    );
    eprintln!("NOT TESTED, as CUDA_GRADER_WITHOUT_LANDLOCK=1 says: {reason}");
    false
}

fn denied(what: &Probe) {
    let limits = Limits::simulate(512 << 20, 60, 60);
    let answer = probe(what, &limits).expect("an answer");
    let refusal = answer.value.expect_err("it was to be denied");
    assert!(refusal.contains("Permission denied"), "{what:?}: {refusal}");
}

#[test]
fn the_run_worker_opens_nothing() {
    if !sandboxed() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, SECRET).expect("a file");
    for path in ["/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/self/exe", "/dev/urandom"] {
        denied(&Probe::Read(PathBuf::from(path)));
    }
    denied(&Probe::Read(file));
    denied(&Probe::List(folder.path().to_owned()));
    denied(&Probe::Create(folder.path().join("new")));
    denied(&Probe::Execute(PathBuf::from("/bin/sh")));
    assert!(!folder.path().join("new").exists());
}

#[test]
fn the_run_worker_of_a_gpu_opens_its_devices_and_its_threads_names_only() {
    if !sandboxed() {
        return;
    }
    let through_a_link = "/proc/self/task/../root/etc/passwd";
    for path in ["/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/self/exe", through_a_link] {
        denied(&Probe::ReadBesideGpu(PathBuf::from(path)));
    }
    let limits = Limits::gpu(512 << 20, 60, 60);
    let tasks = probe(&Probe::ReadBesideGpu(PathBuf::from("/proc/thread-self/comm")), &limits);
    tasks.expect("an answer").value.expect("CUDA names its threads there");
}

#[test]
fn every_attempt_to_break_out_is_refused() {
    if !sandboxed() {
        return;
    }
    for beside_gpu in [false, true] {
        let proof = break_out(beside_gpu).expect("workers");
        assert!(proof.holds(), "beside a GPU: {beside_gpu}: {proof:#?}");
        assert_eq!(proof.status, SandboxStatus::Full);
    }
    denied(&Probe::Connect(
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its").port(),
    ));
}

#[test]
fn what_no_library_would_try_ends_the_worker_and_is_no_grade() {
    let limits = Limits::simulate(512 << 20, 60, 60);
    let failure = probe(&Probe::LeaveNameSpace, &limits).expect_err("it was to be stopped");
    assert!(matches!(failure, WorkerFailure::Forbidden { .. }), "{failure}");
    assert!(!failure.is_of_the_input(), "an attack is never a grade");
    assert!(failure.to_string().contains("no grade"), "{failure}");
}

#[test]
fn a_confined_worker_can_still_start_threads() {
    let limits = Limits::simulate(512 << 20, 60, 60);
    let answer = probe(&Probe::Thread, &limits).expect("an answer");
    assert_eq!(answer.value, Ok(b"a thread".to_vec()));
}

/// A folder that the compiler may read, beside one that it may not.
struct Folders {
    _root: tempfile::TempDir,
    include: PathBuf,
    secret: PathBuf,
}

fn folders() -> Folders {
    let root = tempfile::tempdir().expect("a folder");
    let include = root.path().join("include");
    fs::create_dir(&include).expect("a folder");
    fs::write(include.join("allowed.h"), "#define ALLOWED 41\n").expect("a file");
    let secret = root.path().join("secret.h");
    fs::write(&secret, format!("{SECRET}\n#define SECRET 1\n")).expect("a file");
    symlink(&secret, include.join("link.h")).expect("a link");
    Folders { include, secret, _root: root }
}

fn compiled(source: &str, include: &Path) -> Result<Compiled, CompileError> {
    let mut request = CompileRequest::new("kernel.cu", source);
    request.include_directories.push(include.to_owned());
    compile(&TOOLCHAIN, &request)
}

#[test]
fn the_compile_worker_includes_only_what_it_may() {
    if !sandboxed() {
        return;
    }
    let folders = folders();
    let secret = folders.secret.display().to_string();
    let allowed = "#include \"allowed.h\"\n__global__ void k(int *a) { a[0] = ALLOWED; }";
    let accepted = compiled(allowed, &folders.include).expect("an allowed include");
    assert!(accepted.sandbox.protects_files());

    for path in [
        &*secret,
        "link.h",
        "../secret.h",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/maps",
        "/proc/self/fd/0",
    ] {
        let source = format!("#include \"{path}\"\n__global__ void k(int *a) {{ a[0] = 1; }}");
        match compiled(&source, &folders.include) {
            Err(CompileError::Rejected { diagnostics, log }) => {
                assert!(
                    !log.contains(SECRET) && !log.contains("root:") && !log.contains("CUDA_GRADER"),
                    "{log}"
                );
                assert!(diagnostics[0].message.contains("open source file"), "{path}: {log}");
            }
            other => panic!("{path}: expected a refusal, got {other:?}"),
        }
    }
}

#[test]
fn the_compile_worker_cannot_even_tell_what_exists() {
    if !sandboxed() {
        return;
    }
    let folders = folders();
    let secret = folders.secret.display().to_string();
    for path in [&*secret, "link.h", "../secret.h", "/etc/passwd", "/proc/self/environ"] {
        let source = format!(
            "#if __has_include(\"{path}\")\n#error it told\n#endif\n__global__ void k(int *a) {{ a[0] = 1; }}"
        );
        if let Err(error) = compiled(&source, &folders.include) {
            panic!("{path}: {error}");
        }
    }
    let there = "#if !__has_include(\"allowed.h\")\n#error it did not\n#endif\n__global__ void k(int *a) { a[0] = 1; }";
    compiled(there, &folders.include).expect("an allowed header is seen");
}
