// Four warps multiply matrices that lie in shared memory by `wgmma`; the variants say of which numbers, how wide, and how often.
// entry: multiply
// arch: 90a
// grid: 2
// block: 128
// arg: out:u32:256
// variant: f16 = --define FORM=1
// variant: f16_twice = --define FORM=1 --define TIMES=2
// variant: bf16 = --define FORM=2
// variant: tf32 = --define FORM=3
// variant: s8 = --define FORM=4
// variant: e4m3 = --define FORM=5
// variant: f16_of_16_columns = --define FORM=6
// variant: f16_of_registers = --define FORM=7
// differs: shared_store_requests: the hardware counts instructions that a predicate turns off for every lane; they make no wavefront

#ifndef TIMES
#define TIMES 1
#endif

#define SUMS "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])

extern "C" __global__ void __launch_bounds__(128) multiply(unsigned* out)
{
    __shared__ __align__(1024) unsigned a[2048];
    __shared__ __align__(1024) unsigned b[512];
    for (unsigned i = threadIdx.x; i < 2048; i += 128) a[i] = 0;
    for (unsigned i = threadIdx.x; i < 512; i += 128) b[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    // Blocks of 8 rows by 16 bytes, side by side.
    auto tile = [](const void* at) {
        unsigned long long address = __cvta_generic_to_shared(at);
        return (address >> 4 & 0x3fff) | 1ull << 16 | 8ull << 32;
    };
    unsigned long long at_a = tile(a), at_b = tile(b);
    float d[8] = {};
    unsigned e[4] = {};
    unsigned f[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int time = 0; time < TIMES; ++time) {
#if FORM == 1
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : SUMS : "l"(at_a), "l"(at_b));
#elif FORM == 2
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : SUMS : "l"(at_a), "l"(at_b));
#elif FORM == 3
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;" : SUMS : "l"(at_a), "l"(at_b));
#elif FORM == 4
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 1;"
                     : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
                     : "l"(at_a), "l"(at_b));
#elif FORM == 5
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;" : SUMS : "l"(at_a), "l"(at_b));
#elif FORM == 6
        asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, 1, 1, 0, 0;"
                     : SUMS, "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "l"(at_a), "l"(at_b));
#elif FORM == 7
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;"
                     : SUMS
                     : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(at_b));
#endif
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[blockIdx.x * 128 + threadIdx.x] = d[0] + d[1] + d[2] + d[3] + d[4] + d[5] + d[6] + d[7] + e[0] + e[1] + e[2] + e[3];
}
