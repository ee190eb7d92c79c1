//@ run --entry both --grid 1 --block 64 --arg out:i32:64
extern "C" __global__ void both(int* out) {
    int t = threadIdx.x;
    if (t % 2) {
        out[t] = 1;
        __syncthreads();
    } else {
        out[t] = 2;
        __syncthreads();
    }
}
