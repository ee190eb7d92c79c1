//! A program in a terminal of its own, for tests: keys go in, and what stands on its screen comes out.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longer than anything takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Stands on the screen while there is nothing to judge.
pub const WAITS: &str = "waits for a save";
pub const CTRL_C: &str = "\x03";

/// A program in a terminal.
pub struct Session {
    master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Session {
    /// The grader, in a folder and a terminal of the usual size.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::sized(folder, arguments, (80, 24))
    }

    /// The same, of so many columns and rows.
    pub fn sized(folder: &Path, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::with(folder, arguments, size, &[])
    }

    /// The same, with variables of its own.
    pub fn with(folder: &Path, arguments: &[&str], size: (u16, u16), variables: &[(&str, &Path)]) -> Self {
        let grader = env!("CARGO_BIN_EXE_grader");
        let mut command = CommandBuilder::new(grader);
        // Permissions must hold as they do for a learner.
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command = CommandBuilder::new("setpriv");
            command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", grader]);
        }
        command.args(arguments);
        Self::of(command, folder, size, variables)
    }

    /// A shell's script, in which `$GRADER` is the grader.
    pub fn of_script(folder: &Path, script: &str, size: (u16, u16)) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script]);
        command.env("GRADER", env!("CARGO_BIN_EXE_grader"));
        Self::of(command, folder, size, &[])
    }

    fn of(
        mut command: CommandBuilder,
        folder: &Path,
        (columns, rows): (u16, u16),
        variables: &[(&str, &Path)],
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        command.cwd(folder);
        // The test is cargo's, the program is not.
        command.env_remove("CARGO");
        command.env_remove("NO_COLOR");
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        variables.iter().for_each(|(name, value)| command.env(name, value));
        let child = pair.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let shown = screen.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut rest = Vec::new();
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                rest.extend_from_slice(&bytes[..count]);
                let whole = whole(&rest);
                shown.lock().unwrap().process(&rest[..whole]);
                rest.drain(..whole);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Session { master: pair.master, child, keys, screen }
    }

    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// The screen, once this stands on it.
    pub fn awaited(&self, text: &str) -> String {
        self.awaited_all(&[text])
    }

    /// The screen, once all of this stands on it.
    pub fn awaited_all(&self, texts: &[&str]) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if texts.iter().all(|text| screen.contains(text)) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "expected {texts:?}, found:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end: all that is on the screen, and of that the lines which were wider than the terminal, so that it broke
    /// them anywhere. The terminal must have rows for all of it.
    pub fn said(mut self) -> (String, Vec<String>) {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it goes on:\n{}", self.screen());
            thread::sleep(Duration::from_millis(5));
        }
        // Its last words may still be on their way.
        let mut before = String::new();
        loop {
            thread::sleep(Duration::from_millis(50));
            let now = self.screen();
            if now == before {
                break;
            }
            before = now;
        }
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        let (rows, columns) = screen.size();
        let mut wide: Vec<String> = Vec::new();
        let mut goes_on = false;
        for (row, text) in (0..rows).zip(screen.rows(0, columns)) {
            match (goes_on, screen.row_wrapped(row)) {
                (true, _) => wide.last_mut().unwrap().push_str(&text),
                (false, true) => wide.push(text),
                (false, false) => {}
            }
            goes_on = screen.row_wrapped(row);
        }
        (before, wide)
    }

    /// Waits for the end: the exit code, no worker left, and the terminal as it was.
    pub fn ended(self) {
        self.ended_with(0);
    }

    /// The same, with another exit code.
    pub fn ended_with(mut self, code: u32) {
        let judge = self.child.process_id().unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it goes on:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.exit_code(), code, "{status:?}");
        let ours = format!("CUDA_GRADER_WORKER={judge}");
        let workers = || -> Vec<PathBuf> {
            let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
            let is_ours = |process: &PathBuf| {
                let environment = fs::read(process.join("environ")).unwrap_or_default();
                environment.split(|byte| *byte == 0).any(|variable| variable == ours.as_bytes())
            };
            processes.filter(is_ours).collect()
        };
        // What is killed takes a moment to be gone.
        while let left = workers()
            && !left.is_empty()
        {
            assert!(begun.elapsed() < PATIENCE, "workers are left: {left:?}");
            thread::sleep(Duration::from_millis(10));
        }
        let flags = format!("{:?}", self.master.get_termios().expect("a terminal").local_flags);
        assert!(flags.contains("ECHO") && flags.contains("ICANON"), "the terminal is not as it was: {flags}");
        // Its last words may still be on their way.
        while self.screen.lock().unwrap().screen().hide_cursor() {
            assert!(begun.elapsed() < PATIENCE, "the cursor is hidden");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// How many of these bytes a terminal shows that knows synchronized updates: none of one that has not ended.
fn whole(bytes: &[u8]) -> usize {
    const BEGIN: &[u8] = b"\x1b[?2026h";
    const END: &[u8] = b"\x1b[?2026l";
    let last = |mark: &[u8]| bytes.windows(mark.len()).rposition(|part| part == mark);
    match (last(BEGIN), last(END)) {
        (Some(begun), Some(ended)) if begun < ended => bytes.len(),
        (Some(begun), _) => begun,
        // The mark itself may come in two parts.
        _ => (1..BEGIN.len())
            .rev()
            .find(|&part| bytes.ends_with(&BEGIN[..part]))
            .map_or(bytes.len(), |part| bytes.len() - part),
    }
}
