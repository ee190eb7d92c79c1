// One warp's global atomics (add float); the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:f32:4096=iota
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_16 = --define INDEX=(t*16)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)

extern "C" __global__ void atomics(float* data)
{
    unsigned t = threadIdx.x;
    atomicAdd(&data[INDEX], 1.0f);
}
