// One warp's shared float additions, which have no instruction of their own.
// entry: atomics
// grid: 1
// block: 32
// arg: inout:f32:1024=zeros
// variant: distinct = --define INDEX=t
// differs: shared_load_requests @ distinct: there is no such instruction: ptxas makes a loop around a compare-and-swap
// differs: shared_load_wavefronts @ distinct: there is no such instruction: ptxas makes a loop around a compare-and-swap
// differs: shared_atomic_wavefronts @ distinct: there is no such instruction: ptxas makes a loop around a compare-and-swap

extern "C" __global__ void atomics(float* out)
{
    __shared__ float words[1024];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 32) words[i] = i;
    __syncwarp();
    atomicAdd(&words[INDEX], 1.0f);
    __syncwarp();
    out[t] = words[t];
}
