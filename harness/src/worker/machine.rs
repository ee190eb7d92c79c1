//! How much memory this machine, or the container or batch job that this process runs in, has.

use std::{fs, path::Path};

/// Bytes of memory of this machine, or of the container or batch job; none where the system does not say.
pub fn memory() -> Option<u64> {
    let all = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    all.into_iter().chain(control_group(&own, Path::new("/sys/fs/cgroup"))).min()
}

/// `MemTotal:        8151024 kB`
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

/// The least limit of a control group (version 2) and those above it, from `0::/a/b`.
fn control_group(own: &str, root: &Path) -> Option<u64> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    root.join(path)
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        // The root group has no limit, or the file says `max`.
        .filter_map(|folder| fs::read_to_string(folder.join("memory.max")).ok()?.trim().parse::<u64>().ok())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_limit_counts() {
        assert_eq!(total("MemFree: 1 kB\nMemTotal:        2048 kB\n"), Some(2 << 20));
        assert_eq!(total("nonsense"), None);
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("job/step");
        fs::create_dir_all(&inner).expect("folders");
        assert_eq!(control_group("0::/job/step\n", folder.path()), None);
        fs::write(inner.join("memory.max"), "max\n").expect("a file");
        fs::write(folder.path().join("job/memory.max"), "4096\n").expect("a file");
        fs::write(folder.path().join("memory.max"), "8192\n").expect("a file");
        assert_eq!(control_group("1:cpu:/x\n0::/job/step\n", folder.path()), Some(4096));
    }
}
