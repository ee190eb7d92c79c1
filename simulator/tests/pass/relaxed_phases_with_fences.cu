//@ run --entry hand_over --grid 4 --block 64 --arg out:i32:128
// One warp writes and arrives at a barrier in shared memory, the other waits for the phase and reads. A relaxed arrival or wait orders
// nothing by itself: the fence before the arrival, or behind the wait, does. Each block has its fences elsewhere.
__device__ __forceinline__ void arrive(unsigned at, bool relaxed)
{
    if (relaxed) asm volatile("{ .reg .b64 state; mbarrier.arrive.relaxed.cta.shared::cta.b64 state, [%0]; }" :: "r"(at) : "memory");
    else asm volatile("{ .reg .b64 state; mbarrier.arrive.release.cta.shared::cta.b64 state, [%0]; }" :: "r"(at) : "memory");
}

__device__ __forceinline__ void wait(unsigned at, bool relaxed)
{
    for (unsigned over = 0; !over;) {
        if (relaxed) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                                  : "=r"(over) : "r"(at) : "memory");
        else asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                          : "=r"(over) : "r"(at) : "memory");
    }
}

extern "C" __global__ void hand_over(int* out)
{
    __shared__ int tile[32];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const bool arrives_relaxed = blockIdx.x != 1, waits_relaxed = blockIdx.x == 1 || blockIdx.x == 2;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        if (blockIdx.x == 0) asm volatile("fence.acq_rel.cta;" ::: "memory");
        if (blockIdx.x >= 2) __threadfence_block();
        // In the last block the lane that arrives has no fence of its own behind what it knows of the others.
        if (blockIdx.x == 3) __syncwarp();
        arrive(at, arrives_relaxed);
    } else {
        wait(at, waits_relaxed);
        if (blockIdx.x == 1) asm volatile("fence.acq_rel.cta;" ::: "memory");
        if (blockIdx.x == 2) __threadfence_block();
        out[32 * blockIdx.x + threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}
