//@ run --entry hand_over --grid 1 --block 64 --arg out:i32:32
// One warp writes and arrives at a barrier in shared memory; the other waits for the phase, relaxed, and reads.
extern "C" __global__ void hand_over(int* out)
{
    __shared__ int tile[32];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        asm volatile("{ .reg .b64 state; mbarrier.arrive.release.cta.shared::cta.b64 state, [%0]; }" :: "r"(at) : "memory");
    } else {
        unsigned over = 0;
        while (!over) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(over) : "r"(at) : "memory");
        }
        out[threadIdx.x - 32] = tile[threadIdx.x - 32];
    }
}
