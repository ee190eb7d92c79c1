//! style: one shuffle in 64 bits carries two words; the block's sums by reference to a shared array.

__device__ int warp_sum(int value, int lanes) {
    unsigned mask = __ballot_sync(lanes == 32 ? ~0u : ~(~0u << lanes), true);
    int lane = threadIdx.x % 32;
    // The second word says how many lanes a value stands for, so that only existing lanes are
    // added.
    long long both = static_cast<long long>(1) << 32 | static_cast<unsigned>(value);
    for (int distance = 16; distance; distance >>= 1) {
        long long other = __shfl_down_sync(mask, both, distance);
        bool there = lane + distance < lanes && lane < distance;
        unsigned sum = static_cast<unsigned>(both) + (there ? static_cast<unsigned>(other) : 0);
        long long count = (both >> 32) + (there ? other >> 32 : 0);
        both = count << 32 | sum;
    }
    return static_cast<int>(static_cast<unsigned>(both));
}

__device__ void publish(int (&sums)[32], int warp, int lane, int sum) {
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
}

extern "C" __global__ void block_sums(const int *__restrict__ in, int *__restrict__ out, int n) {
    __shared__ int sums[32];
    const unsigned thread = threadIdx.x;
    const unsigned threads = blockDim.x;
    const unsigned i = blockIdx.x * threads + thread;
    const int warp = thread >> 5;
    const int lane = thread & 31;
    const int lanes = min(32u, threads - (thread & ~31u));
    publish(sums, warp, lane, warp_sum(i < n ? __ldg(in + i) : 0, lanes));
    if (warp > 0) {
        return;
    }
    const int warps = (threads + 31) >> 5;
    const int sum = warp_sum(lane < warps ? sums[lane] : 0, lanes);
    if (lane == 0) {
        out[blockIdx.x] = sum;
    }
}
