// One warp's shared 16-byte atomics (exch); the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u64:1024=zeros
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_8 = --define INDEX=(t*8)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)

extern "C" __global__ void atomics(unsigned long long* out)
{
    __shared__ ulonglong2 words[256];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 256; i += 32) words[i] = ulonglong2{i, i};
    __syncwarp();
    ulonglong2 old = atomicExch(&words[INDEX], ulonglong2{t, t});
    __syncwarp();
    out[t] = words[t].x + old.y;
}
