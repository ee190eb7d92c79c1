// Barriers that count, and, or over the whole block.
//@ run --entry barrier_reductions --grid 2 --block 100 --arg in:i32:200=opcodes.npy --arg out:i32:3x200
// save: 1
// reference: barrier_reductions

extern "C" __global__ void barrier_reductions(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int v = in[i];
    out[0 * n + i] = __syncthreads_count(v > 3);
    out[1 * n + i] = __syncthreads_and(v < 12) != 0;
    out[2 * n + i] = __syncthreads_or(v == 11 && threadIdx.x == 99) != 0;
}
