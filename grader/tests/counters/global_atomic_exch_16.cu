// One warp's global 16-byte atomics (exch); the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u64:4096=zeros
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_8 = --define INDEX=(t*8)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)

extern "C" __global__ void atomics(ulonglong2* data)
{
    unsigned t = threadIdx.x;
    atomicExch(&data[INDEX], ulonglong2{t, t});
}
