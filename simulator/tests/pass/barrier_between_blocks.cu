//@ run --entry phases --grid 60 --block 32 --arg inout:i32:1=zeros --arg inout:i32:60=zeros --arg out:i32:60
// A barrier of one's own making works while the whole grid is resident.
__device__ void barrier(int* arrived, int goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < goal) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void phases(int* arrived, int* data, int* out) {
    int b = blockIdx.x, n = gridDim.x;
    for (int phase = 1; phase <= 3; ++phase) {
        if (threadIdx.x == 0) data[b] += phase * b;
        barrier(arrived, (2 * phase - 1) * n);
        if (threadIdx.x == 0) out[b] = data[(b + 1) % n];
        barrier(arrived, 2 * phase * n);
    }
}
