//! `grader watch` in a terminal: a pseudo-terminal of 80 by 24, and what stands on its screen.

use std::{
    fs,
    io::{Read, Write},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::support::Place;

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;
/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const CTRL_C: &str = "\x03";

/// A program in a terminal.
struct Session {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Session {
    fn watch(folder: &Path, arguments: &[&str]) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_grader"));
        command.args(arguments);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        let child = pair.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let shown = screen.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Session { master: pair.master, child, keys, screen }
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// The screen, once this stands on it.
    fn awaited(&self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "expected `{text}`, found:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end: the exit code, no worker left, and the terminal as it was.
    fn ended(mut self) {
        let judge = self.child.process_id().unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it goes on:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.exit_code(), 0);
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

fn solution(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(name).join("kernel.cu");
    fs::read_to_string(path).unwrap()
}

/// A course folder; the kernel of 03 in it.
fn course() -> (Place, PathBuf) {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "course"]).code, 0);
    let kernel = place.path("course/03-reduction/kernel.cu");
    (place, kernel)
}

/// As editors do.
fn save(kernel: &Path, text: &str) {
    let new = kernel.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(&new, kernel).unwrap();
}

#[test]
fn a_save_is_judged_and_keys_do_what_they_say() {
    let (place, kernel) = course();
    let mut session = Session::watch(&place.path("course"), &["watch", "03", "--device", "sim"]);
    let stub = session.awaited("not started");
    assert!(stub.contains("03-reduction") && stub.contains("next:") && stub.contains("quit"), "{stub}");
    session.press("h");
    session.awaited("Hint 1 of");
    // A race, whose finding is there with what is to be done, on one screen.
    let racy = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../solutions/03-reduction/wrong/missing-barrier-after-load.cu");
    save(&kernel, &fs::read_to_string(racy).unwrap());
    let screen = session.awaited("next:");
    assert!(screen.contains("03-reduction  Reduction") && screen.contains("error[race]"), "{screen}");
    session.press("e");
    session.awaited("Two threads touch the same bytes");
    session.press("s");
    session.awaited("you have not passed 03-reduction yet");
    save(&kernel, "#include \"course.cuh\"\nextern \"C\" __global__ void nothing() { x; }\n");
    session.awaited("undefined");
    // Workers that are ready judge as fresh ones do.
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("s");
    session.awaited("fmaxf(data[thread], data[thread + stride])");
    session.press("r");
    session.awaited("waits for a save");
    session.awaited("✓ passed 03-reduction");
    session.press("n");
    session.awaited("04-synchronization  ");
    session.press("q");
    session.ended();
    assert!(
        fs::read_to_string(place.path("course/.course.json")).unwrap().contains("\"passed\": [\n        {")
    );
}

#[test]
fn a_save_ends_the_check_of_what_it_replaces() {
    let (place, kernel) = course();
    // Endless; the second of its cases alone takes longer than the whole next check.
    let endless = solution("03-reduction").replace("#include \"course.cuh\"", "#include \"course.cuh\"\n__device__ int forever(int i) { while (true) { if (i == -7) { return i; } i |= 1; } }");
    save(&kernel, &endless.replace("__syncthreads();", "if (forever(1) == 0) { return; }"));
    let mut session = Session::watch(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("on sim");
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
}

#[test]
fn a_storm_of_saves_ends_with_the_last() {
    let (place, kernel) = course();
    let mut session = Session::watch(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("not started");
    let right = solution("03-reduction");
    for save_ in 0..100 {
        fs::write(&kernel, format!("// {save_}\nbroken")).unwrap();
        thread::sleep(Duration::from_millis(10));
    }
    fs::write(&kernel, right).unwrap();
    session.awaited("✓ passed 03-reduction");
    session.press(CTRL_C);
    session.ended();
}

#[test]
fn a_folder_that_is_deleted_is_awaited() {
    for poll in [&[][..], &["--poll"]] {
        let (place, kernel) = course();
        let arguments = [&["watch", "03", "--device", "sim"], poll].concat();
        let mut session = Session::watch(&place.path("course"), &arguments);
        session.awaited("not started");
        fs::remove_dir_all(kernel.parent().unwrap()).unwrap();
        let screen = session.awaited("is not there");
        assert_eq!(screen.contains("--poll"), !poll.is_empty(), "{screen}");
        fs::create_dir(kernel.parent().unwrap()).unwrap();
        fs::write(&kernel, solution("03-reduction")).unwrap();
        session.awaited("✓ passed 03-reduction");
        session.press("q");
        session.ended();
    }
}

#[test]
fn two_watch_the_same_folder() {
    let (place, kernel) = course();
    let watch = || Session::watch(&place.path("course"), &["watch", "03", "--device", "sim"]);
    let mut both = [watch(), watch()];
    both.iter().for_each(|session| drop(session.awaited("not started")));
    save(&kernel, &solution("03-reduction"));
    both.iter().for_each(|session| drop(session.awaited("✓ passed 03-reduction")));
    both.iter_mut().for_each(|session| session.press("q"));
    both.into_iter().for_each(Session::ended);
}

#[test]
fn an_end_amid_a_check_leaves_nothing_behind() {
    for signal in [None, Some(libc::SIGTERM), Some(libc::SIGINT)] {
        let (place, kernel) = course();
        save(&kernel, &solution("03-reduction"));
        let mut session = Session::watch(&place.path("course"), &["watch", "03", "--device", "sim"]);
        session.awaited("quit");
        match signal {
            None => session.press(CTRL_C),
            Some(signal) => {
                let process = session.child.process_id().unwrap().to_string();
                let sent = Command::new("kill").args([format!("-{signal}"), process]).status().unwrap();
                assert!(sent.success() && sent.signal().is_none());
            }
        }
        session.ended();
    }
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let (place, _) = course();
    let given = place.grader_in("course", &["watch"]);
    assert_eq!(given.code, 2);
    assert!(
        given.err.contains("needs a terminal") && given.err.contains("grader check NAME"),
        "{}",
        given.err
    );
    // Without a command it's the help, as ever.
    let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
    let given = place.given({
        command.current_dir(place.path("course")).stdin(Stdio::null());
        command
    });
    assert_eq!(given.code, 2);
    assert!(given.out.contains("Usage:"), "{}", given.all());
}

#[test]
fn without_a_command_a_course_folder_is_watched() {
    let (place, _) = course();
    let mut session = Session::watch(&place.path("course"), &[]);
    session.awaited("00-first-kernel");
    session.press("q");
    session.ended();
}

/// Read aloud, what is new comes below what was said, and the keys are told in words.
#[test]
fn for_screen_readers_nothing_is_painted_over() {
    let (place, kernel) = course();
    let mut session = Session::watch(&place.path("course"), &["--plain", "watch", "03", "--device", "sim"]);
    let stub = session.awaited("not started: this is the stub");
    assert!(stub.contains("keys: n next, h hint"), "{stub}");
    save(&kernel, "extern \"C\" __global__ void reduce_max(float* p) { *p = missing; }\n");
    let screen = session.awaited("failed 03-reduction");
    // The next report stands below: the screen has scrolled, and was not cleared.
    assert!(screen.contains("not started: this is the stub"), "{screen}");
    assert!(!screen.contains(['✓', '✗', '○', '…']), "{screen}");
    session.press("q");
    session.ended();
}
