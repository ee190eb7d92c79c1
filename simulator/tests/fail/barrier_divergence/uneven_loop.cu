//@ run --entry uneven --grid 1 --block 64 --arg out:i32:64
extern "C" __global__ void uneven(int* out) {
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 1 + t / 32; ++i) {
        sum += i;
        __syncthreads();
    }
    out[t] = sum;
}
