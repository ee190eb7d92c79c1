// Every block waits for the one before it. Before it by ticket is safe; before it by blockIdx trusts the launch
// order: with 48 KiB a block, at most four fit on a multiprocessor, so that not all 600 are resident.
//@ run --entry chain --grid 600 --block 32 --shared 49152 --arg inout:i32:600=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: deadlock warning at wait
extern "C" __global__ void chain(int* sums, int* ticket)
{
    if (threadIdx.x != 0) return;
#if DEFECT
    int me = blockIdx.x;
#else
    int me = atomicAdd(ticket, 1);
#endif
    int before = 0;
    if (me > 0) {
        while ((before = atomicAdd(&sums[me - 1], 0)) == 0) {} // <- wait
    }
    atomicExch(&sums[me], before + me + 1);
}
