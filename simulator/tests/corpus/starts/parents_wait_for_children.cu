// A sum up a tree of blocks: a parent waits for its two children, who have higher numbers. All are resident.
//@ run --entry tree --grid 15 --block 32 --arg in:i32:480=iota --arg inout:i32:15=zeros --arg inout:u32:15=zeros --budget 6000000
//! clean
//! defect 1: race at give and take
//! defect 2: race at give and take
//! defect 3: deadlock warning at wait; --grid 140 --shared 200000 arg0=in:i32:4480=iota arg1=inout:i32:140=zeros arg2=inout:u32:140=zeros
extern "C" __global__ void tree(const int* in, int* sum, unsigned* done)
{
    int b = blockIdx.x, n = gridDim.x, t = threadIdx.x;
    int v = __reduce_add_sync(~0u, in[b * 32 + t]);
    if (t != 0) return;
    for (int child = 2 * b + 1; child <= 2 * b + 2 && child < n; ++child) {
        while (atomicAdd(&done[child], 0u) == 0u) {} // <- wait
#if DEFECT != 2
        __threadfence();
#endif
        v += sum[child]; // <- take
    }
    sum[b] = v; // <- give
#if DEFECT != 1
    __threadfence();
#endif
    atomicExch(&done[b], 1u);
}
//! label 3: was an error; the leaves wait for nobody, so that they end and let those in that were waited for. 140 blocks of which 132 fit do for 4300
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
