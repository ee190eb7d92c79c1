// Threads relax a line of cells until a round changes nothing. The flag must be read by all before it is put back.
//! launch relax grid=1 block=64 in:i32:64=iota out:i32:64
//! clean
//! defect 1: race at look and reset
//! defect 2: race at back and raise
extern "C" __global__ void relax(const int* in, int* out)
{
    __shared__ int cell[64];
    __shared__ int changed;
    int t = threadIdx.x;
    cell[t] = in[63 - t];
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
