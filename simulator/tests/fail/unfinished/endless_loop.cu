//@ run --budget 100000
//@ run --entry endless --grid 1 --block 32 --arg inout:i32:32=zeros
extern "C" __global__ void endless(int* out) {
    for (unsigned i = 1; i != 0; i += 2) out[threadIdx.x] = i;
}
