//! fails: clean/race, shared_load_requests
//! may fail: correct
//! why: the lanes of a warp are not in lockstep since compute capability 7.0: shared memory between
//! them needs __syncwarp().

// The sum of `value` over a warp's first `lanes` lanes, which are all its lanes. Only lane 0 gets
// the sum; the results of other lanes have no meaning.
__device__ int warp_sum(int value, int lanes) {
    __shared__ volatile int words[1024];
    volatile int *mine = &words[threadIdx.x];
    int lane = threadIdx.x % 32;
    *mine = value;
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane + distance < lanes) {
            *mine = *mine + mine[distance];
        }
    }
    return *mine;
}

extern "C" __global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int threads = blockDim.x;
    int thread = threadIdx.x;
    int i = blockIdx.x * threads + thread;
    int lane = thread % 32;
    int warp = thread / 32;
    int warps = (threads + 31) / 32;
    int lanes = min(32, threads - 32 * warp);

    int sum = warp_sum(i < n ? in[i] : 0, lanes);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        sum = warp_sum(lane < warps ? sums[lane] : 0, lanes);
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
