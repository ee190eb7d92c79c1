// Labels spread along a line until a round changes none; a flag in shared memory says whether one did.
//@ run --entry spread --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at ask and clear; also=barrier_divergence
//! defect 2: race at clear and raise|ask
//! defect 3: race at read and write
extern "C" __global__ void spread(const int* in, int* out)
{
    __shared__ int label[64];
    __shared__ int changed;
    int t = threadIdx.x;
    label[t] = in[t] / 4 * 4 == in[t] ? in[t] : 99; // <- write
    __syncthreads();
    for (;;) {
        if (t == 0) changed = 0; // <- clear
        int least = min(label[t], min(label[max(t - 1, 0)], label[min(t + 1, 63)])); // <- read
#if DEFECT != 2 && DEFECT != 3
        __syncthreads();
#elif DEFECT == 3
        __syncwarp();
#endif
        if (least < label[t]) {
            label[t] = least; // <- write
            changed = 1; // <- raise
        }
        __syncthreads();
        int again = changed; // <- ask
#if DEFECT != 1
        __syncthreads();
#endif
        if (!again) break;
    }
    out[t] = label[t];
}
//! label 1: it had no consequence; threads that read the flag before and after it is cleared leave the loop apart
