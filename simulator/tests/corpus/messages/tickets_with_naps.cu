// A ticket lock of the grid: draw a number, sleep until it is called, longer the further away it is.
//@ run --entry count --grid 6 --block 32 --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg inout:i32:1=zeros --arg inout:i32:6=zeros --budget 4000000
//! clean
//! defect 1: race at change
//! defect 2: race at change
//! defect 3: deadlock at call
//! defect 4: race|deadlock at change|call; also=race,deadlock
extern "C" __global__ void count(unsigned* next, unsigned* serving, int* value, int* order)
{
    __shared__ int seen;
    if (threadIdx.x == 0) {
#if DEFECT == 4
        unsigned mine = blockIdx.x / 2;
#else
        unsigned mine = atomicAdd(next, 1u);
#endif
        unsigned now;
        while ((now = *(volatile unsigned*)serving) != mine) { // <- call
            __nanosleep(50 * (mine - now)); // <- call
        }
#if DEFECT != 2
        __threadfence();
#endif
        seen = *value; // <- change
        *value = seen + 1; // <- change
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 3
        if (mine != 2) *(volatile unsigned*)serving = mine + 1;
#else
        *(volatile unsigned*)serving = mine + 1;
#endif
    }
    __syncthreads();
    if (threadIdx.x == 31) order[blockIdx.x] = seen;
}
//! label 4: was a race only; who comes second with a number that was called already waits for ever
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
