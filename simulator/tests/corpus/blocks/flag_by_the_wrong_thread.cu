// A whole block writes, one thread raises the flag: only behind a barrier is the data of the others there.
//@ run --entry hand_over --grid 2 --block 64 --arg inout:i32:64=zeros --arg inout:i32:1=zeros --arg out:i32:64
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * 3; // <- publish
#if DEFECT != 1
        __syncthreads();
#endif
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
#if DEFECT != 2
        __syncthreads();
#endif
        out[t] = data[63 - t]; // <- consume
    }
}
