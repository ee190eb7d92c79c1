// Another name under which kernels include what <cuda_runtime.h> gives them.
#pragma once
#include <cuda_runtime.h>
