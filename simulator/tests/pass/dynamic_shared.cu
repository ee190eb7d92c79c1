//@ run --entry swap --grid 2 --block 32 --shared 256 --arg in:i32:64=iota --arg out:i32:64
extern __shared__ int pool[];
extern "C" __global__ void swap(const int* in, int* out) {
    int* second = pool + 32;
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    pool[t] = in[i];
    second[31 - t] = in[i];
    __syncthreads();
    out[i] = pool[31 - t] * 100 + second[31 - t];
}
