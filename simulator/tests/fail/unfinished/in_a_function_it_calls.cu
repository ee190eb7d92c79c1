//@ run --entry count --grid 1 --block 64 --arg inout:i32:64=zeros --arg i32:5
__device__ __noinline__ int rounds(int* data, int from, int until) {
    int sum = 0;
    for (int round = from; round != until; round += 2) {
        sum += ++data[threadIdx.x];
        round -= 2;
    }
    return sum;
}

extern "C" __global__ void count(int* data, int until) {
    for (int j = 0; j < 4; ++j) data[threadIdx.x] += rounds(data, j, until);
}
