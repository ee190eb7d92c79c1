//! Tests with what nobody should hand in: each must cost its own student's rows and nothing else, and whatever is in an
//! archive or a folder must come out as a kernel, as known, or as listed.

use std::{
    collections::BTreeSet,
    fs,
    io::{Cursor, Write},
    path::Path,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use tar::{EntryType, Header};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{Intake, Wishes, layout::Layout, roster::Roster, student::Student};
use crate::{
    assignment::class::Attempts,
    course::Course,
    visible::{hostile::assert_harmless, one_line},
};

const EXERCISE: &str = "03-reduction";
const KERNEL: &str = "03-reduction/kernel.cu";
const TEXT: &str = "// mine\n";

fn gather(class: &Path) -> Result<Intake, String> {
    gather_as(class, Some(Layout::Folders))
}

fn gather_as(class: &Path, layout: Option<Layout>) -> Result<Intake, String> {
    let course = Course { exercises: course::COURSE };
    let wishes = Wishes {
        course,
        known: course,
        layout,
        exercise: None,
        roster: None,
        attempts: Attempts::Best,
        own: &[],
    };
    Intake::gather(class, wishes).map_err(|trouble| trouble.message)
}

fn of<'i>(intake: &'i Intake, id: &str) -> Option<&'i Student> {
    intake.students.iter().find(|student| student.id == id)
}

/// What becomes of the exercise in an archive of this name and content, beside an honest classmate.
fn said(name: &str, bytes: &[u8]) -> String {
    let class = tempfile::tempdir().unwrap();
    fs::create_dir_all(class.path().join("ada").join(EXERCISE)).unwrap();
    fs::write(class.path().join("ada").join(KERNEL), TEXT).unwrap();
    fs::write(class.path().join(name), bytes).unwrap();
    let begun = Instant::now();
    let intake = gather(class.path()).unwrap();
    // The budget's worth of inflating and listing, on a slow machine without optimisation.
    assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
    let ada = of(&intake, "ada").unwrap().kernels(EXERCISE, Attempts::Best).unwrap();
    assert_eq!(ada[0].kernel.as_deref(), Ok(TEXT));
    let row = match of(&intake, "eve").map(|eve| eve.kernels(EXERCISE, Attempts::Best)) {
        Some(Ok(kernels)) => format!("{:?}", kernels.iter().map(|one| &one.kernel).collect::<Vec<_>>()),
        Some(Err(why)) => why,
        None => "no such student".to_owned(),
    };
    let listed: Vec<String> = intake
        .not_understood
        .iter()
        .take(3)
        .map(|thing| format!("\n    listed: {}: {}", thing.place, thing.why))
        .collect();
    format!("{row}{}", listed.concat())
}

/// How it is packed, quickly: what is tested is unpacking.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).compression_level(Some(1))
}

fn zip_of(fill: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    fill(&mut archive);
    archive.finish().unwrap().into_inner()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_of(|archive| {
        for (name, content) in files {
            archive.start_file(*name, options()).unwrap();
            archive.write_all(content).unwrap();
        }
    })
}

/// A header that says whatever it is told to, as no honest library writes one.
fn header(name: &str, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    let field = &mut header.as_old_mut().name;
    let length = name.len().min(field.len());
    field[..length].copy_from_slice(&name.as_bytes()[..length]);
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    if matches!(kind, EntryType::Symlink | EntryType::Link) {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    header
}

fn tar(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, kind, content) in entries {
        archive.append(&header(name, *kind, content.len() as u64), *content).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Every occurrence of some bytes, replaced by as many others.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = bytes.to_vec();
    let at: Vec<usize> =
        (0..out.len().saturating_sub(from.len())).filter(|at| out[*at..].starts_with(from)).collect();
    assert!(!at.is_empty());
    at.iter().for_each(|at| out[*at..at + to.len()].copy_from_slice(to));
    out
}

/// The zip as if its entries were encrypted.
fn encrypted(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in 0..out.len().saturating_sub(10) {
        match &out[at..at + 4] {
            b"PK\x03\x04" => out[at + 6] |= 1,
            b"PK\x01\x02" => out[at + 8] |= 1,
            _ => {}
        }
    }
    out
}

#[test]
fn hostile_archives_cost_their_own_rows() {
    let file = EntryType::Regular;
    let text = TEXT.as_bytes();
    let good = zip(&[(KERNEL, text)]);
    let many: Vec<String> = (0..100_000).map(|number| format!("{number}.cu")).collect();
    let zeros = vec![b' '; 64 << 20];
    let mut said_all: Vec<String> = Vec::new();
    let mut say =
        |what: &str, name: &str, bytes: &[u8]| said_all.push(format!("{what}\n    {}", said(name, bytes)));
    say("a kernel", "eve.zip", &good);
    say("in a folder, by backslashes", "eve.zip", &zip(&[("eve\\03-reduction\\kernel.cu", text)]));
    say("no text", "eve.zip", &zip(&[(KERNEL, b"caf\xe9")]));
    say("climbs", "eve.zip", &zip(&[(KERNEL, text), ("../ada/03-reduction/kernel.cu", text)]));
    say("climbs in a tar", "eve.tar", &tar(&[(KERNEL, file, text), ("a/../../ada/kernel.cu", file, text)]));
    say("absolute", "eve.zip", &zip(&[("/etc/kernel.cu", text)]));
    say("absolute in a tar", "eve.tgz", &gzip(&tar(&[("/etc/kernel.cu", file, text)])));
    say("a drive", "eve.zip", &zip(&[("C:\\03-reduction\\kernel.cu", text)]));
    let linked = zip_of(|archive| archive.add_symlink(KERNEL, "/etc/passwd", options()).unwrap());
    say("a link", "eve.zip", &linked);
    say("a link in a tar", "eve.tar", &tar(&[(KERNEL, EntryType::Symlink, b"")]));
    say("a hard link", "eve.tar", &tar(&[(KERNEL, EntryType::Link, b"")]));
    say("a device", "eve.tar", &tar(&[(KERNEL, EntryType::Char, b"")]));
    say("a pipe elsewhere", "eve.tar", &tar(&[(KERNEL, file, text), ("x", EntryType::Fifo, b"")]));
    say("a folder", "eve.zip", &zip_of(|archive| archive.add_directory(KERNEL, options()).unwrap()));
    say("a kernel of 64 MiB of blanks", "eve.zip", &zip(&[(KERNEL, &zeros)]));
    let heavy: Vec<(&str, &[u8])> =
        many[..1000].iter().map(|name| (name.as_str(), &zeros[..1 << 20])).collect();
    say("a thousand kernels of 1 MiB of blanks", "eve.zip", &zip(&heavy));
    say(
        "100 MiB of blanks in a tar.gz",
        "eve.tar.gz",
        &gzip(&tar(&[("x", file, &zeros), (KERNEL, file, &zeros)])),
    );
    let countless: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), text)).collect();
    say("100 000 files", "eve.zip", &zip(&countless));
    let countless: Vec<(&str, EntryType, &[u8])> =
        many.iter().map(|name| (name.as_str(), file, text)).collect();
    say("100 000 files in a tar.gz", "eve.tgz", &gzip(&tar(&countless)));
    say("a zip in a zip", "eve.zip", &zip(&[("submission.zip", &good)]));
    let mut onion = good.clone();
    (0..20).for_each(|_| onion = zip(&[("a.zip", &onion)]));
    say("twenty zips in one another", "eve.zip", &onion);
    let nameless = replaced(&zip(&[("caf__x/kernel.cu", text)]), b"caf__x", b"caf\xe9\x1bx");
    say("a name that is no text", "eve.zip", &nameless);
    let twice = replaced(
        &zip(&[(KERNEL, text), ("04-reduction/kernel.cu", b"// other\n")]),
        b"04-reduction",
        b"03-reduction",
    );
    say("one name twice", "eve.zip", &twice);
    say("one name twice in a tar", "eve.tar", &tar(&[(KERNEL, file, text), (KERNEL, file, b"// other\n")]));
    say("encrypted", "eve.zip", &encrypted(&good));
    say("cut off", "eve.zip", &good[..good.len() / 2]);
    let packed = gzip(&tar(&[(KERNEL, file, &TEXT.repeat(1000).into_bytes())]));
    say("cut off in a tar.gz", "eve.tar.gz", &packed[..packed.len() - 20]);
    say("changed", "eve.zip", &replaced(&good, b"PK\x03\x04", b"PK\x03\x05"));
    say("no zip", "eve.zip", b"hello");
    say("empty", "eve.zip", b"");
    say("a zip of nothing", "eve.zip", &zip(&[]));
    say("another format", "eve.7z", b"7z\xbc\xaf\x27\x1c");
    let deep = format!("{}kernel.cu", "a/".repeat(40));
    say("deep", "eve.zip", &zip(&[(&deep, text)]));
    say(
        "a size that lies",
        "eve.tar",
        &[header(KERNEL, file, 1 << 40).as_bytes().as_slice(), &[b' '; 512]].concat(),
    );
    let long = [header("x", EntryType::GNULongName, 1 << 40).as_bytes().as_slice(), &[b'a'; 5120]].concat();
    say("a name without an end", "eve.tar", &long);
    insta::assert_snapshot!(said_all.join("\n"));
}

/// Why nothing of this student counts who is in an archive of the whole class, beside the honest ones; none where
/// something does.
fn refused_in(name: &str, bytes: &[u8], id: &str, honest: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join(name);
    fs::write(&all, bytes).unwrap();
    let intake = gather_as(&all, None).unwrap();
    assert_eq!(intake.not_understood, [], "{name}");
    let ids: Vec<&str> = intake.students.iter().map(|student| student.id.as_str()).collect();
    for ada in honest {
        let ada = of(&intake, ada).unwrap_or_else(|| panic!("{name}: no {ada} in {ids:?}"));
        assert!(ada.kernels(EXERCISE, Attempts::Best).unwrap()[0].kernel.is_ok(), "{name}");
        assert!(ada.refused.is_empty(), "{name}: {:?}", ada.refused);
    }
    let eve = of(&intake, id).unwrap_or_else(|| panic!("{name}: no {id} in {ids:?}"));
    eve.kernels(EXERCISE, Attempts::Best).err()
}

/// A path that leads out of its folder, or is none, costs whoever's folder it begins with, however it comes.
#[test]
fn paths_that_lead_out_cost_their_own_row() {
    let text: &[u8] = b"// 03-reduction: mine.\n";
    let file = EntryType::Regular;
    let is_there = |above: &str| ["ada", "bob", "eve"].map(|who| format!("{above}{who}/{KERNEL}"));
    let deep = format!("eve/{}kernel.cu", "a/".repeat(40));
    let bad = [
        ("eve/../../etc/passwd", "climbs out of its folder"),
        ("eve/..", "climbs out of its folder"),
        ("eve/03-reduction/../../ada/03-reduction/kernel.cu", "climbs out of its folder"),
        ("eve/./03-reduction/../../../x", "climbs out of its folder"),
        (deep.as_str(), "lies deeper than any course folder"),
    ];
    for above in ["", "class/"] {
        let paths = is_there(above);
        for (bad, fault) in bad {
            let bad = format!("{above}{bad}");
            // With a kernel of eve's that is as it should be, and without.
            for good in [&paths[..], &paths[..2]] {
                let mut names: Vec<&str> = good.iter().map(String::as_str).collect();
                // Wherever it stands in the archive.
                for at in [0, names.len()] {
                    names.insert(at, &bad);
                    let zipped: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, text)).collect();
                    let taken: Vec<(&str, EntryType, &[u8])> =
                        names.iter().map(|name| (*name, file, text)).collect();
                    let taken = tar(&taken);
                    let windows = bad.replace('/', "\\");
                    let mut backslashes = zipped.clone();
                    backslashes[at].0 = &windows;
                    for (name, bytes) in [
                        ("all.zip", zip(&zipped)),
                        ("all.zip", zip(&backslashes)),
                        ("all.tgz", gzip(&taken)),
                        ("all.tar", taken),
                    ] {
                        let why = refused_in(name, &bytes, "eve", &["ada", "bob"]);
                        let why = why.unwrap_or_else(|| panic!("{name}: {bad} is taken"));
                        assert!(why.starts_with(&format!("{above}eve: `")), "{why}");
                        assert!(why.ends_with(fault), "{name}: {why}");
                    }
                    names.remove(at);
                }
            }
        }
    }
    // In a student's own archive, alone or in the class's.
    for bad in ["../x", "a/../../x", "/etc/passwd", "C:\\x"] {
        let own = zip(&[(KERNEL, text), (bad, text)]);
        let why = refused_in("eve.zip", &own, "eve", &[]).unwrap();
        assert!(why.starts_with("eve: `"), "{why}");
        let [ada, bob, _] = is_there("");
        let all = zip(&[(&ada, text), (&bob, text), ("eve.zip", &own)]);
        let why = refused_in("all.zip", &all, "eve", &["ada", "bob"]).unwrap();
        assert!(why.starts_with("eve.zip: `"), "{why}");
    }
    // As LMSs name what students hand in.
    for (bad, good, id, honest) in [
        (
            "Eve Roe_13_assignsubmission_file/../../x",
            "Ada Lovelace_12_assignsubmission_file/03-reduction/kernel.cu",
            "13",
            "12",
        ),
        ("roeeve_13_901_kernel.cu/../../x", "lovelaceada_12_902_kernel.cu", "13", "12"),
        ("eve.cu/../../x", "ada.cu", "eve", "ada"),
    ] {
        let bytes = zip(&[(good, text), (bad, text)]);
        let why = refused_in("all.zip", &bytes, id, &[honest]).unwrap();
        assert!(why.ends_with("climbs out of its folder"), "{why}");
    }
}

/// Of what begins with no folder nobody knows whose it is: it is listed, and so is what lies where no student does.
#[test]
fn paths_of_nobody_are_listed() {
    let text = TEXT.as_bytes();
    for bad in ["../x", "/etc/passwd", "class/../../x", "__MACOSX/../../x"] {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().join("all.zip");
        let names = ["class/ada/03-reduction/kernel.cu", "class/bob/03-reduction/kernel.cu", bad];
        fs::write(&all, zip(&names.map(|name| (name, text)))).unwrap();
        let intake = gather_as(&all, None).unwrap();
        let listed: Vec<&str> = intake.not_understood.iter().map(|thing| thing.why.as_str()).collect();
        assert_eq!(listed.len(), 1, "{bad}: {listed:?}");
        assert!(listed[0].starts_with(&format!("`{bad}` in it ")), "{bad}: {listed:?}");
        let ids: Vec<&str> = intake.students.iter().map(|student| student.id.as_str()).collect();
        assert_eq!(ids, ["ada", "bob"], "{bad}");
    }
    // Nothing else is there.
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.zip");
    fs::write(&all, zip(&[("../x", text)])).unwrap();
    let why = gather_as(&all, None).unwrap_err();
    assert!(why.contains("nothing in it that was handed in: `../x` in it climbs"), "{why}");
}

/// An LMS unpacks what students pack.
#[test]
fn a_hundred_thousand_files_of_one_student_cost_that_student() {
    let class = tempfile::tempdir().unwrap();
    let mut files: Vec<(String, &[u8])> =
        (0..100_000).map(|number| (format!("eve/{number}"), &b"x"[..])).collect();
    files.push((format!("ada/{KERNEL}"), TEXT.as_bytes()));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    let all = class.path().join("all.zip");
    fs::write(&all, zip(&files)).unwrap();
    let intake = gather(&all).unwrap();
    assert_eq!(intake.not_understood, []);
    assert_eq!(of(&intake, "ada").unwrap().submissions.len(), 1);
    let eve = of(&intake, "eve").unwrap().kernels(EXERCISE, Attempts::Best);
    assert_eq!(eve.unwrap_err(), "eve has more than 10000 files");
}

/// A class with an honest student and what eve handed in; what is said of eve.
fn said_beside_ada(class: &Path) -> String {
    let intake = gather(class).unwrap();
    let ada = of(&intake, "ada").unwrap().kernels(EXERCISE, Attempts::Best).unwrap();
    assert_eq!(ada[0].kernel.as_deref(), Ok(TEXT));
    assert_eq!(intake.not_understood, []);
    of(&intake, "eve").unwrap().refused.join("\n")
}

/// The class as one zip, in which archives are stored as they are, as `zip -r` does.
fn said_in_one_zip(files: &[(&str, &[u8])]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.zip");
    let bytes = zip_of(|archive| {
        for (name, content) in [&[("ada/03-reduction/kernel.cu", TEXT.as_bytes())], files].concat() {
            let method = if name.ends_with(".zip") && content.starts_with(b"PK") {
                CompressionMethod::Stored
            } else {
                CompressionMethod::Deflated
            };
            archive.start_file(name, options().compression_method(method).compression_level(None)).unwrap();
            archive.write_all(content).unwrap();
        }
    });
    fs::write(&all, bytes).unwrap();
    said_beside_ada(&all)
}

/// What is said of files that are handed in one of these ways.
type Said = fn(&[(&str, &[u8])]) -> String;

fn said_in_a_folder(files: &[(&str, &[u8])]) -> String {
    let class = tempfile::tempdir().unwrap();
    for (name, content) in [&[("ada/03-reduction/kernel.cu", TEXT.as_bytes())], files].concat() {
        let path = class.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    said_beside_ada(class.path())
}

/// An archive's bytes are no entries of the class's.
#[test]
fn an_archive_that_looks_like_a_directory_costs_its_own_row() {
    let marks = b"PK\x01\x02".repeat(super::source::Budget::CLASS.items + 1);
    let said = said_in_one_zip(&[("eve.zip", &marks)]);
    assert!(said.starts_with("eve.zip is damaged: "), "{said}");
}

/// Limits are a hand-in's, however many archives it has, and no class's.
#[test]
fn many_archives_of_one_student_cost_that_student() {
    let named = |count: usize, ending: &str| -> Vec<String> {
        (0..count).map(|number| format!("eve/{number:02}{ending}")).collect()
    };
    let all = |names: &[String], content: &[u8], said: Said| {
        said(&names.iter().map(|name| (name.as_str(), content)).collect::<Vec<_>>())
    };
    for said in [said_in_one_zip, said_in_a_folder] {
        let good = zip(&[(KERNEL, TEXT.as_bytes())]);
        assert_eq!(all(&named(32, ".zip"), &good, said), "");
        assert_eq!(all(&named(33, ".zip"), &good, said), "eve has more than 32 archives");
        // Blanks, of which an LMS's zip has next to nothing.
        let blanks = vec![b' '; 16 << 20];
        let told = all(&named(6, ".zip"), &blanks, said);
        let damaged = told.lines().filter(|line| line.contains(" is damaged")).count();
        let too_much =
            told.lines().filter(|line| line.ends_with("this hand-in has more than 64 MiB")).count();
        assert_eq!((damaged, too_much), (4, 2), "{told}");
        // A few kilobytes each, out of which much comes.
        let bomb = gzip(&tar(&[(KERNEL, EntryType::Regular, &blanks)]));
        let told = all(&named(6, ".tgz"), &bomb, said);
        let over = "more than 64 MiB come out of it and of the archives before it";
        assert_eq!(told.lines().filter(|line| line.ends_with(over)).count(), 3, "{told}");
        // Many files in each.
        let many: Vec<String> = (0..3000).map(|number| format!("{EXERCISE}/{number}.cu")).collect();
        let many: Vec<(&str, EntryType, &[u8])> =
            many.iter().map(|name| (name.as_str(), EntryType::Regular, TEXT.as_bytes())).collect();
        let told = all(&named(4, ".tar"), &tar(&many), said);
        assert_eq!(told, "eve/03.tar has more than 10000 files together with what came before it");
    }
}

/// A folder that takes long to list costs its own row, and is not listed.
#[test]
fn a_folder_of_too_many_files_costs_its_own_row() {
    let names: Vec<String> = (0..=20_000).map(|number| format!("eve/{number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    assert_eq!(said_in_a_folder(&files), "eve has more than 20000 files");
}

/// Who has a classmate's id by another name does not come into the classmate's rows.
#[test]
fn a_contradicting_name_is_listed_and_keeps_its_kernels() {
    let class = tempfile::tempdir().unwrap();
    for name in ["Ada Lovelace_102", "Bob Barker_103"] {
        let folder = class.path().join(format!("{name}_assignsubmission_file/{EXERCISE}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("kernel.cu"), TEXT).unwrap();
    }
    let roster = Roster::of_text("roster.csv", "ID number,Full name\n102,Bob Barker\n103,Cy Doe\n").unwrap();
    let course = Course { exercises: course::COURSE };
    let wishes = Wishes {
        course,
        known: course,
        layout: None,
        exercise: None,
        roster: Some(&roster),
        attempts: Attempts::Best,
        own: &[],
    };
    let intake = Intake::gather(class.path(), wishes).map_err(|trouble| trouble.message).unwrap();
    let counts: Vec<(&str, usize)> =
        intake.students.iter().map(|student| (student.id.as_str(), student.submissions.len())).collect();
    // Bob is found by the name, and Ada is not Bob.
    assert_eq!(counts, [("102", 1), ("102 (Ada Lovelace)", 1), ("103", 0)]);
    let listed: Vec<&str> = intake.not_understood.iter().map(|thing| thing.why.as_str()).collect();
    assert_eq!(listed, ["102 is Bob Barker in the roster, and Ada Lovelace here"]);
}

/// Names as students, their systems and their enemies choose them.
fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just("kernel.cu".to_owned()),
        4 => prop::sample::select(vec!["03-reduction", "06-transpose", "3-reduction", "learn", "src"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["..", ".", "", "~", "C:", "con", "-rf", "a\\b", "\u{202e}x", "\u{1b}[2J", "a\nb", "\0"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["submission.json", ".course.json", "course.toml", ".git", "__MACOSX", ".DS_Store", "kernel-2.cu", "kernel.cu~", "kernel.before-reset-1.cu", "x.zip", "x.rar", "..hidden"]).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9._ é-]{1,12}",
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"// 03-reduction: mine.\n".to_vec()),
        Just(b"// 06-transpose: mine. (course 9.9)\n".to_vec()),
        Just(Vec::new()),
        Just(b"{\"schema\": 1, \"course\": \"x\"}".to_vec()),
        prop::collection::vec(any::<u8>(), 0..64),
    ]
}

/// What must hold whatever is handed in.
fn must_hold(intake: &Intake) {
    for student in &intake.students {
        assert_harmless(&one_line(&student.id), "id");
        assert!(!student.id.contains(char::is_control), "{:?}", student.id);
        for submission in &student.submissions {
            assert!(course::COURSE.iter().any(|exercise| exercise.id() == submission.exercise));
            assert!(!submission.origin.split('/').any(|part| part == ".."), "{}", submission.origin);
        }
    }
    assert!(intake.not_understood.iter().all(|thing| !thing.place.is_empty() && !thing.why.is_empty()));
}

fn kind() -> impl Strategy<Value = EntryType> {
    prop_oneof![
        8 => Just(EntryType::Regular),
        1 => Just(EntryType::Directory),
        1 => Just(EntryType::Symlink),
        1 => Just(EntryType::Link),
        1 => Just(EntryType::Block),
        1 => Just(EntryType::XHeader),
        1 => Just(EntryType::GNULongName),
        1 => Just(EntryType::GNUSparse),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any archive, whole or damaged, leaves the classmate's kernel alone.
    #[test]
    fn any_archive_costs_its_own_rows(
        entries in prop::collection::vec((name(), kind(), content()), 0..8),
        format in 0..3,
        cut in prop::option::of(any::<prop::sample::Index>()),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = match format {
            0 => zip_of(|archive| for (name, _, content) in &entries {
                // The library refuses some of these names; then they are not in it.
                if archive.start_file(name.as_str(), options()).is_ok() {
                    archive.write_all(content).unwrap();
                }
            }),
            format => {
                let entries: Vec<_> = entries.iter().map(|(name, kind, content)| (name.as_str(), *kind, content.as_slice())).collect();
                let tar = tar(&entries);
                if format == 1 { tar } else { gzip(&tar) }
            }
        };
        if let Some(cut) = cut && !bytes.is_empty() {
            bytes.truncate(cut.index(bytes.len()));
        }
        for (at, value) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
        }
        let class = tempfile::tempdir().unwrap();
        fs::create_dir_all(class.path().join("ada").join(EXERCISE)).unwrap();
        fs::write(class.path().join("ada").join(KERNEL), TEXT).unwrap();
        fs::write(class.path().join(["eve.zip", "eve.tar", "eve.tar.gz"][format as usize]), &bytes).unwrap();
        let intake = gather(class.path()).unwrap();
        must_hold(&intake);
        prop_assert_eq!(of(&intake, "ada").unwrap().submissions[0].kernel.as_deref(), Ok(TEXT));
        // The whole class in it is the class's trouble, and never a panic.
        if let Ok(intake) = gather(&class.path().join(["eve.zip", "eve.tar", "eve.tar.gz"][format as usize])) {
            must_hold(&intake);
        }
    }

    /// Nothing in a class's folder is ignored: every file is a kernel, known, or listed.
    #[test]
    fn every_file_is_accounted_for(
        files in prop::collection::btree_map(
            (prop::sample::select(vec!["ada", "bob", ".eve", "06-transpose", ""]), name()), content(), 1..12),
    ) {
        let class = tempfile::tempdir().unwrap();
        let mut written: BTreeSet<String> = BTreeSet::new();
        for ((student, name), content) in &files {
            let parts: Vec<&str> = name.split('/').filter(|part| !["", ".", "..", "\0"].contains(part)).collect();
            let path = class.path().join(student).join(parts.join("/"));
            // A file where another name needs a folder.
            if parts.is_empty() || fs::create_dir_all(path.parent().unwrap()).is_err() || path.is_dir() || fs::write(&path, content).is_err() {
                continue;
            }
            let below = path.strip_prefix(class.path()).unwrap();
            let below: Vec<String> = below.iter().map(|name| super::printable(name.as_encoded_bytes())).collect();
            written.insert(below.join("/"));
        }
        let Ok(intake) = gather(class.path()) else { return Ok(()) };
        must_hold(&intake);
        let kernels = intake.students.iter().flat_map(|student| &student.submissions);
        let kernels: BTreeSet<&str> = kernels.map(|submission| submission.origin.as_str()).collect();
        let junk: usize = intake.junk.values().sum();
        let is_listed = |file: &&String| intake.not_understood.iter().any(|thing| {
            let place = thing.place.split(" (").next().unwrap_or_default();
            place == file.as_str() || file.starts_with(&format!("{place}/"))
        });
        let is_said = |file: &&String| ["submission.json", ".course.json"].iter().any(|known| file.ends_with(known));
        // Archives of random bytes: the student's rows say so.
        let is_refused = |file: &&String| intake.students.iter().flat_map(|student| &student.refused).any(|why| why.starts_with(file.as_str()));
        let left: Vec<&String> = written
            .iter()
            .filter(|file| !kernels.contains(file.as_str()) && !is_listed(file) && !is_said(file) && !is_refused(file))
            .collect();
        prop_assert!(left.len() <= junk, "{:?} are nowhere, and {} are junk", left, junk);
    }
}
