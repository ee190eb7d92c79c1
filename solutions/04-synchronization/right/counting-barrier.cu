//! style: a barrier that counts: __syncthreads_count adds up the rises of a round.

constexpr int BLOCK_SIZE = 256;
constexpr int WEIGHTS = 64;

extern "C" __global__ void weigh(const int *in, const int *weights, int *out, int n) {
    __shared__ int table[WEIGHTS];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    if (thread < WEIGHTS) {
        table[thread] = weights[thread];
    }
    __syncthreads();
    if (i < n) {
        out[i] = in[i] * table[i % WEIGHTS];
    }
}

extern "C" __global__ void count_rises(const int *in, int *counts, int width) {
    __shared__ int tile[BLOCK_SIZE];
    int thread = threadIdx.x;
    const int *row = in + blockIdx.x * width;
    int rises = 0;
    for (int first = 0; first < width; first += BLOCK_SIZE) {
        int i = first + thread;
        if (i < width) {
            tile[thread] = row[i];
        }
        __syncthreads();
        bool rise = false;
        if (i < width) {
            rise = tile[thread] > (thread > 0 ? tile[thread - 1] : row[max(i - 1, 0)]);
        }
        int of_round = __syncthreads_count(rise);
        rises += thread == 0 ? of_round : 0;
    }
    tile[thread] = rises;
    __syncthreads();
    if (thread == 0) {
        int sum = 0;
        for (int other = 0; other < BLOCK_SIZE; ++other) {
            sum += tile[other];
        }
        counts[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reverse_runs(const int *in, int *out, int n) {
    __shared__ int tile[BLOCK_SIZE];
    int thread = threadIdx.x;
    for (int first = blockIdx.x * BLOCK_SIZE; first < n; first += gridDim.x * BLOCK_SIZE) {
        int count = min(BLOCK_SIZE, n - first);
        if (thread < count) {
            tile[thread] = in[first + thread];
        }
        __syncthreads();
        if (thread < count) {
            out[first + thread] = tile[count - 1 - thread];
        }
        __syncthreads();
    }
}

extern "C" __global__ void warp_sums(const int *in, int *out, int n) {
    __shared__ int data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int lane = thread % 32;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        __syncwarp();
        if (lane < distance) {
            data[thread] += data[thread + distance];
        }
    }
    if (lane == 0 && i < n) {
        out[i / 32] = data[thread];
    }
}
