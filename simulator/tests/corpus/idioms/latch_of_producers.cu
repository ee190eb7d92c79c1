// Two warps count a latch down when their halves are written; the other two wait for it.
//@ run --entry halves --grid 1 --block 128 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at fill and use
//! defect 2: race at fill and use
//! defect 3: deadlock at wait
#include <cuda/latch>
using Latch = cuda::latch<cuda::thread_scope_block>;
extern "C" __global__ void halves(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ alignas(Latch) unsigned char place[sizeof(Latch)];
    Latch& ready = *reinterpret_cast<Latch*>(place);
    int t = threadIdx.x;
#if DEFECT == 3
    if (t == 0) new (place) Latch(65);
#else
    if (t == 0) new (place) Latch(64);
#endif
    __syncthreads();
    if (t < 64) {
#if DEFECT == 2
        ready.count_down();
        s[t] = in[t] * 5; // <- fill
#else
        s[t] = in[t] * 5; // <- fill
        ready.count_down();
#endif
    } else {
#if DEFECT != 1
        ready.wait(); // <- wait
#endif
        out[t - 64] = s[127 - t]; // <- use
    }
}
//! open 3: it is `unfinished` at the right line: the library reads the clock as it waits, so that no two rounds are the same
