//@ run --entry total --grid 4 --block 32 --arg in:i32:128=iota --arg inout:i32:1=zeros
extern "C" __global__ void total(const int* in, int* out) {
    if (threadIdx.x == 0) out[0] += in[blockIdx.x];
}
