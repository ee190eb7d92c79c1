//@ run --entry product --grid 1 --block 128 --arg out:f32:512
// One function multiplies and gives back what is in flight, another waits, and a third uses it: no one of them is inlined.
#include <cuda_fp16.h>

__noinline__ __device__ float4 multiply(unsigned long long a, unsigned long long b, float4 c)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    return c;
}

__noinline__ __device__ void wait()
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__noinline__ __device__ void store(float* out, float4 c)
{
    out[0] = c.x + 1;
    out[1] = c.y + 1;
    out[2] = c.z + 1;
    out[3] = c.w + 1;
}

__device__ unsigned long long described(const void* p)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
}

extern "C" __global__ void product(float* out)
{
    __shared__ alignas(128) __half a[1024], b[128];
    const int t = threadIdx.x;
    for (int i = t; i < 1024; i += 128) a[i] = __int2half_rn(i / 128);
    b[t] = __int2half_rn(1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float4 c = multiply(described(a), described(b), make_float4(1, 2, 3, 4));
    wait();
    store(out + 4 * t, c);
}
