//! Stand-ins for the host headers that kernels include out of habit.
//!
//! NVRTC refuses `<stdio.h>` and `<stdint.h>`: it has no host library. Each header here gives what device
//! code can use of its namesake, so that a kernel which compiles with `nvcc` compiles here unchanged.

/// A header's name as a kernel includes it, and its text.
pub const SHIMS: &[(&str, &str)] = &[
    ("cuda_runtime.h", include_str!("shims/cuda_runtime.h")),
    ("cuda_runtime_api.h", include_str!("shims/cuda_runtime_forward.h")),
    ("cuda.h", include_str!("shims/cuda.h")),
    ("device_launch_parameters.h", include_str!("shims/empty.h")),
    ("device_functions.h", include_str!("shims/empty.h")),
    ("device_atomic_functions.h", include_str!("shims/empty.h")),
    ("sm_20_intrinsics.h", include_str!("shims/empty.h")),
    ("sm_30_intrinsics.h", include_str!("shims/empty.h")),
    ("assert.h", include_str!("shims/assert.h")),
    ("cassert", include_str!("shims/assert.h")),
    ("float.h", include_str!("shims/float.h")),
    ("cfloat", include_str!("shims/float.h")),
    ("limits.h", include_str!("shims/limits.h")),
    ("climits", include_str!("shims/limits.h")),
    ("math.h", include_str!("shims/math.h")),
    ("cmath", include_str!("shims/math.h")),
    ("stdbool.h", include_str!("shims/stdbool.h")),
    ("stddef.h", include_str!("shims/stddef.h")),
    ("cstddef", include_str!("shims/stddef.h")),
    ("stdint.h", include_str!("shims/stdint.h")),
    ("cstdint", include_str!("shims/stdint.h")),
    ("inttypes.h", include_str!("shims/stdint.h")),
    ("cinttypes", include_str!("shims/stdint.h")),
    ("stdio.h", include_str!("shims/stdio.h")),
    ("cstdio", include_str!("shims/stdio.h")),
    ("stdlib.h", include_str!("shims/stdlib.h")),
    ("cstdlib", include_str!("shims/stdlib.h")),
    ("string.h", include_str!("shims/string.h")),
    ("cstring", include_str!("shims/string.h")),
    ("time.h", include_str!("shims/time.h")),
    ("ctime", include_str!("shims/time.h")),
];

/// The header that `nvcc` includes ahead of every source file, and so does this compiler.
pub const ALWAYS: &str = "cuda_runtime.h";
