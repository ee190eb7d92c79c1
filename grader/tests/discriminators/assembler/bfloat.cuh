// The same in bfloat16.
#include <cuda_bf16.h>
__device__ bool tells() {
    __nv_bfloat16 x = __float2bfloat16(1.1f * blockDim.z);
    __nv_bfloat16 y = __hmul_rn(x, x);
    return __bfloat162float(x * x - y) != 0.0f;
}
