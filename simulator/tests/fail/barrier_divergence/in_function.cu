//@ run --entry call --grid 1 --block 64 --arg out:i32:64
__device__ void meet(int* s) {
    s[threadIdx.x] = 1;
    __syncthreads();
}
extern "C" __global__ void call(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    if (threadIdx.x < 32) meet(s);
    out[threadIdx.x] = s[threadIdx.x];
}
