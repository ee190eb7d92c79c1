// A lane waits for another of its own warp, which comes to its work later in the source: lanes make progress on their own.
//@ run --entry hand --grid 2 --block 32 --arg out:i32:2
//! clean
//! defect 1: race at put and get
//! defect 2: deadlock at wait
extern "C" __global__ void hand(int* out)
{
    __shared__ int value;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) {
        flag = 0;
        value = 0;
    }
    __syncwarp();
    if (threadIdx.x == 4) {
#if DEFECT == 2
        while (flag != 2) {} // <- wait
#else
        while (flag == 0) {}
#endif
        __threadfence_block();
        out[blockIdx.x] = value; // <- get
    } else if (threadIdx.x == 9) {
        value = 17; // <- put
#if DEFECT != 1
        __threadfence_block();
#endif
        flag = 1;
    }
}
//! explore 0: 20
