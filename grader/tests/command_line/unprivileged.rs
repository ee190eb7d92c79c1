//! A learner's folder on a machine that gives nothing: no rights, no room, no folder, and names that are no text. Nothing
//! that was written is lost, nothing half is left, and what is said leads on.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Permissions},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::PermissionsExt,
    },
    path::Path,
    process::Command,
};

use crate::support::{Given, Place, all_there, disk, has_disks, take, unprivileged};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");
const CHECK: &[&str] = &["check", "04", "--device", "sim"];

/// Runs the grader in a folder, for whom permissions hold.
fn grader(place: &Place, folder: &str, arguments: &[&str]) -> Given {
    let mut command = unprivileged(GRADER);
    command.args(arguments).current_dir(place.path(folder)).env("HOME", place.path(""));
    // The compiler may be in the cache of whoever runs this.
    command.env("CUDA_GRADER_CACHE", harness::toolchain::cache_folder().expect("a home"));
    place.given(command)
}

/// A course folder `course` with a solution of 04 in it, and its text.
fn course() -> (Place, String) {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "course"]).code, 0);
    take(&place, "04-synchronization/kernel.cu");
    fs::rename(place.path("k.cu"), place.path("course/04-synchronization/kernel.cu")).unwrap();
    let text = kernel(&place);
    (place, text)
}

fn kernel(place: &Place) -> String {
    fs::read_to_string(place.path("course/04-synchronization/kernel.cu")).unwrap()
}

/// Every path below a folder.
fn everything(folder: &Path) -> Vec<OsString> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            all.extend(everything(&path));
        }
        all.push(path.into_os_string());
    }
    all.sort();
    all
}

fn set_writable(folder: &Path, writable: bool) {
    for path in everything(folder).iter().map(Path::new).chain([folder]).filter(|path| path.is_dir()) {
        fs::set_permissions(path, Permissions::from_mode(if writable { 0o755 } else { 0o555 })).unwrap();
    }
}

#[track_caller]
fn refused(given: &Given, code: i32, expected: &[&str]) {
    assert_eq!(given.code, code, "{}", given.all());
    assert!(given.err.contains(" next: "), "{}", given.all());
    expected.iter().for_each(|expected| assert!(given.err.contains(expected), "{}", given.all()));
}

#[test]
fn a_write_protected_home() {
    let (place, text) = course();
    fs::create_dir(place.path("empty")).unwrap();
    set_writable(&place.path(""), false);
    let before = everything(&place.path(""));
    refused(&grader(&place, "", &["init", "mine"]), 3, &["could not write mine: permission denied"]);
    refused(&grader(&place, "empty", &["init"]), 3, &["permission denied"]);
    refused(&grader(&place, "course", &["reset", "04"]), 3, &["permission denied; nothing was changed"]);
    refused(
        &grader(&place, "course", &["submit"]),
        3,
        &["permission denied", "grader submit --out FILE.zip"],
    );
    // Nothing is missing, so nothing is to be written.
    let mended = grader(&place, "course", &["init"]);
    assert!(mended.code == 0 && mended.out.contains(&all_there()), "{}", mended.all());
    let checked = grader(&place, "course", CHECK);
    assert_eq!(checked.code, 0, "{}", checked.all());
    assert!(checked.err.contains("your progress could not be kept"), "{}", checked.all());
    // Hints and solutions are given, and what is not remembered is said.
    let hint = grader(&place, "course", &["hint", "06"]);
    assert!(hint.code == 0 && hint.out.starts_with("Hint 1 of "), "{}", hint.all());
    let solution = grader(&place, "course", &["solution", "06", "--give-up"]);
    assert!(solution.code == 0 && solution.out.contains("__global__"), "{}", solution.all());
    for given in [hint, solution] {
        assert!(given.err.contains("your progress could not be kept"), "{}", given.all());
        assert!(given.err.contains("make the course folder writable"), "{}", given.all());
        assert!(!given.err.contains("remembers"), "{}", given.all());
    }
    let json = grader(&place, "course", &["hint", "06", "--format", "json"]).out;
    assert!(json.contains("\"remembered\": false"), "{json}");
    assert_eq!((everything(&place.path("")), kernel(&place)), (before, text));
    // What the last step says works.
    set_writable(&place.path(""), true);
    set_writable(&place.path("course"), false);
    let packed = grader(&place, "course", &["submit", "--out", "../mine.zip"]);
    assert!(packed.code == 0 && place.path("mine.zip").is_file(), "{}", packed.all());
    set_writable(&place.path("course"), true);
}

/// The kernel has another name by then, and its new one is told whatever becomes of the record.
#[test]
fn reset_names_the_backup_where_the_record_cannot_be_written() {
    let (place, text) = course();
    let folder = place.path("course");
    let rights = |mode| fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
    rights(0o555);
    let reset = grader(&place, "course", &["reset", "04"]);
    rights(0o755);
    assert_eq!(reset.code, 0, "{}", reset.all());
    let kept = "04-synchronization/kernel.before-reset-1.cu";
    assert!(reset.out.contains(&format!("yours is in {kept}")), "{}", reset.all());
    assert!(reset.err.contains("your progress could not be kept"), "{}", reset.all());
    assert_eq!(fs::read_to_string(folder.join(kept)).unwrap(), text);
    // A record that can't even be read stops it before anything is done.
    let stub = kernel(&place);
    fs::write(folder.join("04-synchronization/kernel.cu"), &text).unwrap();
    fs::remove_file(folder.join(".course.json")).unwrap();
    fs::create_dir(folder.join(".course.json")).unwrap();
    refused(&grader(&place, "course", &["reset", "04"]), 3, &["could not read .course.json", "move it away"]);
    assert_eq!(kernel(&place), text);
    assert_ne!(text, stub);
}

#[test]
fn a_kernel_that_may_not_be_read() {
    let (place, text) = course();
    let path = place.path("course/04-synchronization/kernel.cu");
    let rights = |mode| fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    rights(0o000);
    for command in [CHECK, &["submit"]] {
        refused(
            &grader(&place, "course", command),
            2,
            &["could not read", "permission denied", "readable for you"],
        );
    }
    assert_eq!(grader(&place, "course", &["init"]).code, 0);
    // Who can't read it can set it aside.
    let reset = grader(&place, "course", &["reset", "04"]);
    assert_eq!(reset.code, 0, "{}", reset.all());
    let kept = place.path("course/04-synchronization/kernel.before-reset-1.cu");
    fs::set_permissions(&kept, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), text);
}

/// A file that may not grow stands for a full disk where nobody may make one.
#[test]
fn a_disk_on_which_no_file_grows() {
    let (place, text) = course();
    let full = |arguments: &str| {
        let mut command = Command::new("bash");
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {GRADER} {arguments}");
        command.args(["-c", &script]).current_dir(place.path("course"));
        place.given(command)
    };
    let before = everything(&place.path("course"));
    refused(&full("submit"), 3, &["could not write submission.zip", "grader submit --out FILE.zip"]);
    refused(&full("reset 04"), 3, &["nothing was changed"]);
    assert_eq!(full("init").code, 0);
    assert_eq!((everything(&place.path("course")), kernel(&place)), (before, text));
    refused(&full("init ../other"), 3, &["could not write", "make room there"]);
}

#[test]
fn a_disk_that_is_really_full() {
    if !has_disks() {
        eprintln!(
            "no user name spaces here: only the test with files that may not grow stands for a full disk"
        );
        return;
    }
    let (place, text) = course();
    fs::create_dir(place.path("disk")).unwrap();
    let script = format!(
        r#"
        place=$1
        mount -t tmpfs -o size=300k none disk || exit 9
        step() {{ name=$1; shift; "$@" >"$place/said" 2>&1; echo "$name: $?"; grep -o 'the disk is full\|nothing was changed\|could not be kept' "$place/said" | sort -u; }}
        step 'init without room' {GRADER} init disk/course
        find disk -name '*.part' -o -size 0 -type f
        mount -o remount,size=8m disk
        step 'init with room' {GRADER} init disk/course
        cp course/04-synchronization/kernel.cu disk/course/04-synchronization/kernel.cu
        cd disk/course
        step submit {GRADER} submit
        before=$(cksum submission.zip .course.json 04-synchronization/kernel.cu)
        cat /dev/zero >../filler 2>/dev/null
        # Fails for want of room, and leaves the old file.
        step 'submit when full' {GRADER} submit
        step 'reset when full' {GRADER} reset 04
        step 'check when full' {GRADER} check 04 --device sim
        step 'hint when full' {GRADER} hint 06
        step 'solution when full' {GRADER} solution 06 --give-up
        step 'init when full' {GRADER} init
        [ "$before" = "$(cksum submission.zip .course.json 04-synchronization/kernel.cu)" ] && echo nothing lost
        find . -name '*.part' -o -name '*before-reset*'
        rm ../filler
        step 'check with room' {GRADER} check 04 --device sim
        step 'reset with room' {GRADER} reset 04
        cp 04-synchronization/kernel.before-reset-1.cu "$place/kept.cu"
        "#
    );
    let mut command = disk(&script);
    command.arg("sh").arg(place.path("")).current_dir(place.path(""));
    let given = place.given(command);
    let expected = "init without room: 3\nthe disk is full\ninit with room: 0\nsubmit: 0\n\
                    submit when full: 3\nthe disk is full\nreset when full: 3\nnothing was changed\nthe disk is full\n\
                    check when full: 0\ncould not be kept\nthe disk is full\n\
                    hint when full: 0\ncould not be kept\nthe disk is full\n\
                    solution when full: 0\ncould not be kept\nthe disk is full\ninit when full: 0\nnothing lost\n\
                    check with room: 0\nreset with room: 0\n";
    assert_eq!(given.out, expected, "{}", given.all());
    assert_eq!(fs::read_to_string(place.path("kept.cu")).unwrap(), text);
}

/// On the machines of the project's own checks no test passes because it had nothing to do.
#[test]
fn what_a_test_needs_is_missed_where_it_must_be_there() {
    let this = std::env::current_exe().unwrap();
    for test in [
        "unprivileged::a_disk_that_is_really_full",
        "cluster::a_real_slurm_judges_the_same",
        "formats::junit_has_an_error_where_nothing_was_judged",
    ] {
        let mut again = Command::new(&this);
        again.args(["--exact", test]).env("GITHUB_ACTIONS", "true").env("PATH", "/nowhere");
        let output = again.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && said.contains(".github/workflows/ci.yml"), "{test}: {said}");
    }
}

#[test]
fn a_folder_that_was_deleted() {
    let (place, _) = course();
    let gone = |arguments: &str| {
        fs::create_dir(place.path("gone")).unwrap();
        let mut command = Command::new("sh");
        let script = format!("rmdir ../gone; exec {GRADER} {arguments}");
        command.args(["-c", &script]).current_dir(place.path("gone"));
        place.given(command)
    };
    for command in ["init", "check 04", "check", "submit", "reset 04", "list"] {
        refused(&gone(command), 2, &["the current directory is gone", "change to a folder that exists"]);
    }
    // One exercise's folder: the stub comes back where one may be written, and is handed in by nobody.
    let own = place.path("course/04-synchronization");
    let delete = || fs::remove_dir_all(&own).unwrap();
    delete();
    refused(&grader(&place, "course", &["submit"]), 2, &["04-synchronization/kernel.cu does not exist"]);
    let checked = grader(&place, "course", CHECK);
    assert!(
        checked.code == 1 && checked.err.contains("wrote the stubs that were missing"),
        "{}",
        checked.all()
    );
    delete();
    assert!(grader(&place, "course", &["init"]).out.contains("1 stub written"));
    delete();
    assert_eq!(grader(&place, "course", &["reset", "04"]).code, 0);
    assert!(own.join("kernel.cu").is_file());
}

#[test]
fn a_kernel_of_100_megabytes_and_one_that_is_no_text() {
    let (place, _) = course();
    let path = place.path("course/04-synchronization/kernel.cu");
    let length = |path: &Path| fs::metadata(path).unwrap().len();
    for (number, what) in [(1, "more than 1 MiB"), (2, "not UTF-8 text: line 2 has other bytes")] {
        let file = File::create(&path).unwrap();
        match number {
            1 => file.set_len(100 << 20).unwrap(),
            _ => fs::write(&path, b"// one\n// caf\xe9\n").unwrap(),
        }
        let bytes = length(&path);
        for command in [CHECK, &["submit"]] {
            refused(&grader(&place, "course", command), 2, &["04-synchronization/kernel.cu", what]);
        }
        let mended = grader(&place, "course", &["init"]);
        assert!(mended.code == 0 && mended.out.contains(&all_there()), "{}", mended.all());
        assert_eq!(length(&path), bytes);
        let reset = grader(&place, "course", &["reset", "04"]);
        assert_eq!(reset.code, 0, "{}", reset.all());
        assert_eq!(
            length(&place.path(&format!("course/04-synchronization/kernel.before-reset-{number}.cu"))),
            bytes
        );
        assert_eq!(grader(&place, "course", CHECK).code, 1, "it is the stub");
    }
}

#[test]
fn names_that_are_no_text() {
    let place = Place::new();
    let name = OsString::from_vec(b"c\xff \x1b[2J's".to_vec());
    let run = |folder: &Path, arguments: &[&OsStr]| {
        let mut command = unprivileged(GRADER);
        command.args(arguments).current_dir(folder);
        place.given(command)
    };
    let os = |arguments: &[&str]| arguments.iter().map(|each| OsString::from(*each)).collect::<Vec<_>>();
    let grader = |folder: &Path, arguments: &[&str]| {
        let arguments = os(arguments);
        run(folder, &arguments.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    };
    let made = run(&place.path(""), &[OsStr::new("init"), &name]);
    assert_eq!(made.code, 0, "{}", made.all());
    assert!(!made.out.contains('\u{1b}'), "{}", made.all());
    // The next step works as it is printed.
    let next = made.out.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
    let change = next.strip_suffix(" && grader watch").unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{change} && ls -d 04-synchronization")]).current_dir(place.path(""));
    assert_eq!(place.given(command).out, "04-synchronization\n", "{change}");
    let folder = place.path("").join(&name);
    // Others' folders with such names beside the exercises are nobody's business.
    fs::create_dir(folder.join(OsStr::from_bytes(b"\xfe"))).unwrap();
    take(&place, "04-synchronization/kernel.cu");
    fs::copy(place.path("k.cu"), folder.join("04-synchronization/kernel.cu")).unwrap();
    for arguments in [&["init"], CHECK, &["list"], &["submit"]] {
        let given = grader(&folder, arguments);
        assert_eq!(given.code, 0, "{}", given.all());
    }
    let inside = grader(&folder.join("04-synchronization"), &["check", "--device", "sim"]);
    assert_eq!(inside.code, 0, "{}", inside.all());
    let packed = run(&folder, &[OsStr::new("submit"), OsStr::new("--out"), OsStr::from_bytes(b"\xfd.zip")]);
    assert!(packed.code == 0 && folder.join(OsStr::from_bytes(b"\xfd.zip")).is_file(), "{}", packed.all());
    let wrong = run(&folder, &[OsStr::new("check"), OsStr::from_bytes(b"\xfd")]);
    assert_eq!(wrong.code, 2, "{}", wrong.all());
    let kernel = run(
        &folder,
        &[OsStr::new("check"), OsStr::new("04"), OsStr::new("--kernel"), OsStr::from_bytes(b"\xfe")],
    );
    refused(&kernel, 2, &["a folder, not a file"]);
    assert_eq!(grader(&folder, &["reset", "04"]).code, 0);
}
