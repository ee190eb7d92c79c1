// Four threads set a member each of one structure, which another then takes as a whole.
//@ run --entry members --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:16
//! clean
//! defect 1: race at set and take
//! defect 2: race at wider and set
//! defect 3: uninitialized_read at take|result
//! defect 4: barrier_divergence at barrier|result; also=race,uninitialized_read
struct Mixed {
    int a;
    short b;
    char c, d;
};
__device__ __noinline__ int sum(Mixed of) { return of.a + of.b + of.c + of.d; }
extern "C" __global__ void members(const int* in, int* out)
{
    __shared__ Mixed all[16];
    const int t = threadIdx.x;
    Mixed& mine = all[t / 4];
    switch (t % 4) {
    case 0: mine.a = in[t]; break; // <- set
#if DEFECT == 2
    case 1: *(int*)&mine.b = in[t]; break; // <- wider
#else
    case 1: mine.b = in[t]; break; // <- set
#endif
    case 2: mine.c = in[t]; break; // <- set
#if DEFECT != 3
    case 3: mine.d = in[t]; break; // <- set
#endif
    }
#if DEFECT == 4
    if (t < 48) __syncthreads(); // <- barrier
#elif DEFECT != 1
    __syncthreads(); // <- barrier
#endif
    if (t < 16) {
        const Mixed other = all[15 - t]; // <- take
        out[t] = sum(other); // <- result
    }
#if DEFECT == 4
    else if (t >= 48) {
        all[t % 16].a = 0; // <- result
    }
    __syncthreads(); // <- barrier
#endif
}
