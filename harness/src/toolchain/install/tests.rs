//! Installing with tiny wheels and a stand-in for Python, so that every way of failing can be had at will.

use std::{
    env,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use crate::toolchain::packages::Wheel;

/// A cache, four wheels, and a Python whose `-m pip download` copies them.
struct World {
    root: TempDir,
    packages: Vec<Package>,
}

const RELEASE: Release = Release::Cuda13;

/// What the four wheels of the compiler contain, as far as anyone looks.
const CONTENTS: [(&str, &[&str]); 4] = [
    ("nvidia-cuda-nvrtc", &["lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0", "lib/libnvrtc.alt.so.13"]),
    ("nvidia-cuda-runtime", &["include/cooperative_groups.h", "lib/libcudart.so.13"]),
    ("nvidia-cuda-cccl", &["include/cccl/cuda/std/cstdint"]),
    ("nvidia-cuda-crt", &["include/crt/mma.h"]),
];

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("registry")).expect("a folder");
        World::over(root, None)
    }

    /// A world in a folder; the wheels are made there unless another process has made them.
    fn over(root: TempDir, made: Option<()>) -> Self {
        let packages = CONTENTS
            .iter()
            .map(|(name, files)| {
                let path = root.path().join("registry").join(format!("{name}.whl"));
                if made.is_none() {
                    write_wheel(&path, name, files);
                }
                let bytes = fs::read(&path).expect("a wheel");
                let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                let hash: &'static str = hash.leak();
                let wheel = || Wheel { sha256: hash, bytes: bytes.len() as u64 };
                Package { name, version: "1", x86_64: wheel(), aarch64: wheel() }
            })
            .collect();
        World { root, packages }
    }

    fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    fn registry(&self) -> PathBuf {
        self.root.path().join("registry")
    }

    fn wheel(&self, name: &str) -> PathBuf {
        self.registry().join(format!("{name}.whl"))
    }

    /// A stand-in for `python3` that runs a shell script; `$dest` is where pip is to put the wheels.
    fn python(&self, name: &str, script: &str) -> PathBuf {
        let path = self.root.path().join(name);
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = try ] && exit\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=$2; shift; done\n\
             registry='{}'\nlog='{}'\n{script}\n",
            self.registry().display(),
            self.root.path().join("log").display()
        );
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        // A process that another test started just now may still hold the file open for writing.
        while Command::new(&path).arg("try").status().is_err() {
            thread::sleep(Duration::from_millis(5));
        }
        path
    }

    fn install(&self, script: &str) -> Result<Toolchain, ToolchainError> {
        let pythons = vec![self.python("python3", script)];
        Installer { cache: &self.cache(), release: RELEASE, packages: &self.packages, pythons }
            .fetch(InstallProgress::Silent)
    }

    fn renew(&self, script: &str) -> Result<Toolchain, ToolchainError> {
        let pythons = vec![self.python("python3", script)];
        Installer { cache: &self.cache(), release: RELEASE, packages: &self.packages, pythons }
            .renew(InstallProgress::Silent)
    }

    /// Names in the cache, sorted.
    fn cached(&self) -> Vec<String> {
        let entries = fs::read_dir(self.cache()).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn complete(&self) -> Vec<String> {
        let folder = cache::folder(&self.cache(), RELEASE);
        vec!["install.lock".to_owned(), folder.file_name().expect("a name").to_string_lossy().into_owned()]
    }
}

fn write_wheel(path: &Path, name: &str, files: &[&str]) {
    let mut archive = zip::ZipWriter::new(File::create(path).expect("a file"));
    let options = zip::write::SimpleFileOptions::default();
    for file in files {
        archive.start_file(format!("nvidia/cu13/{file}"), options).expect("an entry");
        archive.write_all(format!("{name}: {file}").as_bytes()).expect("contents");
    }
    archive.start_file("../../outside", options).expect("an entry");
    archive.finish().expect("an archive");
}

const COPY: &str = "cp \"$registry\"/*.whl \"$dest\"; echo run >> \"$log\"";

#[test]
fn an_installation_contains_what_compiling_needs_and_nothing_else() {
    let world = World::new();
    let toolchain = world.install(COPY).expect("an installation");
    assert!(toolchain.is_pinned());
    assert_eq!(world.cached(), world.complete());
    let folder = cache::folder(&world.cache(), RELEASE);
    assert_eq!(toolchain.library, folder.join("lib/libnvrtc.so.13").canonicalize().expect("it is there"));
    assert!(!folder.join("lib/libnvrtc.alt.so.13").exists());
    assert!(!folder.join("lib/libcudart.so.13").exists());
    // The second time nothing is run.
    world.install("exit 1").expect("it is installed");
}

#[test]
fn a_damaged_installation_is_made_again() {
    let world = World::new();
    let toolchain = world.install(COPY).expect("an installation");
    fs::write(&toolchain.library, "short").expect("it is ours");
    assert!(cache::installed(&world.cache(), RELEASE).is_none());
    assert_eq!(world.install(COPY).expect("an installation"), toolchain);
    assert_eq!(world.cached(), world.complete());
}

#[test]
fn missing_headers_are_fetched() {
    let world = World::new();
    world.install(COPY).expect("an installation");
    let header = cache::folder(&world.cache(), RELEASE).join("include/cooperative_groups.h");
    fs::remove_file(&header).expect("it is there");
    assert!(world.install(COPY).expect("an installation").is_pinned());
    assert!(header.exists());
}

#[test]
fn damage_that_no_size_shows_is_mended_on_demand() {
    let world = World::new();
    let toolchain = world.install(COPY).expect("an installation");
    // Whole as it is, nothing is run.
    assert_eq!(world.renew("exit 1").expect("it is whole"), toolchain);
    let good = fs::read(&toolchain.library).expect("it is there");
    let mut bad = good.clone();
    bad[3] ^= 1;
    fs::write(&toolchain.library, &bad).expect("it is ours");
    world.install("exit 1").expect("the sizes are right");
    world.renew("exit 1").expect_err("the contents are not");
    assert_eq!(world.renew(COPY).expect("an installation"), toolchain);
    assert_eq!(fs::read(&toolchain.library).expect("it is there"), good);
    // One that an earlier version unpacked kept no hash to compare with.
    let manifest = cache::folder(&world.cache(), RELEASE).join(MANIFEST);
    let mut old: serde_json::Value =
        serde_json::from_slice(&fs::read(&manifest).expect("it is there")).expect("JSON");
    old.as_object_mut().expect("an object").remove("contents");
    fs::write(&manifest, old.to_string()).expect("it is ours");
    assert!(cache::installed(&world.cache(), RELEASE).is_some());
    world.renew("exit 1").expect_err("nobody knows");
}

#[test]
fn a_wrong_wheel_is_refused_whoever_brings_it() {
    let world = World::new();
    let spoilt = "cp \"$registry\"/*.whl \"$dest\"; echo more >> \"$dest\"/nvidia-cuda-crt.whl";
    let error = world.install(spoilt).expect_err("a wrong hash");
    assert!(matches!(error, ToolchainError::WrongWheel { .. }), "{error}");
    assert!(error.to_string().contains("nvidia-cuda-crt.whl: its SHA-256 is"), "{error}");
    assert_eq!(world.cached(), ["install.lock"]);

    let said = "echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' >&2\n\
                echo '        Expected sha256 aa' >&2; echo '             Got        bb' >&2; exit 1";
    let error = world.install(said).expect_err("a wrong hash");
    assert!(error.to_string().contains("(Expected sha256 aa, Got bb)"), "{error}");
}

#[test]
fn wheels_on_this_machine_install_without_python() {
    let world = World::new();
    let cache = world.cache();
    let installer =
        Installer { cache: &cache, release: RELEASE, packages: &world.packages, pythons: Vec::new() };
    let some = [world.wheel("nvidia-cuda-nvrtc"), world.wheel("nvidia-cuda-crt")];
    let error = installer.unpack(&some).expect_err("two are missing");
    assert!(
        error.to_string().starts_with("still needed: nvidia-cuda-runtime==1, nvidia-cuda-cccl==1. "),
        "{error}"
    );
    let other = world.root.path().join("other.whl");
    fs::write(&other, "no wheel").expect("a file");
    let error = installer.unpack(&[other]).expect_err("not a wheel of ours");
    assert!(matches!(error, ToolchainError::WrongWheel { .. }), "{error}");
    assert!(installer.unpack(&[world.registry()]).expect("an installation").is_pinned());
    assert_eq!(world.cached(), world.complete());
}

#[test]
fn what_stops_pip_is_said_with_the_next_step() {
    let world = World::new();
    let cases = [
        ("echo \"$0: No module named pip\" >&2; exit 1", "fetching the compiler needs pip, and `"),
        (
            "echo 'WARNING: Retrying after connection broken by NewConnectionError: Failed to establish a new \
             connection: [Errno -2] Name or service not known' >&2\n\
             echo 'ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88' >&2; exit 1",
            "pip could not download the compiler: ",
        ),
        (
            "echo 'ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88' >&2; exit 1",
            "pip found no wheel of the compiler for this machine: ",
        ),
        (
            "echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1",
            "cannot download into ",
        ),
        (
            "echo 'WARNING: Retrying after connection broken by SSLError(SSLCertVerificationError(1, \'[SSL: \
             CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate\')): Max \
             retries exceeded' >&2\n\
             echo 'ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88' >&2; exit 1",
            "pip could not download the compiler, because it can't tell who answers: CERTIFICATE_VERIFY_FAILED",
        ),
        (
            "echo 'ERROR: Could not install packages due to an OSError: Could not find a suitable TLS CA certificate \
             bundle, invalid path: /etc/ssl/certs/ca-certificates.crt' >&2; exit 1",
            "pip could not download the compiler, because it can't tell who answers: Could not find a suitable TLS CA",
        ),
        ("echo 'something else' >&2; exit 3", "pip failed (exit status: 3):\nsomething else\n"),
        (
            "kill -9 $$",
            "pip failed (signal: 9 (SIGKILL)):\nsomething ended it from outside: run this again\n",
        ),
    ];
    for (script, start) in cases {
        let text = world.install(script).expect_err("it fails").to_string();
        assert!(text.starts_with(start), "{text}");
        let next_steps = ["grader compiler install --from wheels", "CUDA_GRADER_CACHE"];
        assert!(next_steps.iter().any(|step| text.contains(step)), "{text}");
        assert_eq!(world.cached(), ["install.lock"]);
    }
    let pythons = vec![world.root.path().join("no-python")];
    let installer = Installer { cache: &world.cache(), release: RELEASE, packages: &world.packages, pythons };
    let text = installer.fetch(InstallProgress::Silent).expect_err("no Python").to_string();
    assert!(text.starts_with("fetching the compiler needs Python 3 with pip"), "{text}");
}

#[test]
fn a_rehearsal_fetches_the_smallest_wheel_and_keeps_nothing() {
    let world = World::new();
    let rehearse = |script: &str| {
        let pythons = vec![world.python("python3", script)];
        let packages = &world.packages;
        Installer { cache: &world.cache(), release: RELEASE, packages, pythons }.rehearse()
    };
    let smallest = world.packages.iter().min_by_key(|package| package.wheel().expect("a wheel").bytes);
    let name = smallest.expect("a package").name;
    // Nothing else is asked for.
    let one = format!("cp \"$registry/{name}.whl\" \"$dest\"; echo x >> \"$log\"");
    rehearse(&one).expect("it can be fetched");
    assert_eq!(world.cached(), ["install.lock"]);
    assert_eq!(fs::read_to_string(world.root.path().join("log")).expect("it ran"), "x\n");
    let error = rehearse("echo 'ProxyError' >&2; exit 1").expect_err("no network");
    assert!(matches!(error, ToolchainError::Network { .. }), "{error}");
    let error = rehearse(&format!("echo damaged > \"$dest/{name}.whl\"")).expect_err("another wheel");
    assert!(matches!(error, ToolchainError::WrongWheel { .. }), "{error}");
    assert_eq!(world.cached(), ["install.lock"]);
}

#[test]
fn a_rehearsal_does_not_wait_for_ever_for_another_installation() {
    let world = World::new();
    let smallest = world.packages.iter().min_by_key(|package| package.wheel().expect("a wheel").bytes);
    let name = smallest.expect("a package").name;
    let pythons = vec![world.python("python3", &format!("cp \"$registry/{name}.whl\" \"$dest\""))];
    let cache = world.cache();
    let installer = Installer { cache: &cache, release: RELEASE, packages: &world.packages, pythons };
    let held = installer.lock(InstallProgress::Silent).expect("the lock is free");
    let begun = Instant::now();
    let error = installer.rehearse_within(Duration::from_millis(300)).expect_err("another installs");
    assert!(matches!(error, ToolchainError::Busy { .. }), "{error}");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(error.to_string().contains("Wait until it ends"), "{error}");
    // Once the other has ended, it goes on.
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        installer.rehearse_within(Duration::from_secs(60)).expect("it can be fetched");
    });
}

#[test]
fn wheels_that_are_not_there_are_named() {
    let world = World::new();
    let (cache, nowhere) = (world.cache(), world.root.path().join("nowhere"));
    let installer =
        Installer { cache: &cache, release: RELEASE, packages: &world.packages, pythons: Vec::new() };
    let error = installer.unpack(&[nowhere]).expect_err("nothing there");
    assert!(error.to_string().starts_with("there is no file or folder /"), "{error}");
}

#[test]
fn a_python_without_pip_is_passed_over() {
    let world = World::new();
    let pythons = vec![
        world.root.path().join("absent"),
        world.python("bare", "echo 'No module named pip' >&2; exit 1"),
        world.python("good", COPY),
    ];
    let installer = Installer { cache: &world.cache(), release: RELEASE, packages: &world.packages, pythons };
    assert!(installer.fetch(InstallProgress::Silent).expect("an installation").is_pinned());
}

#[test]
fn a_cache_that_cannot_be_written_says_what_to_do() {
    let world = World::new();
    fs::write(world.cache(), "a file in its place").expect("a file");
    let text = world.install(COPY).expect_err("no folder").to_string();
    assert!(text.contains("set CUDA_GRADER_CACHE to a folder that is"), "{text}");
}

const ROOT: &str = "INSTALL_TEST_ROOT";
const SCRIPT: &str = "INSTALL_TEST_SCRIPT";

/// Not a test of its own: the tests below run it as another process.
#[test]
#[ignore = "a helper"]
fn installing_process() {
    let root = PathBuf::from(env::var_os(ROOT).expect("it is set"));
    // The folder belongs to the test that started this process.
    let scratch = tempfile::tempdir_in(&root).expect("a folder");
    std::os::unix::fs::symlink(root.join("registry"), scratch.path().join("registry")).expect("a link");
    let world = World::over(scratch, Some(()));
    let script =
        env::var(SCRIPT).expect("it is set").replace("$log", &root.join("log").display().to_string());
    let pythons = vec![world.python("python3", &script)];
    let cache = root.join("cache");
    let installer = Installer { cache: &cache, release: RELEASE, packages: &world.packages, pythons };
    assert!(installer.fetch(InstallProgress::Silent).expect("an installation").is_pinned());
}

fn start(world: &World, script: &str) -> Child {
    Command::new(env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "toolchain::install::tests::installing_process"])
        .env(ROOT, world.root.path())
        .env(SCRIPT, script)
        .stdout(Stdio::null())
        .spawn()
        .expect("a process")
}

#[test]
fn two_processes_at_once_download_once() {
    let world = World::new();
    let slow = format!("sleep 0.5; {COPY}");
    let processes = [start(&world, &slow), start(&world, &slow)];
    for mut process in processes {
        assert!(process.wait().expect("it ends").success());
    }
    assert_eq!(fs::read_to_string(world.root.path().join("log")).expect("a log"), "run\n");
    assert_eq!(world.cached(), world.complete());
}

#[test]
fn an_interrupted_installation_leaves_nothing_that_counts_and_the_next_one_works() {
    let world = World::new();
    // Killed with half of the wheels there.
    let half = "cp \"$registry\"/nvidia-cuda-nvrtc.whl \"$dest\"; echo half >> \"$log\"; exec sleep 5";
    let mut process = start(&world, half);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !world.root.path().join("log").exists() {
        assert!(Instant::now() < deadline, "it never got that far");
        thread::sleep(Duration::from_millis(10));
    }
    process.kill().expect("it runs");
    process.wait().expect("it was ours");
    assert!(cache::installed(&world.cache(), RELEASE).is_none());
    assert!(world.cached().iter().any(|name| name.starts_with(STAGING)));

    world.install(COPY).expect("an installation");
    assert_eq!(world.cached(), world.complete());
}
