//@ run --entry count --grid 1 --block 70 --arg out:i32:210
extern "C" __global__ void count(int* out) {
    int t = threadIdx.x;
    out[3 * t] = __syncthreads_count(t % 7 == 0);
    out[3 * t + 1] = __syncthreads_and(t < 70);
    out[3 * t + 2] = __syncthreads_or(t == 71);
}
