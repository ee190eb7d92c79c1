// A 64-bit value is written by one thread and read by another as two words; or written by halves by two threads.
//@ run --entry halves --grid 1 --block 64 --arg in:i32:64=iota --arg out:u64:32
//! clean
//! defect 1: race at whole and half
//! defect 2: race at half
//! defect 3: misaligned at odd
extern "C" __global__ void halves(const int* in, unsigned long long* out)
{
    __shared__ unsigned long long s[34];
    int t = threadIdx.x, i = t / 2;
    if (t < 32) {
        s[t] = 0;
    }
    __syncthreads();
#if DEFECT == 1
    if (t % 2 == 0) s[i] = in[t]; // <- whole
    else ((unsigned*)&s[i])[1] = in[t]; // <- half
#elif DEFECT == 2
    ((unsigned*)&s[i])[t > 40 ? 0 : t % 2] = in[t]; // <- half
#else
    ((unsigned*)&s[i])[t % 2] = in[t];
#endif
    __syncthreads();
#if DEFECT == 3
    if (t < 32) out[t] = *(unsigned long long*)((unsigned*)s + 2 * t + (t == 7)); // <- odd
#else
    if (t < 32) out[t] = s[t];
#endif
}
