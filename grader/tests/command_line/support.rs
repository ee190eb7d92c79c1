//! A folder to run the real binary in, and what it gave.

use std::{
    env, fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A folder to work in.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What a call gave.
pub struct Given {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// What `init` says of a folder that has all stubs.
pub fn all_there() -> String {
    format!("{} there already", course::COURSE.len())
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn grader(&self, arguments: &[&str]) -> Given {
        self.grader_in("", arguments)
    }

    pub fn grader_in(&self, folder: &str, arguments: &[&str]) -> Given {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
        command.args(arguments).current_dir(self.path(folder));
        self.given(command)
    }

    /// Runs a command to its end, in a locale that has Unicode, and without the caller's wishes for colour.
    pub fn given(&self, mut command: Command) -> Given {
        // What a test asks for itself stays.
        let chosen = |asked: &str| command.get_envs().any(|(name, value)| name == asked && value.is_some());
        let (locale, cargo) = (chosen("LC_ALL"), chosen("CARGO"));
        if !cargo {
            // The test is cargo's, the program is not.
            command.env_remove("CARGO");
        }
        let Output { status, stdout, stderr } = command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .envs([("LC_ALL", "C.UTF-8")].into_iter().filter(|_| !locale))
            .output()
            .unwrap();
        // The folder's name is random; what is printed of it must not matter.
        let text = |bytes: Vec<u8>| {
            let folder = self.folder.path().to_str().unwrap();
            String::from_utf8(bytes).unwrap().replace(folder, "HERE")
        };
        Given { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
    }
}

impl Given {
    /// Exit code, standard output and standard error as one text.
    pub fn all(&self) -> String {
        format!("exit code {}\n--- standard output\n{}--- standard error\n{}", self.code, self.out, self.err)
    }
}

/// A program as one for whom permissions hold runs it: root without the right to pass over them.
pub fn unprivileged(program: &str) -> Command {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", program]);
    command
}

/// True where this user may have a disk of its own, in a name space.
pub fn has_disks() -> bool {
    let mut command = disk("mount -t tmpfs -o size=48k none /mnt");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let has = command.status().is_ok_and(|status| status.success());
    if !has {
        may_be_missing("a disk in a user name space (sysctl kernel.apparmor_restrict_unprivileged_userns=0)");
    }
    has
}

/// Fails on the machines of the project's own checks, which have all that a test needs: there no test passes because it
/// had nothing to do. Elsewhere it may be missing.
#[track_caller]
pub fn may_be_missing(what: &str) {
    assert!(env::var_os("GITHUB_ACTIONS").is_none(), "not here: {what}; .github/workflows/ci.yml sees to it");
}

/// A shell that may mount disks which nobody else sees.
pub fn disk(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command
}

/// A kernel of the course's own solutions, under the name `k.cu`.
pub fn take(place: &Place, kernel: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(kernel);
    place.write("k.cu", fs::read(path).unwrap());
}

/// The gradebook and the class report in a results folder.
pub fn results(place: &Place, folder: &str) -> (String, String) {
    let read = |name: &str| fs::read_to_string(place.path(folder).join(name)).unwrap();
    (read("gradebook.csv"), read("report.html"))
}

/// The store of results, for looking into it and for damaging it.
pub fn store(place: &Place, folder: &str) -> rusqlite::Connection {
    let path = place.path(folder).join("results.sqlite");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    rusqlite::Connection::open_with_flags(&path, flags).unwrap_or_else(|error| panic!("{folder}: {error}"))
}

/// What the audit log of results says, entry by entry.
pub fn log(place: &Place, folder: &str) -> Vec<serde_json::Value> {
    let store = store(place, folder);
    // A run that was killed at once has not begun any.
    let Ok(mut entries) = store.prepare("SELECT entry FROM log ORDER BY id") else { return Vec::new() };
    let texts = entries.query_map([], |row| row.get::<_, String>(0)).expect("entries");
    texts.map(|text| serde_json::from_str(&text.expect("text")).expect("JSON")).collect()
}

/// The reports that were judged, as they are in the log: student, exercise and status.
pub fn judged(place: &Place, folder: &str) -> Vec<(String, String, String)> {
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect("text").to_owned();
    let log = log(place, folder);
    let rows = log.iter().filter(|entry| entry["what"] == "row");
    rows.map(|entry| (text(entry, "student"), text(entry, "exercise"), text(entry, "status"))).collect()
}

/// What was printed without the audit log's head, which says when.
pub fn headless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("audit head ")).map(|line| format!("{line}\n")).collect()
}
