// Labels spread along a chain until __syncthreads_or() says that none has changed.
//@ run --entry spread --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at look and lower
//! defect 2: barrier_divergence at vote|own; also=race,deadlock,unfinished
//! defect 3: out_of_bounds at look
//! defect 4: race at lower and look; also=barrier_divergence,deadlock,unfinished
extern "C" __global__ void spread(const int* in, int* out)
{
    __shared__ int label[64];
    int t = threadIdx.x;
    label[t] = in[63 - t];
    __syncthreads();
    int changed = 1;
    while (changed) {
        int mine = label[t], least = mine; // <- look
#if DEFECT == 3
        least = min(least, label[t - 1]); // <- look
#else
        if (t > 0) least = min(least, label[t - 1]); // <- look
#endif
        if (t < 63) least = min(least, label[t + 1]); // <- look
#if DEFECT != 1
        __syncthreads(); // <- vote
#endif
        if (least < mine) label[t] = least; // <- lower
#if DEFECT == 2
        changed = least < mine; // <- own
        if (changed) __syncthreads(); // <- vote
#elif DEFECT == 4
        changed = __any_sync(~0u, least < mine);
#else
        changed = __syncthreads_or(least < mine); // <- vote
#endif
    }
    out[t] = label[t]; // <- look
}
