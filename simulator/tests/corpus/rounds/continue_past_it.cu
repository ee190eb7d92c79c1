// Rounds that data call empty are left by `continue`, by all threads alike; a thread searches its own list in each round, for as long as that takes.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at meet|behind; also=race,uninitialized_read
//! defect 2: barrier_divergence at meet|behind; also=race,uninitialized_read
//! defect 3: race at put and get
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t], found = 0;
    for (int k = 0; k < 12; ++k) {
        int at = (v + k) % 64;
        while (in[at] % 5 != 0) at = (at + 1) % 64;
        found += at;
#if DEFECT == 1
        if ((in[k] + (t & 1)) % 2) continue;
#elif DEFECT == 2
        if (in[k] % 3 && found % 3 == 0) continue;
#else
        if (in[k] % 3) continue;
#endif
        s[t] = found; // <- put
        __syncthreads(); // <- meet
        found += s[t ^ 33]; // <- get
#if DEFECT != 3
        __syncthreads(); // <- behind
#endif
    }
    out[t] = found;
}
