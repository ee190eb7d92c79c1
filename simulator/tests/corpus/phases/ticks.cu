// One warp ticks: a tick is a phase, in which each of its lanes arrives once. The lanes meet between ticks.
//@ run --entry ticks --grid 1 --block 64 --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at tick
//! defect 2: barrier_divergence at tick
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int TICKS = 4;
extern "C" __global__ void ticks(int* out)
{
    __shared__ alignas(8) uint64_t tick;
    const int t = threadIdx.x;
    if (t == 0)
        ptx::mbarrier_init(&tick, 32);
    __syncthreads();
    int seen = 0;
    if (t < 32) {
        for (int i = 0; i < TICKS; ++i) {
            ptx::mbarrier_arrive(&tick); // <- tick
#if DEFECT == 0
            // Who is past this knows that all 32 have arrived.
            __syncwarp();
#elif DEFECT == 2
            // Half of the lanes know of each other.
            __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
#endif
        }
    } else {
        // Of the last phase alone: the others may be over by then.
        while (!ptx::mbarrier_try_wait_parity(&tick, (TICKS - 1) % 2) && seen < 1000)
            ++seen;
    }
    out[t] = t < 32 ? TICKS : seen >= 0;
}
