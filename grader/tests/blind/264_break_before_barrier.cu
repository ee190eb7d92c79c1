// Threads leave the loop as soon as they are done, past the barrier that the others still need.
//@ run --entry break_before_barrier --grid 1 --block 64 --arg in:i32:64=opcodes.npy --arg out:i32:64
// expect: barrier_divergence error @ barrier

extern "C" __global__ void break_before_barrier(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 20; ++k) {
        if (v < k) break;
        __syncthreads(); // <- barrier
    }
    out[t] = v * 2;
}
