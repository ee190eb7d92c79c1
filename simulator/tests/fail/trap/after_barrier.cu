//@ launch refuse grid=3 block=64 in:i32:iota:3
extern "C" __global__ void refuse(const int* in) {
    __syncthreads();
    if (in[blockIdx.x] == 1 && threadIdx.x >= 62) __trap();
}
