// One warp ticks: a tick is a phase, in which each of its lanes arrives once and for which it waits.
//@ run --entry ticks --grid 1 --block 64 --arg out:i32:64
//! clean
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
            while (!ptx::mbarrier_try_wait_parity(&tick, i % 2));
        }
    } else {
        // Of the last phase alone: the others may be over by then.
        while (!ptx::mbarrier_try_wait_parity(&tick, (TICKS - 1) % 2) && seen < 1000)
            ++seen;
    }
    out[t] = t < 32 ? TICKS : seen >= 0;
}
