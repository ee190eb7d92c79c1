//@ run --entry refuse --grid 3 --block 64 --arg in:i32:3=iota
extern "C" __global__ void refuse(const int* in) {
    __syncthreads();
    if (in[blockIdx.x] == 1 && threadIdx.x >= 62) __trap();
}
