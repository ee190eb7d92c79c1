//! style: rounds as a recursive template with an operation as its argument.

struct Plus {
    template <typename T> __device__ T operator()(const T &left, const T &right) const {
        return left + right;
    }
};

template <int DISTANCE, typename T, typename Operation>
__device__ __forceinline__ T combine(unsigned mask, T value, int lane, int lanes,
                                     Operation operation) {
    T other = __shfl_down_sync(mask, value, DISTANCE);
    if (lane + DISTANCE < lanes) {
        value = operation(value, other);
    }
    if constexpr (DISTANCE > 1) {
        return combine<DISTANCE / 2>(mask, value, lane, lanes, operation);
    }
    return value;
}

__device__ int warp_sum(int value, int lanes) {
    unsigned mask = static_cast<unsigned>((1ull << lanes) - 1);
    return combine<16>(mask, value, threadIdx.x % warpSize, lanes, Plus());
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
