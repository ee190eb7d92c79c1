//! What `doctor` promises: where it says that the course works, the next check works, and where it doesn't, what it says to
//! paste can be pasted.

use std::{
    env, fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::support::{Given, Place};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");

/// A machine: what the commands are started with.
struct Machine {
    place: Place,
    variables: Vec<(&'static str, PathBuf)>,
    without: Vec<&'static str>,
    privileged: bool,
}

impl Machine {
    /// This one.
    fn empty() -> Self {
        Machine { place: Place::new(), variables: Vec::new(), without: Vec::new(), privileged: true }
    }

    /// This one, with a course folder.
    fn new() -> Self {
        let machine = Machine::empty();
        assert_eq!(machine.grader(&["init"]).code, 0);
        machine
    }

    /// The same for one for whom permissions hold, with a home elsewhere.
    fn unprivileged(mut self) -> (Self, Place) {
        let home = Place::new();
        self.privileged = false;
        self.variables.push(("HOME", home.path("")));
        // The compiler may be in the cache of the one who runs this.
        let cache = harness::toolchain::cache_folder().expect("a home");
        self.variables.push(("CUDA_GRADER_CACHE", cache));
        // Pasting needs a folder of its own, which is made while one may.
        self.paste("true");
        (self, home)
    }

    /// One without compiler; its `python3` does this, and there is none where nothing is given.
    fn bare(python: Option<&str>) -> Self {
        let mut machine = Machine::new();
        fs::create_dir(machine.place.path("bin")).unwrap();
        if let Some(script) = python {
            let file = machine.place.write("bin/python3", format!("#!/bin/sh\n{script}\n"));
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        machine.without = vec![
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "CUDA_GRADER_CACHE",
            "CUDA_HOME",
            "CUDA_PATH",
            "LD_LIBRARY_PATH",
        ];
        machine.set("PATH", "bin");
        machine.set("HOME", "home");
        machine.set("XDG_CACHE_HOME", "caches");
        machine
    }

    fn set(&mut self, name: &'static str, path: &str) {
        self.variables.push((name, self.place.path(path)));
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if !self.privileged && fs::metadata("/proc/self").unwrap().uid() == 0 {
            // Looked for in this test's own path.
            command = Command::new(
                ["/usr/bin/setpriv", "/bin/setpriv"]
                    .into_iter()
                    .find(|path| Path::new(path).exists())
                    .unwrap(),
            );
            command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]).arg(program);
        }
        command.current_dir(self.place.path("")).stdin(Stdio::null());
        for name in &self.without {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, path)| (name, path)));
        command
    }

    fn grader(&self, arguments: &[&str]) -> Given {
        let mut command = self.command(Path::new(GRADER));
        command.args(arguments);
        self.place.given(command)
    }

    /// What doctor says, once it is seen that the next check says the same: none where this machine has a toolkit that no
    /// variable hides.
    fn examined(&self) -> Value {
        let doctor = self.grader(&["doctor", "--format", "json"]);
        let said: Value =
            serde_json::from_str(&doctor.out).unwrap_or_else(|error| panic!("{error}: {}", doctor.all()));
        let check = self.grader(&["check", "03", "--device", "sim"]);
        // The stub fails; what the judge or the caller is to blame for is something else.
        let judged = check.code == 0 || check.code == 1;
        assert_eq!(said["works"], judged, "{said:#}\n{}", check.all());
        assert_eq!(doctor.code, if judged { 0 } else { 3 }, "{said:#}");
        let text = self.grader(&["doctor"]).out;
        let works = if judged { "The course works here" } else { "The course does not work here yet" };
        assert!(text.contains(works), "{text}");
        commands(&said).iter().for_each(|command| assert_pasteable(command, &text));
        said
    }

    /// Pastes a line into a shell that has `grader`.
    fn paste(&self, line: &str) {
        let bin = self.place.path("shell");
        let _ = fs::create_dir(&bin);
        let _ = std::os::unix::fs::symlink(GRADER, bin.join("grader"));
        let mut command = self.command(Path::new("/bin/sh"));
        let path = format!("{}:{}", bin.to_str().unwrap(), env::var("PATH").unwrap());
        command.args(["-c", line]).env("PATH", path);
        let given = self.place.given(command);
        assert_eq!(given.code, 0, "{line}: {}", given.all());
    }
}

/// A fact by its name.
fn fact<'a>(said: &'a Value, name: &str) -> &'a Value {
    let facts = said["facts"].as_array().unwrap();
    facts.iter().find(|fact| fact["name"] == name).unwrap_or_else(|| panic!("no {name}: {said:#}"))
}

/// All lines to paste.
fn commands(said: &Value) -> Vec<String> {
    said["facts"].as_array().unwrap().iter().flat_map(remedy).collect()
}

/// The lines to paste about one fact.
fn remedy(fact: &Value) -> Vec<String> {
    let lines =
        fact["remedies"].as_array().unwrap().iter().flat_map(|remedy| remedy["commands"].as_array().unwrap());
    lines.map(|line| line.as_str().unwrap().to_owned()).collect()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A line of a shell without a place to fill in, which the text has whole.
fn assert_pasteable(line: &str, text: &str) {
    let parsed = Command::new("sh").args(["-n", "-c", line]).output().unwrap();
    assert!(parsed.status.success(), "{line}");
    assert!(
        !line.contains(['<', '>', '…', '[', '\n']) && !line.contains("DIR") && !line.contains("WHEEL"),
        "{line}"
    );
    assert!(text.lines().any(|shown| shown.trim() == line), "{line} is not whole in\n{text}");
}

#[test]
fn where_all_is_well_it_says_so() {
    let machine = Machine::new();
    let said = machine.examined();
    assert_eq!(
        (&said["works"], &fact(&said, "course folder")["health"]),
        (&true.into(), &"good".into()),
        "{said:#}"
    );
}

#[test]
fn without_a_course_it_says_what_makes_one() {
    let mut machine = Machine::empty();
    let said = machine.examined();
    let course = fact(&said, "course folder");
    assert_eq!(course["health"], "broken", "{said:#}");
    assert_eq!(remedy(course), ["grader init course && cd course"]);
    // Where cargo has started it, and there is no checkout, its alias is of no use.
    machine.variables.push(("CARGO", "cargo".into()));
    let doctor = machine.grader(&["doctor", "--format", "json"]);
    let said: Value = serde_json::from_str(&doctor.out).unwrap();
    let by_path = remedy(fact(&said, "course folder"));
    let program = fs::canonicalize(GRADER).unwrap();
    assert!(by_path[0].contains(program.to_str().unwrap()), "{by_path:?}");
    machine.variables.pop();
    machine.paste(&by_path[0]);
    assert!(machine.place.path("course/03-reduction/kernel.cu").is_file());
    let inside = machine.place.grader_in("course", &["doctor"]);
    assert_eq!(inside.code, 0, "{}", inside.all());
}

#[test]
fn a_device_that_is_set_and_not_there_is_found() {
    let place = Place::new();
    assert_eq!(place.grader(&["init"]).code, 0);
    place.write("course.toml", "schema = 1\ndevice = \"gpu:99\"\n");
    let check = place.grader(&["check", "03"]);
    let doctor = place.grader(&["doctor"]);
    assert_eq!((check.code, doctor.code), (3, 3), "{}\n{}", check.all(), doctor.all());
    assert!(doctor.out.contains("course.toml sets a device"), "{}", doctor.all());
}

/// None where this machine has a compiler that no variable hides: a CUDA toolkit.
fn broken_compiler(machine: &Machine) -> Option<Value> {
    let said = machine.examined();
    let compiler = fact(&said, "compiler").clone();
    if compiler["found"].as_str().unwrap().contains("a CUDA toolkit") {
        return None;
    }
    assert_eq!(compiler["health"], "broken", "{said:#}");
    Some(compiler)
}

#[test]
fn without_compiler_python_or_network_it_does_not_work() {
    let pip_says = |words: &str| {
        format!(
            "case \"$*\" in *--version*) echo 'pip 24.0 from /x (python 3.12)';; *download*) echo \"{words}\" >&2; exit 1;; esac"
        )
    };
    let refused =
        "connection broken by 'ProxyError('Cannot connect to proxy.', NewConnectionError('refused'))'";
    let untrusted =
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate";
    for (python, found, remedy) in [
        (None, "there is no Python 3", "python3-pip"),
        (
            Some("echo 'No module named pip' >&2; exit 1".to_owned()),
            "`python3` has no pip",
            "python3 -m pip download",
        ),
        (Some(pip_says(refused)), "pip could not download it: ", "python3 -m pip config list"),
        (Some(pip_says(untrusted)), "CA certificates are missing", "ca-certificates"),
        (
            Some(pip_says("ERROR: No matching distribution found for x")),
            "pip found none for this machine",
            "--upgrade pip",
        ),
        (Some(pip_says("something new")), "pip failed", "compiler install --from wheels"),
    ] {
        let machine = Machine::bare(python.as_deref());
        let Some(compiler) = broken_compiler(&machine) else { continue };
        let text = compiler["found"].as_str().unwrap();
        assert!(text.contains(found), "{found}: {compiler:#}");
        let remedies = compiler["remedies"].to_string();
        assert!(remedies.contains(remedy), "{remedy}: {compiler:#}");
        // It kept nothing.
        let caches = machine.place.path("caches/cuda-grader");
        let kept = fs::read_dir(&caches).into_iter().flatten().filter_map(Result::ok);
        assert!(kept.map(|entry| entry.file_name()).all(|name| name == "install.lock"), "{caches:?}");
    }
}

#[test]
fn behind_a_proxy_that_does_not_answer_it_does_not_work() {
    // The real pip, of a Python that has no compiler in it.
    let mut machine = Machine::bare(None);
    let own = env::var_os("VIRTUAL_ENV").map(|folder| Path::new(&folder).join("bin"));
    let path = env::var_os("PATH").unwrap();
    let folders = env::split_paths(&path).filter(|folder| Some(folder) != own.as_ref());
    machine.variables.retain(|(name, _)| *name != "PATH");
    machine.variables.push(("PATH", env::join_paths(folders).unwrap().into()));
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "PIP_PROXY"] {
        machine.variables.push((name, "http://127.0.0.1:9".into()));
    }
    for name in ["NO_PROXY", "no_proxy"] {
        machine.variables.push((name, PathBuf::new()));
    }
    let said = machine.examined();
    let compiler = fact(&said, "compiler");
    if compiler["health"] == "broken" {
        assert!(compiler["found"].as_str().unwrap().starts_with("none here, and "), "{compiler:#}");
    }
}

#[test]
fn a_home_that_is_missing_or_read_only_is_named() {
    let mut machine = Machine::bare(Some("exit 1"));
    machine.variables.retain(|(name, _)| *name == "PATH");
    machine.without.extend(["HOME", "XDG_CACHE_HOME"]);
    let said = machine.examined();
    assert_eq!(fact(&said, "cache")["health"], "broken", "{said:#}");
    assert!(fact(&said, "compiler")["found"].as_str().unwrap().contains("HOME is not set"), "{said:#}");

    // A compiler that is there needs none.
    let mut machine = Machine::new();
    machine.without.extend(["HOME", "XDG_CACHE_HOME", "CUDA_GRADER_CACHE"]);
    let said = machine.examined();
    if said["works"] == true {
        assert_eq!(fact(&said, "cache")["health"], "absent", "{said:#}");
    }

    let mut machine = Machine::bare(Some("exit 1"));
    machine.privileged = false;
    let caches = machine.place.path("caches");
    fs::create_dir(&caches).unwrap();
    fs::set_permissions(&caches, fs::Permissions::from_mode(0o555)).unwrap();
    if let Some(compiler) = broken_compiler(&machine) {
        assert!(compiler["found"].as_str().unwrap().contains("cannot create"), "{compiler:#}");
    }
}

#[test]
fn a_folder_without_write_permission_is_named_and_mended() {
    let mut machine = Machine::new();
    machine.privileged = false;
    let folder = machine.place.path("");
    let read_only = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    // All stubs are there: it is judged, and only progress is lost.
    read_only(&folder);
    let said = machine.examined();
    let course = fact(&said, "course folder");
    assert!(course["health"] == "lacking" && course["found"].to_string().contains("progress"), "{said:#}");
    // A stub is missing, and can't be written.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let exercise = machine.place.path("03-reduction");
    fs::remove_file(exercise.join("kernel.cu")).unwrap();
    read_only(&exercise);
    let said = machine.examined();
    assert_eq!(fact(&said, "course folder")["health"], "broken", "{said:#}");
    machine.paste(&commands(&said)[0]);
    assert_eq!(machine.examined()["works"], true);
    // A kernel that can't be read.
    fs::set_permissions(exercise.join("kernel.cu"), fs::Permissions::from_mode(0o200)).unwrap();
    let said = machine.examined();
    assert_eq!(fact(&said, "course folder")["health"], "broken", "{said:#}");
    machine.paste(&commands(&said)[0]);
    assert_eq!(machine.examined()["works"], true);
}

/// What is said to work works at the next check, and each line that is said to mend it can be pasted.
#[test]
fn what_the_next_check_must_write_and_cannot_is_named_and_mended() {
    let without_record = |machine: &Machine| fs::remove_file(machine.place.path(".course.json")).unwrap();
    let with_an_old_stub = |machine: &Machine| {
        let old = "an earlier stub";
        machine.place.write("00-first-kernel/kernel.cu", old);
        let record = machine.place.path(".course.json");
        let mut known: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
        known["exercises"]["00-first-kernel"]["stub"] =
            blake3::hash(old.as_bytes()).to_hex().to_string().into();
        fs::write(record, known.to_string()).unwrap();
    };
    for change in [&without_record as &dyn Fn(&Machine), &with_an_old_stub] {
        let (machine, home) = Machine::new().unprivileged();
        change(&machine);
        let folders = [machine.place.path("00-first-kernel"), machine.place.path("")];
        folders.iter().for_each(|folder| set_mode(folder, 0o555));
        let said = machine.examined();
        let course = fact(&said, "course folder");
        assert_eq!(course["health"], "broken", "{said:#}");
        let lines = remedy(course);
        assert!(lines[0].starts_with("chmod ") && lines.len() > 1, "{lines:?}");
        lines.iter().for_each(|line| machine.paste(line));
        assert!(home.path("course/03-reduction/kernel.cu").is_file(), "{lines:?}");
        assert_eq!(machine.examined()["works"], true);
        folders.iter().for_each(|folder| set_mode(folder, 0o755));
    }
}

#[test]
fn in_a_checkout_no_course_is_offered_that_init_refuses() {
    let machine = Machine::empty();
    machine.place.write("grader/Cargo.toml", "");
    fs::create_dir_all(machine.place.path("exercises/x")).unwrap();
    let (machine, home) = machine.unprivileged();
    set_mode(&machine.place.path(""), 0o555);
    let said = machine.examined();
    let lines = remedy(fact(&said, "course folder"));
    assert_eq!(lines, ["chmod u+w .", "grader init ~/course && cd ~/course"], "{said:#}");
    lines.iter().for_each(|line| machine.paste(line));
    assert!(home.path("course/03-reduction/kernel.cu").is_file());
    assert_eq!(machine.examined()["works"], true);
}

#[test]
fn wheels_from_a_folder_that_is_not_there() {
    let machine = Machine::bare(None);
    for (from, said) in
        [("wheels", "there is no file or folder"), ("bin", "still needed: nvidia-cuda-nvrtc==13.0.88")]
    {
        let given = machine.grader(&["compiler", "install", "--from", from]);
        assert_eq!(given.code, 2, "{}", given.all());
        assert!(given.err.contains(said) && !given.err.contains("CUDA_GRADER_CACHE"), "{}", given.all());
    }
}

/// pip puts the compiler into the environment that it puts the program into; nobody need activate that.
#[test]
fn a_compiler_beside_the_program_is_found_without_any_variable() {
    let machine = Machine::bare(None);
    let place = &machine.place;
    let packages = "venv/lib/python3.12/site-packages";
    for file in [
        "nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA",
        "nvidia/cu13/lib/libnvrtc.so.13",
        "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
    ] {
        place.write(&format!("{packages}/{file}"), "");
    }
    fs::create_dir(place.path("venv/bin")).unwrap();
    let program = place.path("venv/bin/grader");
    fs::hard_link(GRADER, &program).or_else(|_| fs::copy(GRADER, &program).map(drop)).unwrap();
    let mut command = machine.command(&program);
    command.arg("doctor");
    let given = place.given(command);
    let words: Vec<&str> = given.out.split_whitespace().collect();
    assert!(words.join(" ").contains("from a Python environment: venv/lib/python3.12/"), "{}", given.all());
    // It is an empty file, so nothing works yet.
    assert_eq!(given.code, 3, "{}", given.all());
}

#[test]
fn every_shell_gets_its_completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let given = place.grader(&["completions", shell]);
        assert!(given.code == 0 && given.out.contains("explain"), "{}", given.all());
    }
}
