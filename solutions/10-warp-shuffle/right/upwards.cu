//! style: an inclusive scan upwards; the last lane hands the sum to lane 0.

__device__ int warp_sum(int value, int lanes) {
    unsigned mask = 0xffffffff >> (32 - lanes);
    int lane = threadIdx.x % 32;
    for (int distance = 1; distance < lanes; distance *= 2) {
        int left = __shfl_up_sync(mask, value, distance);
        if (lane >= distance) {
            value += left;
        }
    }
    return __shfl_sync(mask, value, lanes - 1);
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int warps = (blockDim.x + 31) / 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = warp_sum(i < n ? in[i] : 0, min(32, blockDim.x - 32 * warp));
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        int lanes = min(32, blockDim.x);
        sum = warp_sum(lane < warps ? sums[lane] : 0, lanes);
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
