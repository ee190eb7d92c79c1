// A barrier of the grid that turns round: the last to come resets the counter and flips the sense; as often as one likes.
//@ run --entry rounds --grid 8 --block 32 --arg inout:i32:256=iota --arg inout:i32:256=zeros --arg inout:u32:1=zeros --arg inout:i32:1=zeros --arg i32:4 --budget 6000000
//! clean
//! defect 1: race at step
//! defect 2: deadlock at spin
//! defect 3: race at step; also=deadlock
//! defect 4: race at step
//! defect 5: deadlock at spin; --grid 9000 arg0=inout:i32:288000=iota arg1=inout:i32:288000=zeros
__device__ void grid_barrier(unsigned* count, volatile int* sense, int& mine)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        mine = !mine;
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 2
        if (atomicAdd(count, 1) == gridDim.x) {
#else
        if (atomicAdd(count, 1) == gridDim.x - 1) {
#endif
            atomicExch(count, 0);
            __threadfence();
            *sense = mine;
        } else {
#if DEFECT != 3
            while (*sense != mine) {} // <- spin
#endif
        }
#if DEFECT != 4
        __threadfence();
#endif
    }
    __syncthreads();
}
extern "C" __global__ void rounds(int* a, int* b, unsigned* count, int* sense, int n)
{
    int mine = 0, all = gridDim.x * 32, i = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < n; ++k) {
        b[i] = a[(i + 33) % all] + 1; // <- step
        grid_barrier(count, sense, mine);
        int* c = a;
        a = b;
        b = c;
    }
}
//! label 4: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
