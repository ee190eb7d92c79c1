//@ run --entry halo --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void halo(const int* in, int* out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[t] + tile[t + 1];
}
