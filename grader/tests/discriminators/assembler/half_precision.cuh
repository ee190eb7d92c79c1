// The same in half precision.
#include <cuda_fp16.h>
__device__ bool tells() {
    __half x = __float2half(1.1f * blockDim.z);
    __half y = __hmul_rn(x, x);
    return __half2float(x * x - y) != 0.0f;
}
