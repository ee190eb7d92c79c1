// One warp's global atomics (cas 8); the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u64:4096=iota
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_16 = --define INDEX=(t*16)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)

extern "C" __global__ void atomics(unsigned long long* data)
{
    unsigned t = threadIdx.x;
    atomicCAS(&data[INDEX], (unsigned long long)t, 7ull);
}
