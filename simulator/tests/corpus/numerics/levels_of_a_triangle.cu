// A triangular solve with flags: a row waits for the rows it needs; rows are taken in order by a ticket, so whoever waits waits for one that runs.
//@ run --entry solve --grid 4 --block 32 --arg inout:f32:128=ones --arg inout:i32:128=zeros --arg inout:i32:1=zeros --arg i32:128 --budget 8000000
//! clean
//! defect 1: race at value and use
//! defect 2: race at value and use
//! defect 3: deadlock at wait
//! defect 4: race at value and use
extern "C" __global__ void solve(float* x, int* ready, int* ticket, int n)
{
    int row = atomicAdd(ticket, 1);
    float sum = row;
    for (int k = 1; k <= 3; ++k) {
        int need = row - k * k;
        if (need < 0) break;
#if DEFECT == 3
        need = row + 1 < n ? row + 1 : need;
#endif
#if DEFECT != 4
        while (atomicAdd(&ready[need], 0) == 0) {} // <- wait
#endif
#if DEFECT != 2
        __threadfence();
#endif
        sum -= 0.25f * x[need]; // <- use
    }
    x[row] = sum; // <- value
#if DEFECT != 1
    __threadfence();
#endif
    atomicExch(&ready[row], 1);
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
