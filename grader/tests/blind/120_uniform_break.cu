// A loop with a barrier that every thread leaves in the same round, decided by a shared word read between barriers.
//@ run --entry uniform_break --grid 2 --block 96 --arg in:i32:192=opcodes.npy --arg out:i32:192
// save: 1
// reference: uniform_break

extern "C" __global__ void uniform_break(const int* in, int* out)
{
    __shared__ int left;
    int t = threadIdx.x, i = blockIdx.x * 96 + t, v = in[i], rounds = 0;
    while (true) {
        if (t == 0) left = 0;
        __syncthreads();
        if (v > 0) atomicAdd(&left, 1);
        __syncthreads();
        bool done = left == 0;
        __syncthreads();
        if (done) break;
        v -= 1 + t % 2;
        ++rounds;
    }
    out[i] = rounds * 100 + v;
}
