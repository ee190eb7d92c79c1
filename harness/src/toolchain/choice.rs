//! Which compiler is asked for: the pinned one, or another by version or by path.

use std::{convert::Infallible, fmt, path::PathBuf, str::FromStr};

use strum::VariantArray;

use super::{Release, Toolchain, Version};

/// What `--compiler` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CompilerChoice {
    /// The pinned one that the GPU needs.
    #[default]
    Pinned,
    /// One whose version begins with these numbers: `12`, `12.9` or `12.9.86`.
    Version(Vec<u32>),
    /// The library itself, or a folder that has it: a toolkit, a `site-packages`, an unpacked wheel.
    Path(PathBuf),
}

impl FromStr for CompilerChoice {
    type Err = Infallible;
    /// Numbers are a version, everything else is a path; whether that exists is seen when it is looked for.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let numbers = text.split('.').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        Ok(match numbers {
            Ok(numbers) if numbers.len() <= 3 => CompilerChoice::Version(numbers),
            _ => CompilerChoice::Path(PathBuf::from(text)),
        })
    }
}

impl fmt::Display for CompilerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompilerChoice::Pinned => f.write_str("the pinned compiler"),
            CompilerChoice::Version(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                write!(f, "NVRTC {}", numbers.join("."))
            }
            CompilerChoice::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

impl CompilerChoice {
    /// Whether a version is what was asked for.
    pub(super) fn accepts(&self, version: Version) -> bool {
        let CompilerChoice::Version(wanted) = self else { return false };
        let mut parts = [Some(version.major), Some(version.minor), version.build].into_iter();
        wanted.iter().all(|number| parts.next().flatten() == Some(*number))
    }

    /// The pinned release that was asked for by its version; it can be fetched.
    pub fn release(&self) -> Option<Release> {
        Release::VARIANTS.iter().copied().find(|release| self.accepts(release.version()))
    }
}

/// What a report says about a compiler that is not the course's own.
pub(super) fn note(found: &Toolchain, why: &str) -> Option<String> {
    let pinned = Release::Cuda13.version();
    let other = (found.version != pinned).then(|| {
        format!(
            "using NVRTC {} in {} instead of the pinned {pinned}{why}: findings and counters may differ from the ones \
             that the course was tested with",
            found.version,
            found.library.parent().unwrap_or(&found.library).display(),
        )
    });
    let notes: Vec<String> = other.into_iter().chain(found.note.clone()).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> CompilerChoice {
        let Ok(choice) = text.parse();
        choice
    }

    #[test]
    fn numbers_are_versions_and_the_rest_are_paths() {
        assert_eq!(choice("12"), CompilerChoice::Version(vec![12]));
        assert_eq!(choice("12.9.86").release(), Some(Release::Cuda12));
        assert_eq!(choice("13").release(), Some(Release::Cuda13));
        assert_eq!(choice("12.8").release(), None);
        assert_eq!(choice("/opt/cuda"), CompilerChoice::Path("/opt/cuda".into()));
        assert_eq!(choice("libnvrtc.so.12"), CompilerChoice::Path("libnvrtc.so.12".into()));
    }

    #[test]
    fn a_version_is_accepted_by_as_many_numbers_as_were_given() {
        let version = |build| Version { major: 12, minor: 9, build };
        assert!(choice("12").accepts(version(None)) && choice("12.9.86").accepts(version(Some(86))));
        // A toolkit that does not say its build is not that build.
        assert!(!choice("12.9.86").accepts(version(None)) && !choice("12.8").accepts(version(Some(86))));
        assert!(!CompilerChoice::Pinned.accepts(version(None)));
    }
}
