// One warp's shared 8-byte atomics (exch); the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u64:1024=zeros
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_16 = --define INDEX=(t*16)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)

extern "C" __global__ void atomics(unsigned long long* out)
{
    __shared__ unsigned long long words[512];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 512; i += 32) words[i] = i;
    __syncwarp();
    unsigned long long old = atomicExch(&words[INDEX], (unsigned long long)t);
    __syncwarp();
    out[t] = words[t] + old;
}
