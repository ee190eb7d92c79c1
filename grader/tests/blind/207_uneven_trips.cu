// A barrier in a loop that each warp runs a different number of times.
//@ run --entry uneven_trips --grid 1 --block 96 --arg out:i32:96
// expect: barrier_divergence error @ barrier

extern "C" __global__ void uneven_trips(int* out)
{
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 1 + t / 32; ++k) {
        sum += k;
        __syncthreads(); // <- barrier
    }
    out[t] = sum;
}
