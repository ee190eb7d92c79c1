// A barrier for 96 threads at which 64 come.
//@ run --entry some --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96 --budget 2000000
//! clean
//! defect 1: deadlock|barrier_divergence at meet
extern "C" __global__ void some(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
#if DEFECT
        asm volatile("bar.sync 3, 96;" ::: "memory"); // <- meet
#else
        asm volatile("bar.sync 3, 64;" ::: "memory");
#endif
        out[t] = s[63 - t];
    } else {
        out[t] = 0;
    }
}
