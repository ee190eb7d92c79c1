// Baseline of 10-warp-shuffle: the tree of chapter 03 in shared memory, for any number of threads.

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int data[1024];
    int thread = threadIdx.x;
    int i = blockIdx.x * blockDim.x + thread;

    data[thread] = i < n ? in[i] : 0;
    __syncthreads();

    // Each round adds the upper half of the values that are left to the lower half; of an odd
    // number the middle value stays.
    for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
        int kept = (left + 1) / 2;
        if (thread + kept < left) {
            data[thread] += data[thread + kept];
        }
        __syncthreads();
    }

    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
