//! Where compilers lie: our cache, Python environments, CUDA toolkits.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use super::{Origin, Toolchain, Version, python};

/// Headers that kernels of the course may include, one from each package.
const PROBES: [&str; 3] = ["cooperative_groups.h", "cuda/std/cstdint", "crt/mma.h"];

/// The first compiler that is wanted, or else every one found, best first. The cheap places come first,
/// because asking Python for its path takes longer than a compilation.
pub(super) fn search(
    cache: Option<&Path>,
    preferred: Option<Version>,
    wanted: impl Fn(&Toolchain) -> bool,
) -> Found {
    let mut others = Vec::new();
    let places: [&dyn Fn() -> Vec<Toolchain>; 4] = [
        &|| cache.map(super::cache::installed_releases).unwrap_or_default(),
        &|| python::environments().iter().flat_map(|root| in_environment(root)).collect(),
        &in_toolkits,
        &in_python_path,
    ];
    for place in places {
        for candidate in place() {
            if wanted(&candidate) {
                return Found::Wanted(candidate);
            }
            others.push(candidate);
        }
    }
    // The right version without some headers is better than a wrong version; newer is better than older.
    others.sort_by_key(|each| {
        let Version { major, minor, build } = each.version;
        std::cmp::Reverse((Some(each.version) == preferred, each.note.is_none(), major, minor, build))
    });
    Found::Others(others)
}

/// What a search found.
pub(super) enum Found {
    /// The one that was wanted.
    Wanted(Toolchain),
    /// None of that kind, but these, best first.
    Others(Vec<Toolchain>),
}

/// The compiler at a path: its library, or a folder that has it somewhere where compilers have it.
pub(super) fn in_path(path: &Path) -> Option<Toolchain> {
    let path = path.canonicalize().ok()?;
    // `ROOT/targets/x86_64-linux/lib/libnvrtc.so.13` and `ROOT/nvidia/cu13/lib/libnvrtc.so.13` lie deepest.
    let roots: Vec<&Path> = path.ancestors().take(5).collect();
    let look = |place: fn(&Path) -> Vec<Toolchain>| {
        let mut found = roots.iter().flat_map(|root| place(root));
        found.find(|each| each.library.starts_with(&path))
    };
    // A package's folder looks like a toolkit, and only the package knows its build.
    look(|root| super::cache::installed_in(root).into_iter().collect())
        .or_else(|| look(in_packages))
        .or_else(|| look(|root| in_toolkit(root).into_iter().collect()))
}

fn missing_headers(directories: &[PathBuf]) -> Vec<&'static str> {
    PROBES
        .into_iter()
        .filter(|probe| !directories.iter().any(|directory| directory.join(probe).is_file()))
        .collect()
}

/// The compiler in a folder that we filled ourselves.
pub(super) fn in_folder(folder: &Path, origin: Origin, version: Version) -> Option<Toolchain> {
    candidate(&folder.join("lib"), &[folder.join("include")], origin, version)
}

/// A Python environment's packages, without starting Python. Debian calls the folder of its own Python otherwise.
fn in_environment(root: &Path) -> Vec<Toolchain> {
    let mut found = Vec::new();
    for python in ["lib", "lib64"].iter().flat_map(|lib| entries(&root.join(lib), "python3")) {
        for packages in ["site-packages", "dist-packages"] {
            found.extend(in_packages(&python.join(packages)));
        }
    }
    found
}

/// Every folder from which `python3` imports.
fn in_python_path() -> Vec<Toolchain> {
    let output = python::command("python3")
        .args(["-c", "import sys; print('\\n'.join(sys.path))"])
        .stderr(Stdio::null())
        .output();
    let Ok(output) = output else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter(|line| line.ends_with("-packages"))
        .flat_map(|line| in_packages(Path::new(line)))
        .collect()
}

/// A `site-packages` folder: CUDA 13's packages share one tree, CUDA 12's have one each.
fn in_packages(packages: &Path) -> Vec<Toolchain> {
    let nvidia = packages.join("nvidia");
    let mut found = Vec::new();
    let shared = nvidia.join("cu13");
    if let Some(version) = package_version(packages, "nvidia_cuda_nvrtc-") {
        found.extend(candidate(&shared.join("lib"), &[shared.join("include")], Origin::Python, version));
    }
    if let Some(version) = package_version(packages, "nvidia_cuda_nvrtc_cu12-") {
        let include = |package: &str| nvidia.join(package).join("include");
        let headers = [include("cuda_runtime"), include("cuda_cccl"), include("cuda_nvcc")];
        found.extend(candidate(&nvidia.join("cuda_nvrtc/lib"), &headers, Origin::Python, version));
    }
    found
}

/// Reads `13.0.88` from `nvidia_cuda_nvrtc-13.0.88.dist-info`.
fn package_version(packages: &Path, prefix: &str) -> Option<Version> {
    entries(packages, prefix).iter().find_map(|path| {
        let name = path.file_name()?.to_str()?;
        parse_version(name.strip_prefix(prefix)?.strip_suffix(".dist-info")?)
    })
}

fn in_toolkits() -> Vec<Toolchain> {
    let mut roots: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from).collect();
    roots.extend(entries(Path::new("/usr/local"), "cuda"));
    roots.push(PathBuf::from("/opt/cuda"));
    let mut found: Vec<Toolchain> = Vec::new();
    for toolchain in roots.iter().filter_map(|root| in_toolkit(root)) {
        // `/usr/local/cuda` is a link to one of its neighbours.
        if !found.iter().any(|each| each.library == toolchain.library) {
            found.push(toolchain);
        }
    }
    found
}

fn in_toolkit(root: &Path) -> Option<Toolchain> {
    let target =
        format!("targets/{}-linux/lib", if cfg!(target_arch = "aarch64") { "sbsa" } else { "x86_64" });
    [root.join("lib64"), root.join(&target), root.join("lib")]
        .into_iter()
        .find_map(|lib| candidate(&lib, &[root.join("include")], Origin::Toolkit, toolkit_version(&lib)?))
}

/// A toolkit's `libnvrtc.so.13` is a link to `libnvrtc.so.13.0.88`; where it is a file,
/// its builtins tell `13.0`.
fn toolkit_version(lib: &Path) -> Option<Version> {
    let versions = |prefix: &str| -> Option<Version> {
        entries(lib, prefix).iter().find_map(|path| {
            let real = path.canonicalize().ok()?;
            parse_version(real.file_name()?.to_str()?.strip_prefix(prefix)?)
        })
    };
    versions("libnvrtc.so.").or_else(|| versions("libnvrtc-builtins.so."))
}

/// `13.0.88` or `13.0`.
fn parse_version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(str::parse::<u32>);
    let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let build = parts.next().and_then(Result::ok);
    (major >= 12).then_some(Version { major, minor, build })
}

fn candidate(lib: &Path, headers: &[PathBuf], origin: Origin, version: Version) -> Option<Toolchain> {
    let Version { major, minor, .. } = version;
    let library = lib.join(format!("libnvrtc.so.{major}")).canonicalize().ok()?;
    let builtins = lib.join(format!("libnvrtc-builtins.so.{major}.{minor}")).canonicalize().ok()?;
    let mut include_directories = Vec::new();
    for directory in headers {
        for directory in [directory.clone(), directory.join("cccl")] {
            if let Ok(directory) = directory.canonicalize() {
                include_directories.push(directory);
            }
        }
    }
    let missing = missing_headers(&include_directories);
    let note = (!missing.is_empty()).then(|| {
        format!(
            "NVRTC {version} in {} comes without {}: kernels that include them do not compile",
            lib.display(),
            missing.join(", ")
        )
    });
    Some(Toolchain { library, builtins, include_directories, version, origin, note })
}

/// A directory's entries whose names start with a prefix, sorted; nothing where it cannot be read.
fn entries(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(all) = fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<PathBuf> = all
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::toolchain::PINNED;

    /// Makes empty files below a folder.
    fn make(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
    }

    const HEADERS: [&str; 3] =
        ["include/cooperative_groups.h", "include/cccl/cuda/std/cstdint", "include/crt/mma.h"];

    #[test]
    fn packages_of_both_majors_are_recognised() {
        let root = tempfile::tempdir().expect("a folder");
        make(root.path(), &["nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA"]);
        make(&root.path().join("nvidia/cu13"), &["lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0"]);
        let [bare] = &in_packages(root.path())[..] else { panic!("one compiler") };
        assert_eq!((bare.version, bare.is_pinned()), (PINNED, false));
        assert!(bare.note.as_deref().is_some_and(|note| note.contains("comes without cooperative_groups.h")));

        make(&root.path().join("nvidia/cu13"), &HEADERS);
        make(root.path(), &["nvidia_cuda_nvrtc_cu12-12.8.93.dist-info/METADATA"]);
        make(&root.path().join("nvidia/cuda_nvrtc/lib"), &["libnvrtc.so.12", "libnvrtc-builtins.so.12.8"]);
        let [pinned, older] = &in_packages(root.path())[..] else { panic!("two compilers") };
        assert!(pinned.is_pinned());
        assert_eq!(older.version.to_string(), "12.8.93");
        assert!(older.note.as_deref().is_some_and(|note| note.starts_with("NVRTC 12.8.93 in ")));
        assert!(!older.is_pinned());
    }

    #[test]
    fn an_environment_has_its_packages_where_its_system_puts_them() {
        for packages in
            ["lib/python3.9/site-packages", "lib64/python3.13/site-packages", "lib/python3/dist-packages"]
        {
            let root = tempfile::tempdir().expect("a folder");
            let packages = root.path().join(packages);
            make(&packages, &["nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA"]);
            make(&packages.join("nvidia/cu13"), &["lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0"]);
            make(&packages.join("nvidia/cu13"), &HEADERS);
            assert!(in_environment(root.path()).iter().any(Toolchain::is_pinned), "{}", packages.display());
        }
    }

    #[test]
    fn a_path_names_a_library_or_a_folder_around_it() {
        let root = tempfile::tempdir().expect("a folder");
        let (packages, toolkit) = (root.path().join("site-packages"), root.path().join("cuda-12.4"));
        make(&packages, &["nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA"]);
        make(&packages.join("nvidia/cu13"), &["lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0"]);
        make(&packages.join("nvidia/cu13"), &HEADERS);
        make(&toolkit, &["lib64/libnvrtc.so.12", "lib64/libnvrtc-builtins.so.12.4"]);
        for path in ["", "nvidia", "nvidia/cu13/lib", "nvidia/cu13/lib/libnvrtc.so.13"] {
            assert!(in_path(&packages.join(path)).is_some_and(|found| found.is_pinned()), "{path}");
        }
        for path in ["", "lib64", "lib64/libnvrtc.so.12"] {
            let found = in_path(&toolkit.join(path)).expect(path);
            assert_eq!(found.version.to_string(), "12.4");
        }
        for path in ["nvidia/cu13/include", "nvidia/cu13/lib/libnvrtc-builtins.so.13.0", "nowhere"] {
            assert_eq!(in_path(&packages.join(path)), None, "{path}");
        }
        assert_eq!(in_path(root.path()), None);
    }

    #[test]
    fn a_toolkit_tells_its_version_by_the_file_behind_the_link() {
        let root = tempfile::tempdir().expect("a folder");
        make(root.path(), &["lib64/libnvrtc.so.13.0.88", "lib64/libnvrtc-builtins.so.13.0.88"]);
        make(root.path(), &HEADERS);
        let link = |target: &str, name: &str| symlink(target, root.path().join("lib64").join(name));
        link("libnvrtc.so.13.0.88", "libnvrtc.so.13").expect("a link");
        link("libnvrtc-builtins.so.13.0.88", "libnvrtc-builtins.so.13.0").expect("a link");
        let toolchain = in_toolkit(root.path()).expect("a compiler");
        assert!(toolchain.is_pinned());
        assert_eq!(toolchain.origin, Origin::Toolkit);
        assert_eq!(toolchain.include_directories.len(), 2);
    }

    #[test]
    fn versions_older_than_12_are_none() {
        assert_eq!(parse_version("11.8.89"), None);
        assert_eq!(parse_version("13.0.88"), Some(PINNED));
        assert_eq!(parse_version("13.1").map(|version| version.to_string()).as_deref(), Some("13.1"));
        assert_eq!(parse_version("alt"), None);
    }
}
