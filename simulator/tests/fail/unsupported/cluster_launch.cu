//@ run --entry pairs --grid 2 --block 32 --arg out:i32:64
// Blocks in clusters of two: the simulator knows no cluster but of one block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(int* out)
{
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
