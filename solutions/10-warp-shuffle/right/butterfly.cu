//! style: a butterfly: exclusive or of lanes, with zeros from lanes that are not there.

// Lanes that are not there are no partners: a lane without a partner adds nothing.
__device__ int warp_sum(int value, int lanes) {
    const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int distance = 1; distance < 32; distance <<= 1) {
        int other = __shfl_xor_sync(mask, value, distance);
        // Lane l holds the sum of its group of `distance` lanes, as far as they exist.
        value += (lane ^ distance) < lanes ? other : 0;
    }
    return value;
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
