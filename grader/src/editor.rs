//! What editors take from a course folder: headers and flags for clangd, a task for VS Code.
//!
//! clangd completes CUDA's names and finds typos on a machine without CUDA, for the declarations that it reads are
//! these. They are the course's own and nobody links them; the judge never sees them. VS Code's task runs `check` with
//! the format whose lines its problem matcher reads.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use harness::{compiler::SHIMS, exercise::COURSE_HEADER};

use crate::files;

/// The folder of headers, in the course folder.
const HEADERS: &str = ".grader/include";

/// What an editor reads besides headers: the path in the course folder, and the text.
const OWN: &[(&str, &str)] = &[
    (".clangd", include_str!("editor/clangd.yml")),
    ("compile_flags.txt", include_str!("editor/compile_flags.txt")),
    (".vscode/tasks.json", include_str!("editor/tasks.json")),
];

macro_rules! headers {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("editor/include/", $name)))),+] };
}

/// Declarations of what CUDA's own headers have.
const CUDA: &[(&str, &str)] = headers![
    "cuda_language.h",
    "language/keywords.h",
    "language/types.h",
    "language/threads.h",
    "language/memory.h",
    "language/atomics.h",
    "language/arithmetic.h",
    "language/names.h",
    "cooperative_groups.h",
    "cooperative_groups/memcpy_async.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cuda/atomic",
    "cuda/barrier",
    "cuda/pipeline",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_pipeline.h",
    "cuda_pipeline_primitives.h",
    "mma.h",
];

/// Every file, by its path in the course folder. In a checkout the program is run by cargo, by VS Code's tasks, too.
fn all(in_checkout: bool) -> impl Iterator<Item = (String, Cow<'static, str>)> {
    let headers = [COURSE_HEADER].into_iter().chain(SHIMS.iter().copied()).chain(CUDA.iter().copied());
    let headers = headers.map(|(name, text)| (format!("{HEADERS}/{name}"), Cow::Borrowed(text)));
    let own = OWN.iter().map(move |(name, text)| {
        let text = match in_checkout {
            true => Cow::Owned(by_cargo(text)),
            false => Cow::Borrowed(*text),
        };
        ((*name).to_owned(), text)
    });
    own.chain(headers)
}

fn by_cargo(text: &str) -> String {
    text.replace(r#""command": "grader","#, r#""command": "cargo","#)
        .replace(r#""args": ["#, r#""args": ["grade", "#)
}

/// Why a file could not be written.
pub struct Refused {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

/// Writes what is missing, and what is older and as it came; `came` has the hash of each file as it was written. What
/// someone has changed stays. Gives the names of these.
///
/// # Errors
/// Where the disk refuses.
pub fn write(
    folder: &Path,
    in_checkout: bool,
    came: &mut BTreeMap<String, String>,
) -> Result<Vec<String>, Refused> {
    let mut kept = Vec::new();
    let mut now = BTreeMap::new();
    for (name, text) in all(in_checkout) {
        let path = folder.join(&name);
        let refused = |error| Refused { path: path.clone(), error };
        let hash = hash(text.as_bytes());
        let above = path.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(refused)?;
        match files::write_new(&path, text.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match hash_of(&path) {
                Some(found) if found == hash => {}
                Some(found) if came.get(&name) == Some(&found) => {
                    files::write_atomically(&path, text.as_bytes()).map_err(refused)?;
                }
                _ => {
                    // It stays its writer's, also where a later version changes it.
                    kept.push(name);
                    continue;
                }
            },
            Err(error) => return Err(refused(error)),
        }
        now.insert(name, hash);
    }
    // What an earlier version had and this one hasn't.
    for (name, hash) in came.iter().filter(|(name, _)| !now.contains_key(*name) && !kept.contains(name)) {
        let path = folder.join(name);
        if hash_of(&path).as_ref() == Some(hash) {
            fs::remove_file(&path).map_err(|error| Refused { path, error })?;
        }
    }
    *came = now;
    Ok(kept)
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The hash of a file; none where no text of ours can be.
fn hash_of(path: &Path) -> Option<String> {
    files::read_text(path, "", "").ok().map(|text| hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_untouched_is_renewed_and_what_is_not_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut came = BTreeMap::new();
        assert_eq!(write(folder.path(), false, &mut came).ok().unwrap(), Vec::<String>::new());
        let whole = came.clone();
        let header = ".grader/include/course.cuh";
        assert_eq!(fs::read_to_string(at(header)).unwrap(), COURSE_HEADER.1);
        // As an earlier version left it: one file of another text, one that this version hasn't, one missing.
        for (name, text) in [(header, "old"), ("old.txt", "old"), ("older.txt", "old")] {
            fs::write(at(name), text).unwrap();
            came.insert(name.to_owned(), hash(b"old"));
        }
        fs::write(at("older.txt"), "my own").unwrap();
        fs::write(at(".clangd"), "my own").unwrap();
        fs::remove_file(at("compile_flags.txt")).unwrap();
        assert_eq!(write(folder.path(), false, &mut came).ok().unwrap(), [".clangd"]);
        assert_eq!(fs::read_to_string(at(header)).unwrap(), COURSE_HEADER.1);
        for mine in [".clangd", "older.txt"] {
            assert_eq!(fs::read_to_string(at(mine)).unwrap(), "my own");
        }
        assert!(at("compile_flags.txt").is_file() && !at("old.txt").exists());
        // Who changed a file keeps it from version to version.
        assert_eq!(came.len(), whole.len() - 1);
        assert_eq!(write(folder.path(), false, &mut came).ok().unwrap(), [".clangd"]);
        fs::remove_file(at(".clangd")).unwrap();
        assert_eq!(write(folder.path(), false, &mut came).ok().unwrap(), Vec::<String>::new());
        assert_eq!(came, whole);
    }

    #[test]
    fn every_name_that_begins_with_two_underscores_is_a_macro_for_old_clangd() {
        let text = |name: &str| CUDA.iter().find(|(known, _)| *known == name).unwrap().1;
        let (names, mut seen) = (text("language/names.h"), 0);
        for header in ["threads", "memory", "arithmetic"] {
            for line in
                text(&format!("language/{header}.h")).lines().filter(|line| line.starts_with("__device__"))
            {
                let declared = line.split_once('(').unwrap().0.rsplit([' ', '*']).next().unwrap();
                if declared.starts_with("__") && declared != "__assert_failed" {
                    assert!(names.contains(&format!("#define {declared} {declared}\n")), "{declared}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn no_name_is_there_twice_and_every_header_is_listed() {
        let mut names: Vec<String> = all(false).map(|(name, _)| name).collect();
        names.sort();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/editor/include");
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                    assert!(CUDA.iter().any(|(known, _)| *known == name), "{name}");
                }
            }
        }
    }
}
