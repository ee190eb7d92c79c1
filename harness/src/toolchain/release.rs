//! The releases of CUDA whose compiler is pinned, and which of them a machine's GPU needs.
//!
//! CUDA 13's compiler is the course's. It makes no code for compute capabilities before 7.5, and a driver
//! runs only code of its own major version or of an older one; CUDA 12's last compiler stands in there.

use std::fmt;

use strum::VariantArray;

use super::{Version, packages};

/// A release of CUDA whose compiler is pinned, the preferred one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum Release {
    /// The course's own.
    Cuda13,
    /// For GPUs and drivers that CUDA 13 has left behind.
    Cuda12,
}

/// What decides which code a GPU runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuNeeds {
    /// The CUDA version of its driver as the driver gives it, e.g. 12040 for CUDA 12.4.
    pub driver_version: u32,
    /// Compute capability × 10.
    pub compute_capability: u32,
}

/// The first compute capability × 10 that CUDA 13 makes code for.
const LEAST_FOR_13: u32 = 75;
/// The first compute capability × 10 that CUDA 12 makes code for.
const LEAST_FOR_12: u32 = 50;

impl Release {
    /// The compiler's exact version.
    pub const fn version(self) -> Version {
        match self {
            Release::Cuda13 => Version { major: 13, minor: 0, build: Some(88) },
            Release::Cuda12 => Version { major: 12, minor: 9, build: Some(86) },
        }
    }

    /// The command that fetches it into the cache.
    pub fn install_command(self) -> String {
        packages::install_command(self)
    }

    /// The command that downloads its wheels to the folder `wheels`, for a machine with pip and a network.
    pub fn download_command(self) -> String {
        packages::download_command(packages::packages(self))
    }

    /// The release with this major version.
    pub fn of_major(major: u32) -> Option<Self> {
        Release::VARIANTS.iter().copied().find(|release| release.version().major == major)
    }

    /// The release that a GPU needs: the preferred one of those whose code it runs.
    ///
    /// # Errors
    /// Why it runs none's, in words.
    pub fn for_gpu(gpu: GpuNeeds) -> Result<Self, String> {
        let fits = |release: &Release| gpu.refuses(release.version()).is_none();
        Release::VARIANTS.iter().copied().find(fits).ok_or_else(|| {
            // The oldest release asks least, so what it lacks is the reason.
            gpu.refuses(Release::Cuda12.version()).unwrap_or_default()
        })
    }
}

impl GpuNeeds {
    /// Why this GPU does not run what a compiler of that version makes; none if it does.
    pub fn refuses(self, compiler: Version) -> Option<String> {
        let (driver, minor) = (self.driver_version / 1000, self.driver_version % 1000 / 10);
        // Within a major version, an older driver runs a newer compiler's machine code.
        if driver < compiler.major {
            return Some(format!(
                "its driver is for CUDA {driver}.{minor} and runs no code of CUDA {}",
                compiler.major
            ));
        }
        let least = if compiler.major >= 13 { LEAST_FOR_13 } else { LEAST_FOR_12 };
        (self.compute_capability < least).then(|| {
            let dotted = |capability: u32| format!("{}.{}", capability / 10, capability % 10);
            format!(
                "its compute capability is {} and CUDA {} makes code for {} and newer",
                dotted(self.compute_capability),
                compiler.major,
                dotted(least)
            )
        })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CUDA {}", self.version().major)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(driver_version: u32, compute_capability: u32) -> Result<Release, String> {
        Release::for_gpu(GpuNeeds { driver_version, compute_capability })
    }

    #[test]
    fn the_driver_and_the_compute_capability_decide() {
        assert_eq!(release(13000, 90), Ok(Release::Cuda13));
        assert_eq!(release(13010, 75), Ok(Release::Cuda13));
        // A future driver still runs older code.
        assert_eq!(release(14000, 120), Ok(Release::Cuda13));
        // Driver 570 and older.
        assert_eq!(release(12080, 90), Ok(Release::Cuda12));
        assert_eq!(release(12000, 75), Ok(Release::Cuda12));
        // A V100 or a Pascal, however new the driver.
        assert_eq!(release(13000, 70), Ok(Release::Cuda12));
        assert_eq!(release(12040, 61), Ok(Release::Cuda12));
    }

    #[test]
    fn what_no_release_serves_is_said() {
        assert_eq!(
            release(11080, 80).unwrap_err(),
            "its driver is for CUDA 11.8 and runs no code of CUDA 12"
        );
        assert_eq!(
            release(13000, 37).unwrap_err(),
            "its compute capability is 3.7 and CUDA 12 makes code for 5.0 and newer"
        );
    }

    #[test]
    fn the_reason_for_the_older_release_names_what_is_too_old() {
        let refuses = |driver_version, compute_capability| {
            GpuNeeds { driver_version, compute_capability }.refuses(Release::Cuda13.version())
        };
        assert_eq!(refuses(13000, 90), None);
        assert!(refuses(12040, 90).unwrap().starts_with("its driver is for CUDA 12.4"));
        assert!(refuses(13000, 70).unwrap().starts_with("its compute capability is 7.0"));
    }
}
