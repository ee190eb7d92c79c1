//! A course's sources: where they are.

use std::path::{Path, PathBuf};

use crate::{
    exit::{Result, Trouble},
    folder::current_directory,
    visible::one_line,
};

/// The course's root: the nearest folder with `exercises` and `solutions`.
///
/// # Errors
/// Wrong usage where there is none.
pub fn root() -> Result<PathBuf> {
    let here = current_directory()?;
    let found = here
        .ancestors()
        .find(|folder| folder.join("exercises").is_dir() && folder.join("solutions").is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        Trouble::usage(
            format!("{} is in no checkout of a course", one_line(&here.to_string_lossy())),
            "run it below the folder that has exercises/ and solutions/",
        )
    })
}
