// Baseline of 17-capstone-scan: three phases. Every tile is scanned by itself, the tiles' sums are
// scanned in the same way, and then everything is read and written a second time to add what came
// before.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 8);
LAUNCH_CONSTANT(WAY, 1);
constexpr int TILE = BLOCK_SIZE * ITEMS_PER_THREAD;
constexpr int LANES = 32;
constexpr int WARPS = BLOCK_SIZE / LANES;

__device__ __forceinline__ int place(int i) { return i + i / LANES; }

__device__ __forceinline__ int warp_scan(int mine) {
    for (int distance = 1; distance < LANES; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, mine, distance);
        if (threadIdx.x % LANES >= distance) {
            mine += left;
        }
    }
    return mine;
}

extern "C" __global__ void inclusive_scan(const int *in, int *out, int *sums, unsigned int *,
                                          int n) {
    __shared__ int data[TILE + TILE / LANES];
    __shared__ int warp_sums[WARPS];
    int thread = threadIdx.x;
    int count = min(n - static_cast<int>(blockIdx.x) * TILE, TILE);
    in += blockIdx.x * TILE;
    out += blockIdx.x * TILE;

    for (int i = thread; i < TILE; i += BLOCK_SIZE) {
        data[place(i)] = i < count ? in[i] : 0;
    }
    __syncthreads();
    int own[ITEMS_PER_THREAD];
    int total = 0;
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        total += data[place(ITEMS_PER_THREAD * thread + item)];
        own[item] = total;
    }
    int with = warp_scan(total);
    if (thread % LANES == LANES - 1) {
        warp_sums[thread / LANES] = with;
    }
    __syncthreads();
    if (thread < LANES) {
        int running = warp_scan(thread < WARPS ? warp_sums[thread] : 0);
        if (thread < WARPS) {
            warp_sums[thread] = running;
        }
    }
    __syncthreads();
    int before = with - total;
    if (thread >= LANES) {
        before += warp_sums[thread / LANES - 1];
    }
    for (int item = 0; item < ITEMS_PER_THREAD; ++item) {
        data[place(ITEMS_PER_THREAD * thread + item)] = before + own[item];
    }
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK_SIZE) {
        out[i] = data[place(i)];
    }
    if (thread == 0) {
        sums[blockIdx.x] = warp_sums[WARPS - 1];
    }
}

extern "C" __global__ void add_before(int *out, const int *before, int n) {
    if (blockIdx.x == 0) {
        return;
    }
    int sum = before[blockIdx.x - 1];
    int first = blockIdx.x * TILE;
    for (int i = first + threadIdx.x; i < min(n, first + TILE); i += BLOCK_SIZE) {
        out[i] += sum;
    }
}
