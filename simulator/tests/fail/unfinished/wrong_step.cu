//@ run --budget 200000
//@ run --entry reduce --grid 2 --block 64 --arg inout:i32:128=iota
extern "C" __global__ void reduce(int* data) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, rounds = 0;
    s[t] = data[i];
    __syncthreads();
    for (int k = 32; k >= 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        if (t == 0) data[i] = ++rounds;
        __syncthreads();
    }
    data[i] = s[0];
}
