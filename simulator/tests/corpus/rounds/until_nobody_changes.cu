// A loop goes on until no thread has changed anything, which a barrier with a reduction tells all; inside, threads sweep their stretch as often as they need.
//@ run --entry sweep --grid 1 --block 48 --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: race at edge and edge
//! defect 2: barrier_divergence at vote|after; also=race,unfinished,deadlock
extern "C" __global__ void sweep(const int* in, int* out)
{
    __shared__ int s[193];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) s[t * 4 + k] = in[t * 4 + k] * 77 % 97;
    if (t == 0) s[192] = 1000;
    __syncthreads();
    bool changed = true;
    while (changed) {
        bool mine = false;
        bool again = true;
        while (again) {
            again = false;
            for (int k = 0; k < 3; ++k)
                if (s[t * 4 + k] > s[t * 4 + k + 1]) {
                    int x = s[t * 4 + k];
                    s[t * 4 + k] = s[t * 4 + k + 1]; // <- edge
                    s[t * 4 + k + 1] = x; // <- edge
                    mine = again = true;
                }
        }
#if DEFECT != 1
        __syncthreads();
#endif
        if (t < 47 && s[t * 4 + 3] > s[t * 4 + 4]) { // <- edge
            int x = s[t * 4 + 3];
            s[t * 4 + 3] = s[t * 4 + 4]; // <- edge
            s[t * 4 + 4] = x; // <- edge
            mine = true;
        }
#if DEFECT == 2
        if (!mine) break;
        changed = __syncthreads_or(mine); // <- vote
#else
        changed = __syncthreads_or(mine); // <- vote
#endif
    }
    for (int k = 0; k < 4; ++k) out[t * 4 + k] = s[t * 4 + k]; // <- after
}
