//@ budget 200000
//@ launch reduce grid=2 block=64 inout:i32:iota:128
extern "C" __global__ void reduce(int* data) {
    int t = threadIdx.x;
    for (int k = 32; k >= 0; k /= 2) {
        if (t < k) data[blockIdx.x * 64 + t] += data[blockIdx.x * 64 + t + k];
        else if (t == 63) data[blockIdx.x * 64 + 63] += 1;
        __syncthreads();
    }
}
