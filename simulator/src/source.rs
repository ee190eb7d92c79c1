//! Places in the learner's source, as `.loc` lines name them.

use serde::{Deserialize, Serialize};

use crate::ir::SourceIndex;

/// A position in a source file. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The file as the compiler recorded it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column; 0 where the compiler gave none.
    pub column: u32,
}

/// Where every instruction of a program comes from.
///
/// An entry is a chain of places: the innermost line, then the line that it was inlined
/// into, and so on outward.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    chains: Vec<Vec<Place>>,
}

impl SourceMap {
    /// Adds a chain, innermost place first, and returns its index. Equal chains are the caller's to merge.
    pub fn add(&mut self, chain: Vec<Place>) -> SourceIndex {
        self.chains.push(chain);
        SourceIndex(self.chains.len() as u32)
    }

    /// The whole chain, innermost place first; empty for [`SourceIndex::NONE`].
    pub fn chain(&self, source: SourceIndex) -> &[Place] {
        match source.0.checked_sub(1) {
            Some(index) => &self.chains[index as usize],
            None => &[],
        }
    }

    /// The learner's line: the innermost place that is not in the toolkit's headers. `None` when there is
    /// none, as in library wrappers that were not inlined: then the caller's line is meant.
    pub fn place(&self, source: SourceIndex) -> Option<&Place> {
        self.chain(source).iter().find(|place| !is_toolkit(&place.file))
    }

    /// Number of entries, so that indices are `1..=len`.
    pub fn len(&self) -> usize {
        self.chains.len()
    }
}

/// True for files that are not the learner's: the compiler's own, the toolkit's headers, our headers.
pub fn is_toolkit(file: &str) -> bool {
    const FOLDERS: [&str; 7] = [
        "/include/cccl/",
        "/include/cooperative_groups",
        "/include/crt/",
        "/cuda/std/",
        "/nvidia/cu",
        "/cub/",
        "/thrust/",
    ];
    const HEADERS: [&str; 1] = ["course.cuh"];
    const STEMS: [&str; 18] = [
        "__nv_nvrtc_builtin_header",
        "builtin_types",
        "channel_descriptor",
        "common_functions",
        "cooperative_groups",
        "cuda_",
        "curand_",
        "device_atomic_functions",
        "device_double_functions",
        "device_functions",
        "device_types",
        "driver_types",
        "host_defines",
        "math_constants",
        "math_functions",
        "sm_",
        "vector_functions",
        "vector_types",
    ];
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    if name.ends_with(".cu") {
        // Whatever the folder is called that the learner works in.
        return false;
    }
    let header =
        name.ends_with(".h") || name.ends_with(".hpp") || name.ends_with(".cuh") || !name.contains('.');
    FOLDERS.iter().any(|folder| file.contains(folder))
        || HEADERS.contains(&name)
        || header && (file.starts_with("/usr/") || STEMS.iter().any(|stem| name.starts_with(stem)))
}

#[cfg(test)]
mod tests {
    use super::is_toolkit;

    #[test]
    fn headers_of_the_toolkit_are_known_from_the_learners() {
        for file in [
            "/opt/nvidia/cu13/include/cuda_fp16.h",
            "cuda_fp16.hpp",
            "/usr/local/cuda/include/crt/x.h",
            "course.cuh",
            "__nv_nvrtc_builtin_header.h",
        ] {
            assert!(is_toolkit(file), "{file}");
        }
        for file in [
            "kernel.cu",
            "/home/ada/vector_add.cuh",
            "mma_tiles.cuh",
            "/home/ada/helpers.h",
            "cuda_notes.cu",
            "/home/ada/cub/kernel.cu",
            "./thrust/include/cccl/sort.cu",
        ] {
            assert!(!is_toolkit(file), "{file}");
        }
    }
}
