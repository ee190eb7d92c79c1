// One warp counts in global memory; the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u32:4096=iota
// variant: same = --define INDEX=0
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_32 = --define INDEX=(t*32)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)
// variant: two_words = --define INDEX=(t%2*32)
// differs: global_store_sectors @ same: every lane has the same address at compile time, so ptxas combines the lanes first and sends one

extern "C" __global__ void atomics(unsigned* data)
{
    unsigned t = threadIdx.x;
    atomicAdd(&data[INDEX], 1u);
}
