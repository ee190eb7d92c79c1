//! The published packages that make up each pinned compiler, with the hash of every wheel.
//!
//! The names and versions are the registry's; the hashes are what makes a download from any mirror safe.

use std::{env::consts::ARCH, fmt::Write as _};

use super::{Release, ToolchainError};

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

/// The packages of a release: the compiler, its runtime headers, the CUDA C++ core
/// libraries, the headers of `mma.h`.
pub(super) fn packages(release: Release) -> &'static [Package] {
    match release {
        Release::Cuda13 => &CUDA_13,
        Release::Cuda12 => &CUDA_12,
    }
}

const CUDA_13: [Package; 4] = [
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

/// CUDA 12 has the headers of `mma.h` in the package of its command-line compiler.
const CUDA_12: [Package; 4] = [
    Package {
        name: "nvidia-cuda-nvrtc-cu12",
        version: "12.9.86",
        x86_64: Wheel {
            sha256: "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4",
            bytes: 89_568_129,
        },
        aarch64: Wheel {
            sha256: "096d4de6bda726415dfaf3198d4f5c522b8e70139c97feef5cd2ca6d4cd9cead",
            bytes: 44_528_905,
        },
    },
    Package {
        name: "nvidia-cuda-runtime-cu12",
        version: "12.9.79",
        x86_64: Wheel {
            sha256: "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
            bytes: 3_493_179,
        },
        aarch64: Wheel {
            sha256: "83469a846206f2a733db0c42e223589ab62fd2fabac4432d2f8802de4bded0a4",
            bytes: 3_515_012,
        },
    },
    Package {
        name: "nvidia-cuda-cccl-cu12",
        version: "12.9.27",
        x86_64: Wheel {
            sha256: "37869e17ce2e1ecec6eddf1927cca0f8c34e64fd848d40453df559091e2d7117",
            bytes: 3_152_243,
        },
        aarch64: Wheel {
            sha256: "d7898b38aa68beaa234d48f0868273702342a196d6e2e9d0ef058dca2390ebea",
            bytes: 3_152_245,
        },
    },
    Package {
        name: "nvidia-cuda-nvcc-cu12",
        version: "12.9.86",
        x86_64: Wheel {
            sha256: "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
            bytes: 40_546_229,
        },
        aarch64: Wheel {
            sha256: "44e1eca4d08926193a558d2434b1bf83d57b4d5743e0c431c0c83d51da1df62b",
            bytes: 39_411_138,
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
pub(super) fn download_command(packages: &[Package]) -> String {
    let all: Vec<String> = packages.iter().map(Package::requirement).collect();
    format!(
        "python3 -m pip download --no-deps --only-binary=:all: --platform manylinux2014_{ARCH} --dest wheels {}",
        all.join(" ")
    )
}

/// The command that fetches a release into the cache.
pub(super) fn install_command(release: Release) -> String {
    match release {
        Release::Cuda13 => "grader compiler install".to_owned(),
        Release::Cuda12 => "grader compiler install --cuda 12".to_owned(),
    }
}

/// The way around pip or a network that this machine lacks.
pub(super) fn advice(release: Release) -> String {
    format!(
        "Without pip or a network here, run\n  {}\non a machine that has both, copy the folder here and type\n  \
         {} --from wheels",
        download_command(packages(release)),
        install_command(release)
    )
}
