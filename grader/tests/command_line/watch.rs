//! `grader watch` in a terminal: a pseudo-terminal of 80 by 24, and what stands on its screen.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    faults::driver,
    interrupted::INTERRUPTED,
    support::Place,
    terminal::{CTRL_C, PATIENCE, Session, WAITS},
};

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

/// Calls the program as the screen says between backquotes, word for word.
fn as_told(place: &Place, folder: &str, screen: &str) {
    let command = screen.split('`').nth(1).unwrap_or_else(|| panic!("no command on {screen}"));
    let arguments = command.strip_prefix("grader ").unwrap_or_else(|| panic!("another program on {screen}"));
    let given = place.grader_in(folder, &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(given.code, 0, "{command}: {}", given.all());
}

/// A kernel whose first case shows what is wrong at once; another case takes the judge a second or so.
fn wrong_and_slow() -> String {
    let load = "data[thread] = i < n ? in[i] : -INFINITY;";
    let right = solution("03-reduction");
    assert!(right.contains(load), "{right}");
    // Full blocks: before the second launch nothing is read out of bounds.
    let slow = "if (n == 4096 && i == 0) {
        float x = in[0];
        for (int turn = 0; turn < 250000; ++turn) { x = x * 0.5f + 1.0f; }
        if (x == -1.0f) { return; }
    }";
    right.replace(load, &format!("{slow}\n    data[thread] = in[i];"))
}

#[test]
fn a_save_is_judged_and_keys_do_what_they_say() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
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
    session.awaited("space shows them");
    session.press("     ");
    session.awaited("fmaxf(data[thread], data[thread + stride])");
    session.press("r");
    session.awaited("waits for a save");
    session.awaited("✓ passed 03-reduction");
    session.press("p");
    session.awaited("profile of case");
    session.press("n");
    session.awaited("04-synchronization  ");
    session.press("q");
    session.ended();
    assert!(
        fs::read_to_string(place.path("course/.course.json")).unwrap().contains("\"passed\": [\n        {")
    );
}

/// The case that failed last runs first, and the others are told as they end.
#[test]
fn the_case_that_failed_last_is_first_and_the_rest_streams_in() {
    let (place, kernel) = course();
    let right = solution("03-reduction");
    let load = "data[thread] = i < n ? in[i] : -INFINITY;";
    assert!(right.contains(load), "{right}");
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited_all(&["not started", WAITS]);
    // Nothing but the case of 4096 elements shows it.
    save(&kernel, &right.replace(load, "data[thread] = i < n && n != 4096 ? in[i] : -INFINITY;"));
    session.awaited_all(&["case 6: n = 4096, full blocks", "✗ failed 03-reduction", WAITS]);
    // Right, and a second long busy with another case.
    let slow = "if (n == 1000 && i == 0) {
        float x = 1.0f;
        for (int turn = 0; turn < 250000; ++turn) { x = x * 0.5f + 1.0f; }
        if (x == -1.0f) { return; }
    }";
    save(&kernel, &right.replace(load, &format!("{slow}\n    {load}")));
    session.awaited("✓ case 6: n = 4096, full blocks");
    session.awaited_all(&["✓ case 6:", " cases judged, nothing is wrong so far"]);
    session.awaited_all(&["✓ passed 03-reduction", WAITS]);
    session.press("q");
    session.ended();
}

/// Whatever becomes known meanwhile, what a key asked for stays until the next save.
#[test]
fn keys_are_answered_while_a_check_runs() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("not started");
    save(&kernel, &wrong_and_slow());
    session.awaited("error[out_of_bounds]");
    session.press("e");
    session.awaited("An access lies outside every allocation");
    session.press("h");
    session.awaited("Hint 1 of");
    let screen = session.awaited("Enter: the report");
    assert!(screen.contains("Hint 1 of"), "{screen}");
    session.press("\r");
    session.awaited_all(&["✗ failed 03-reduction", WAITS]);
    session.press("h");
    session.awaited("Hint ");
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
}

#[test]
fn in_its_folder_an_exercise_needs_no_name() {
    let (place, _) = course();
    let folder = place.path("course/05-bank-conflicts");
    let mut session = Session::start(&folder, &["watch", "--device", "sim"]);
    session.awaited_all(&["05-bank-conflicts  ", "not started"]);
    session.press("q");
    session.ended();
}

#[test]
fn a_save_ends_the_check_of_what_it_replaces() {
    let (place, kernel) = course();
    // Endless; the second of its cases alone takes longer than the whole next check.
    let endless = solution("03-reduction").replace("#include \"course.cuh\"", "#include \"course.cuh\"\n__device__ int forever(int i) { while (true) { if (i == -7) { return i; } i |= 1; } }");
    save(&kernel, &endless.replace("__syncthreads();", "if (forever(1) == 0) { return; }"));
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("on sim");
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
}

#[test]
fn a_storm_of_saves_ends_with_the_last() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
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
        let mut session = Session::start(&place.path("course"), &arguments);
        let awaited = |session: &Session, text: &str| {
            let screen = session.awaited(text);
            let announced = screen.contains("looks for saves five times a second: asked for by --poll");
            assert_eq!(announced, !poll.is_empty(), "{screen}");
            assert!(screen.lines().last().unwrap().contains(" quit "), "{screen}");
        };
        awaited(&session, "not started");
        fs::remove_dir_all(kernel.parent().unwrap()).unwrap();
        awaited(&session, "is not there");
        // It is read while nothing is judged, too.
        session.press("h");
        awaited(&session, "Hint 1 of");
        thread::sleep(Duration::from_secs(1));
        assert!(session.screen().contains("Hint 1 of"), "{}", session.screen());
        session.press("\r");
        awaited(&session, "is not there");
        as_told(&place, "course", &session.screen());
        awaited(&session, "not started");
        fs::remove_dir_all(kernel.parent().unwrap()).unwrap();
        awaited(&session, "is not there");
        fs::create_dir(kernel.parent().unwrap()).unwrap();
        fs::write(&kernel, solution("03-reduction")).unwrap();
        awaited(&session, "✓ passed 03-reduction");
        session.press("s");
        awaited(&session, "space shows them");
        session.press("q");
        session.ended();
    }
}

#[test]
fn two_watch_the_same_folder() {
    let (place, kernel) = course();
    let watch = || Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    let mut both = [watch(), watch()];
    both.iter().for_each(|session| drop(session.awaited("not started")));
    save(&kernel, &solution("03-reduction"));
    both.iter().for_each(|session| drop(session.awaited("✓ passed 03-reduction")));
    both.iter_mut().for_each(|session| session.press("q"));
    both.into_iter().for_each(Session::ended);
    // Each has kept its verdicts, and neither lost the other's.
    let kept = fs::read_to_string(place.path("course/.course.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    let checks = &kept["exercises"]["03-reduction"]["checks"];
    assert_eq!(checks, 4, "{kept:#}");
}

#[test]
fn a_course_folder_that_is_deleted_whole_is_awaited() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("not started");
    fs::remove_dir_all(place.path("course")).unwrap();
    let screen = session.awaited_all(&["is not there", "`grader init /"]);
    as_told(&place, "", &screen);
    session.awaited("not started");
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
}

#[test]
fn what_is_no_kernel_is_refused_in_words() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
    session.awaited("not started");
    save(&kernel, "");
    session.awaited("is empty; write the kernel there");
    fs::write(&kernel, b"// \xe9\n").unwrap();
    session.awaited("is not UTF-8 text");
    let line = "// a log file that was saved under the wrong name\n";
    fs::write(&kernel, line.repeat((100 << 20) / line.len())).unwrap();
    let screen = session.awaited("is more than 1 MiB; a kernel is a page or two of text");
    assert!(screen.contains("03-reduction/kernel.cu"), "{screen}");
    save(&kernel, &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
}

#[test]
fn a_folder_whose_name_is_no_text_is_watched() {
    let place = Place::new();
    let folder = place.path("").join(OsStr::from_bytes(b"cours d'\xe9t\xe9"));
    fs::create_dir(&folder).unwrap();
    let mut init = Command::new(env!("CARGO_BIN_EXE_grader"));
    init.arg("init").current_dir(&folder);
    assert_eq!(place.given(init).code, 0);
    let mut session = Session::start(&folder, &["watch", "03", "--device", "sim"]);
    session.awaited("not started");
    save(&folder.join("03-reduction/kernel.cu"), &solution("03-reduction"));
    session.awaited("✓ passed 03-reduction");
    session.press("q");
    session.ended();
    assert!(fs::read_to_string(folder.join(".course.json")).unwrap().contains("\"passed\": [\n        {"));
}

/// The verdict is there all the same, and what could not be kept is said below it.
#[test]
fn a_folder_that_may_not_be_written_is_watched() {
    let (place, kernel) = course();
    fs::write(&kernel, solution("03-reduction")).unwrap();
    let folder = place.path("course");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let mut session = Session::start(&folder, &["watch", "03", "--device", "sim"]);
    let screen = session.awaited("your progress could not be kept");
    assert!(screen.contains("✓ passed 03-reduction"), "{screen}");
    session.press("q");
    session.ended();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn ctrl_c_ends_it_at_any_moment() {
    let course_here = || {
        let (place, kernel) = course();
        let session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
        (place, kernel, session)
    };
    // While the compiler works: more of this source would take it minutes.
    let endless = "template <int N, int M> struct F { static constexpr int value = \
                   F<N - 1, 2 * M>::value + F<N - 1, 2 * M + 1>::value; };\n\
                   template <int M> struct F<0, M> { static constexpr int value = M; };\n\
                   extern \"C\" __global__ void reduce_max(const float *in, float *out, int n) \
                   { out[0] = F<17, 1>::value; }\n";
    // While a case runs: rounds of which no two are the same, so that the judge goes on to the end of its budget.
    let waiting = solution("03-reduction").replace(
        "__syncthreads();",
        "for (unsigned turn = 0; turn < 4000000000u; ++turn) { atomicAdd(&out[0], 1.0f); }",
    );
    for (text, moment) in [(endless.to_owned(), "compiling"), (waiting, "cases on sim")] {
        let (_place, kernel, mut session) = course_here();
        session.awaited("not started");
        save(&kernel, &text);
        session.awaited(moment);
        session.press(CTRL_C);
        session.ended();
    }
    // And whatever it does so and so many milliseconds after a save.
    for pause in [0, 5, 20, 40, 80, 160, 320] {
        let (_place, kernel, mut session) = course_here();
        session.awaited("not started");
        save(&kernel, &solution("03-reduction"));
        thread::sleep(Duration::from_millis(pause));
        session.press(CTRL_C);
        session.ended();
    }
}

#[test]
fn an_end_amid_a_check_leaves_nothing_behind() {
    for signal in [None, Some(libc::SIGTERM), Some(libc::SIGINT), Some(libc::SIGHUP)] {
        let (place, kernel) = course();
        save(&kernel, &solution("03-reduction"));
        let mut session = Session::start(&place.path("course"), &["watch", "03", "--device", "sim"]);
        session.awaited("quit");
        match signal {
            None => {
                session.press(CTRL_C);
                session.ended();
            }
            Some(signal) => {
                let process = session.child.process_id().unwrap().to_string();
                let sent = Command::new("kill").args([format!("-{signal}"), process]).status().unwrap();
                assert!(sent.success() && sent.signal().is_none());
                session.awaited_all(&["error: interrupted", "`grader watch 03 --device sim` begins again"]);
                session.ended_with(INTERRUPTED as u32);
            }
        }
    }
}

/// The verdict stays on the screen, whatever there is to show; a picture that would push it out is asked for.
#[test]
fn a_picture_leaves_room_for_the_verdict() {
    let (place, kernel) = course();
    let kernel = kernel.parent().unwrap().with_file_name("05-bank-conflicts").join("kernel.cu");
    save(&kernel, &solution("05-bank-conflicts"));
    let arguments = ["watch", "05", "--device", "sim"];
    let mut small = Session::start(&place.path("course"), &arguments);
    let screen = small.awaited_all(&["✓ passed 05-bank-conflicts", WAITS]);
    assert!(screen.contains("too large for this screen: v shows all"), "{screen}");
    small.press("v");
    small.awaited("Bank conflicts of data[lane * stride]");
    small.press("q");
    small.ended();
    let mut large = Session::sized(&place.path("course"), &arguments, (120, 50));
    let screen = large.awaited_all(&["✓ passed 05-bank-conflicts", WAITS]);
    assert!(screen.contains("Bank conflicts of data[lane * stride]"), "{screen}");
    large.press("q");
    large.ended();
}

/// On a stand-in for a GPU, which does no work and can be started three times: by the look at the machine, by the first
/// check, and by the worker that is made ready after it. So the second check is judged by that one, or not at all.
#[test]
fn on_a_gpu_the_next_context_is_ready_before_it_is_needed() {
    let (place, kernel) = course();
    let folder = driver(&place, &["-DGONE_AFTER=3"]);
    let starts = || fs::metadata(folder.join("libcuda.so.starts")).map_or(0, |starts| starts.len());
    let variables = [("LD_LIBRARY_PATH", &*folder)];
    let arguments = ["watch", "03", "--device", "gpu"];
    let mut session = Session::with(&place.path("course"), &arguments, (80, 24), &variables);
    session.awaited_all(&["not started", WAITS]);
    let begun = Instant::now();
    while starts() < 3 {
        assert!(begun.elapsed() < PATIENCE, "it was started {} times", starts());
        thread::sleep(Duration::from_millis(10));
    }
    let on_gpu = "on gpu:0";
    save(&kernel, &solution("03-reduction"));
    let screen = session.awaited_all(&["✗ failed 03-reduction", WAITS]);
    assert!(screen.contains(on_gpu), "{screen}");
    // Now it is gone, and that is no verdict on anybody.
    save(&kernel, &format!("{}// again\n", solution("03-reduction")));
    session.awaited_all(&["the judge could not do its work", WAITS]);
    session.press("q");
    session.ended();
}

/// What is judged next begins with what matters most; of a stub all there is says that it is one, too.
#[test]
fn verbose_says_that_it_is_on_and_ends_with_its_exercise() {
    let (place, _) = course();
    let mut session = Session::sized(&place.path("course"), &["watch", "00", "--device", "sim"], (120, 200));
    session.awaited_all(&["not started", WAITS]);
    session.press("v");
    session.awaited_all(&["Asked", "not started: this is the stub", "next:", "verbose; v ends it"]);
    session.press("n");
    let screen = session.awaited_all(&["01-coalescing  ", "not started", WAITS]);
    assert!(!screen.contains("Asked"), "{screen}");
    session.press("q");
    session.ended();
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
    assert!(given.out.ends_with("\nnext: grader list\n"), "{}", given.all());
    let empty = Place::new();
    let given = empty.grader(&[]);
    assert_eq!(given.code, 2);
    assert!(given.out.ends_with("\nnext: grader init course\n"), "{}", given.all());
    assert_eq!(empty.grader(&["init", "course"]).code, 0);
}

#[test]
fn without_a_command_a_course_folder_is_watched() {
    let (place, _) = course();
    let mut session = Session::start(&place.path("course"), &[]);
    session.awaited("00-first-kernel");
    session.press("q");
    session.ended();
}

/// Read aloud, what is new comes below what was said, and the keys are told in words.
#[test]
fn for_screen_readers_nothing_is_painted_over() {
    let (place, kernel) = course();
    let mut session = Session::start(&place.path("course"), &["--plain", "watch", "03", "--device", "sim"]);
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
