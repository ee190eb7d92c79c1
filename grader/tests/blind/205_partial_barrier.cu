// Forty threads of 64 go through a barrier, the others run on past it.
//@ run --entry partial_barrier --grid 1 --block 64 --arg out:i32:64
// expect: barrier_divergence error @ barrier

extern "C" __global__ void partial_barrier(int* out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t < 40) {
        __syncthreads(); // <- barrier
    }
    out[t] += 1;
}
