//! What was measured on this machine's GPUs: a file for each model and driver, in the cache of whoever runs this.
//!
//! A file that cannot be read, or that is not such a file, counts as none: everything in it can be measured again.

use std::{
    fs,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use harness::toolchain::cache_folder;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{Calibrated, Model};
use crate::files;

/// One file's content.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// The driver's version. With another one, other code runs.
    driver: String,
    /// What was measured.
    model: Model,
}

/// The place of one model and driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    path: PathBuf,
    gpu: String,
    driver: String,
}

impl Shelf {
    /// In the cache; none where there is no home to have one in.
    pub fn of(gpu: &str, driver: &str) -> Option<Self> {
        Some(Shelf::in_folder(&cache_folder().ok()?.join("speed"), gpu, driver))
    }

    /// In this folder.
    pub fn in_folder(folder: &Path, gpu: &str, driver: &str) -> Self {
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
        Shelf {
            path: folder.join(format!("{}_{}.json", plain(gpu), plain(driver))),
            gpu: gpu.to_owned(),
            driver: driver.to_owned(),
        }
    }

    /// What is kept of an exercise.
    pub fn take(&self, exercise: &str) -> Option<Calibrated> {
        self.read()?.model.exercises.remove(exercise)
    }

    /// Keeps what was measured of an exercise, beside what is there of others.
    ///
    /// # Errors
    /// Where the cache refuses.
    pub fn keep(&self, exercise: &str, calibrated: Calibrated) -> io::Result<()> {
        let new = || Kept {
            driver: self.driver.clone(),
            model: Model { name: self.gpu.clone(), exercises: Default::default() },
        };
        let mut kept = self.read().unwrap_or_else(new);
        kept.model.exercises.insert(exercise.to_owned(), calibrated);
        files::write_atomically(&self.path, &serde_json::to_vec_pretty(&kept)?)
    }

    /// Waits until no other process measures for this shelf, and keeps others waiting while the result lives. Without
    /// a cache to have a lock in, nobody waits.
    pub fn alone(&self) -> Option<File> {
        fs::create_dir_all(self.path.parent()?).ok()?;
        let lock = File::create(self.path.with_extension("lock")).ok()?;
        flock(&lock, FlockOperation::LockExclusive).ok()?;
        Some(lock)
    }

    /// Where it is, to tell people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> Option<Kept> {
        let kept: Kept = serde_json::from_slice(&fs::read(&self.path).ok()?).ok()?;
        (kept.driver == self.driver && kept.model.name == self.gpu).then_some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibrated(pass: f64) -> Calibrated {
        Calibrated { pass_speedup: Some(pass), ..Calibrated::of(&Default::default(), Vec::new()) }
    }

    #[test]
    fn what_is_kept_is_found_again_for_the_same_model_and_driver_alone() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = |gpu, driver| Shelf::in_folder(folder.path(), gpu, driver);
        let here = shelf("NVIDIA L4", "580.65");
        assert_eq!(here.take("03-reduction"), None);
        here.keep("03-reduction", calibrated(1.5)).unwrap();
        here.keep("06-transpose", calibrated(2.5)).unwrap();
        here.keep("03-reduction", calibrated(1.6)).unwrap();
        assert_eq!(here.take("03-reduction").unwrap().pass_speedup, Some(1.6));
        assert_eq!(here.take("06-transpose").unwrap().pass_speedup, Some(2.5));
        assert_eq!(shelf("NVIDIA L4", "581.10").take("03-reduction"), None);
        assert_eq!(shelf("NVIDIA L40", "580.65").take("03-reduction"), None);
        // Two names of one file are still two models.
        assert_eq!(shelf("NVIDIA/L4", "580.65").take("03-reduction"), None);
    }

    #[test]
    fn a_damaged_file_is_none_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path(), "NVIDIA L4", "580.65");
        shelf.keep("03-reduction", calibrated(1.5)).unwrap();
        let whole = fs::read(&shelf.path).unwrap();
        for damaged in [&whole[..whole.len() / 2], b"", b"[]", b"{\"driver\": 1}"] {
            fs::write(&shelf.path, damaged).unwrap();
            assert_eq!(shelf.take("03-reduction"), None);
            shelf.keep("06-transpose", calibrated(2.0)).unwrap();
            assert!(shelf.take("06-transpose").is_some());
        }
    }
}
