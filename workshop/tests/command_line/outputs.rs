//! Records that are written to a file which the author names: what is no such record is left as it is.

use std::{fs, path::Path, process::Command};

/// Those that need a GPU, `measure` and `flips`, end without one before they look; the file is whole either way.
#[test]
fn no_record_is_written_over_another_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let place = tempfile::tempdir().expect("a folder");
    let kernel = fs::read(root.join("solutions/03-reduction/kernel.cu")).expect("a kernel");
    let theirs: [(&str, &[u8]); 4] = [
        ("kernel.cu", &kernel),
        ("theirs.json", b"{\"theirs\": 1}\n"),
        ("theirs.csv", b"id\n7\n"),
        ("theirs.txt", b"a line without an end"),
    ];
    for (name, text) in theirs {
        let path = place.path().join(name);
        for words in [
            &["class", "00-first-kernel", "--students", "1", "--out"][..],
            &["class", "00-first-kernel", "--students", "1", "--kills", "1", "--out"],
            &["mutate", "00-first-kernel", "--out"],
            &["mutate", "00-first-kernel", "--keep"],
            &["latency", "00-first-kernel", "--edits", "1", "--out"],
            &["cheats", "--only", "include-environ", "--out"],
            &["flips", "00-first-kernel", "--device", "sim", "--out"],
            &["measure", "00-first-kernel", "--device", "sim", "--out"],
        ] {
            fs::write(&path, text).expect("a file");
            let output = Command::new(env!("CARGO_BIN_EXE_workshop"))
                .args(words)
                .arg(&path)
                .current_dir(root)
                .output()
                .expect("the workshop runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(2 | 3)), "{words:?} {name}: {said}");
            assert_eq!(fs::read(&path).expect("a file"), text, "{words:?} {name}: {said}");
        }
    }
}
