// One warp counts in shared memory, old value used; the variants say where.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:u32:1024=zeros
// variant: same = --define INDEX=0
// variant: distinct = --define INDEX=t
// variant: pairs = --define INDEX=(t/2)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_32 = --define INDEX=(t*32)
// variant: mod_4 = --define INDEX=(t%4)
// variant: few = --define INDEX=((t*2654435761u)>>28)
// variant: two_words = --define INDEX=(t%2*32)
// differs: shared_atomic_wavefronts @ same: every lane has the same address at compile time, so ptxas combines the lanes first and sends one
// differs: shared_atomic_conflicts @ same: every lane has the same address at compile time, so ptxas combines the lanes first and sends one

extern "C" __global__ void atomics(unsigned* out)
{
    __shared__ unsigned words[1024];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 32) words[i] = i;
    __syncwarp();
    unsigned old = atomicAdd(&words[INDEX], 1u);
    __syncwarp();
    out[t] = words[t] + old;
}
