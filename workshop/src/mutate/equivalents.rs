//! Mutants that the simulator cannot kill, kept with the reason, in `solutions/NN-name/equivalent.toml`: those that
//! are the same program as their original, and those that differ only where there is more data than the simulator gets,
//! which a case kills that only a GPU runs.
//!
//! An entry names a mutant by the code of its line and by what it does. It holds for one state of its kernel:
//! where the kernel's code is another than when it was written, all its entries are stale and must be looked
//! at again. So it is with one whose mutant is gone, or is killed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use grader::{
    exit::{Result, Trouble},
    files::explain,
};
use serde::{Deserialize, Serialize};

use super::{edit::Mutant, source::Source};

/// The file's name in an exercise's folder of solutions.
pub const FILE: &str = "equivalent.toml";

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalents {
    /// One entry for each kernel that has any.
    #[serde(default)]
    kernel: Vec<OfKernel>,
}

/// A kernel's entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfKernel {
    /// `kernel.cu` or `steps/…`.
    file: PathBuf,
    /// What its code was when the entries were written ([`Stamp`]).
    code: String,
    /// The same program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    same: Vec<Alike>,
    /// Another program, which a case that only a GPU runs kills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    only_on_gpu: Vec<Alike>,
}

/// Mutants that pass on the simulator for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alike {
    /// Why they do: a sentence that holds for each of them.
    reason: String,
    /// Each by its name: the line before the change, what is done to it, and which of several such it is.
    mutants: Vec<String>,
}

/// A kernel and the name of one of its mutants.
type Key = (PathBuf, String);

/// What an entry names a mutant by.
pub fn name(mutant: &Mutant) -> String {
    let number = if mutant.number == 1 { String::new() } else { format!(" ({})", mutant.number) };
    format!("{}  →  {}{number}", mutant.code, mutant.what)
}

/// Why a mutant passes on the simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is the same program; the reason.
    Same(String),
    /// It fails where only a GPU has room; the reason.
    OnlyOnGpu(String),
}

/// The entries of an exercise that hold, each with its reason, and what is wrong with the others.
#[derive(Debug, Default)]
pub struct Listed {
    reasons: BTreeMap<Key, Why>,
    /// Sentences.
    pub problems: Vec<String>,
}

impl Listed {
    /// Reads an exercise's file. That there is none is nothing wrong.
    ///
    /// # Errors
    /// A file that cannot be read or understood.
    pub fn read(root: &Path, exercise: &str, sources: &[Source]) -> Result<Self> {
        let file = Path::new("solutions").join(exercise).join(FILE);
        let text = match fs::read_to_string(root.join(&file)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Listed::default()),
            Err(error) => {
                return Err(Trouble::judge(
                    format!("could not read {}: {}", file.display(), explain(&error)),
                    "make it readable",
                ));
            }
        };
        Listed::of(&text, &file, sources)
    }

    fn of(text: &str, file: &Path, sources: &[Source]) -> Result<Self> {
        let read: Equivalents = toml::from_str(text).map_err(|error| {
            Trouble::usage(format!("{}: {error}", file.display()), "write it as the other exercises do")
        })?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut listed = Listed::default();
        for kernel in read.kernel {
            let path = folder.join(&kernel.file);
            let Some(source) = sources.iter().find(|source| source.file == path) else {
                listed.problems.push(format!("{}: {} is no kernel", file.display(), kernel.file.display()));
                continue;
            };
            let now = Stamp::of(source).code;
            if now != kernel.code {
                listed.problems.push(format!(
                    "{}: the code of {} changed: look at its {} entries again, then write code = \"{now}\"",
                    file.display(),
                    kernel.file.display(),
                    kernel
                        .same
                        .iter()
                        .chain(&kernel.only_on_gpu)
                        .map(|each| each.mutants.len())
                        .sum::<usize>()
                ));
                continue;
            }
            let same = kernel.same.into_iter().map(|each| (each, Why::Same as fn(String) -> Why));
            let only_on_gpu = kernel.only_on_gpu.into_iter().map(|each| (each, Why::OnlyOnGpu as _));
            for (Alike { reason, mutants }, why) in same.chain(only_on_gpu) {
                if reason.trim().is_empty() {
                    listed.problems.push(format!("{}: no reason: {}", file.display(), mutants.join(", ")));
                }
                for mutant in mutants {
                    listed.reasons.insert((path.clone(), mutant), why(reason.clone()));
                }
            }
        }
        Ok(listed)
    }

    /// Why a mutant passes on the simulator, where somebody has said so.
    pub fn why(&self, mutant: &Mutant) -> Option<&Why> {
        self.reasons.get(&key(mutant))
    }

    /// The entries that name none of these mutants.
    pub fn without(&self, mutants: &[Mutant]) -> Vec<String> {
        let known: Vec<Key> = mutants.iter().map(key).collect();
        let gone = self.reasons.keys().filter(|key| !known.contains(key));
        gone.map(|(file, name)| format!("{}: no such mutant: {name}", file.display())).collect()
    }
}

/// A kernel, and what its code is in a few letters: comments and layout are no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The kernel's path below the course's root.
    pub file: PathBuf,
    /// The letters.
    pub code: String,
}

impl Stamp {
    /// That of a kernel.
    pub fn of(source: &Source) -> Self {
        let code = blake3::hash(source.code().as_bytes()).to_hex()[..12].to_owned();
        Stamp { file: source.file.clone(), code }
    }
}

/// Entries for these mutants of a kernel, as the file has them, to be given their reasons.
pub fn draft(kernel: &Stamp, mutants: &[&Mutant]) -> String {
    // Below `solutions/NN-name`.
    let file = kernel.file.components().skip(2).collect();
    let mutants = mutants.iter().map(|mutant| name(mutant)).collect();
    let same = vec![Alike { reason: String::new(), mutants }];
    let kernel = OfKernel { file, code: kernel.code.clone(), same, only_on_gpu: Vec::new() };
    // Strings and numbers: always TOML.
    toml::to_string_pretty(&Equivalents { kernel: vec![kernel] }).unwrap_or_default()
}

fn key(mutant: &Mutant) -> Key {
    (mutant.file.clone(), name(mutant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{generate, reach::Reach};

    const KERNEL: &str =
        "__global__ void k(int *out) {\n// >>>\nif (threadIdx.x == 0) { out[0] = 1; }\n// <<<\n}\n";

    fn source(text: &str) -> Source {
        Source::solution("solutions/00-a/kernel.cu".into(), text.to_owned()).ok().unwrap()
    }

    fn listed(text: &str, source: Source) -> Listed {
        let file = Path::new("solutions/00-a").join(FILE);
        Listed::of(text, &file, &[source]).unwrap_or_else(|trouble| panic!("{trouble}"))
    }

    #[test]
    fn an_entry_holds_for_its_kernels_code_and_no_other() {
        let mutants = generate::mutants(&source(KERNEL), &Reach::unlimited());
        let draft = draft(&Stamp::of(&source(KERNEL)), &[&mutants[0]]);
        let list = draft.replace("reason = \"\"", "reason = \"any thread may do it\"");
        let known = listed(&list, source(KERNEL));
        assert_eq!(known.why(&mutants[0]), Some(&Why::Same("any thread may do it".to_owned())));
        assert_eq!((known.why(&mutants[1]), &*known.problems), (None, &[][..]));
        let on_gpu = listed(&list.replace("kernel.same", "kernel.only_on_gpu"), source(KERNEL));
        assert!(matches!(on_gpu.why(&mutants[0]), Some(Why::OnlyOnGpu(_))));
        // A comment changes nothing, code does.
        let known = listed(&list, source(&KERNEL.replace("{\n", "{ // here\n\n")));
        assert!(known.why(&mutants[0]).is_some());
        let known = listed(&list, source(&KERNEL.replace("= 1", "= 2")));
        assert_eq!(known.why(&mutants[0]), None);
        assert!(known.problems[0].contains("the code of kernel.cu changed"), "{:?}", known.problems);
        // Neither do entries without a reason, and of kernels or mutants that are gone.
        assert!(listed(&draft, source(KERNEL)).problems[0].contains("no reason"));
        let gone = listed(&list.replace("kernel.cu", "steps/1.cu"), source(KERNEL));
        assert!(gone.problems[0].contains("is no kernel"));
        assert_eq!(listed(&list, source(KERNEL)).without(&mutants[1..]).len(), 1);
    }
}
