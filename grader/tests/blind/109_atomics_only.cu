// Blocks and warps that talk through atomics alone: every shared word is only ever touched atomically.
//@ run --entry atomics_only --grid 6 --block 64 --arg in:i32:384=small_ints.npy --arg inout:i32:4=zeros
// save: 1
// reference: atomics_only

extern "C" __global__ void atomics_only(const int* in, int* result)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    atomicAdd(&result[0], in[i]);
    atomicMax(&result[1], in[i]);
    int before = atomicAdd(&result[2], 1);
    if (before == 383) atomicExch(&result[3], 99);
}
