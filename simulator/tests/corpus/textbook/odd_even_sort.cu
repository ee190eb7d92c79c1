// Odd and even transpositions by half as many threads as elements, a barrier after each phase.
//@ run --entry sort --grid 1 --block 50 --arg in:i32:100=iota --arg out:i32:100
//! clean
//! defect 1: race at swap and swap
//! defect 2: race at fill and swap
//! defect 3: out_of_bounds at swap
//! defect 4: barrier_divergence at meet|behind; also=race
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int s[100];
    int t = threadIdx.x;
    s[t] = in[t] * 37 % 100; // <- fill
    s[t + 50] = in[t + 50] * 37 % 100; // <- fill
#if DEFECT != 2
    __syncthreads();
#endif
    for (int phase = 0; phase < 100; ++phase) {
        int i = 2 * t + (phase & 1);
#if DEFECT == 3
        if (i < 100) {
#else
        if (i + 1 < 100) {
#endif
            int a = s[i], b = s[i + 1]; // <- swap
            if (a > b) {
                s[i] = b; // <- swap
                s[i + 1] = a; // <- swap
            }
#if DEFECT == 4
            __syncthreads(); // <- meet
#endif
        }
#if DEFECT != 1 && DEFECT != 4
        __syncthreads(); // <- meet
#endif
    }
    __syncthreads(); // <- behind
    out[t] = s[t];
    out[t + 50] = s[t + 50];
}
