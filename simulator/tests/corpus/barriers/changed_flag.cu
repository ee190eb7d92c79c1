// Threads relax a line of cells until a round changes nothing. The flag must be read by all before it is put back.
//@ run --entry relax --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at look and reset; also=barrier_divergence
//! defect 2: race at back and raise
extern "C" __global__ void relax(const int* in, int* out)
{
    __shared__ int cell[64];
    __shared__ int changed;
    int t = threadIdx.x;
    cell[t] = in[t];
    while (true) {
        __syncthreads();
        if (t == 0) changed = 0; // <- back
#if DEFECT != 2
        __syncthreads();
#endif
        int best = cell[t];
        if (t > 0 && cell[t - 1] < best) best = cell[t - 1];
        bool better = best != cell[t];
        if (better) atomicExch(&changed, 1); // <- raise
        __syncthreads();
        cell[t] = best;
        bool stop = changed == 0; // <- look
#if DEFECT != 1
        __syncthreads();
#endif
        if (stop) break;
#if DEFECT == 1
        if (t == 0) changed = 0; // <- reset
#endif
    }
    out[t] = cell[t];
}
//! label 1: the line was in falling order at first, so that nobody ever raised the flag and the loop ended at once: the kernel had no race. Threads that read the flag too late also leave the loop apart
//! label 2: the same
