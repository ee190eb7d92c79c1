//! style: the online softmax: one pass for maximum and sum, pairs combined by shuffles.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

constexpr int WARP = 32;
constexpr int WARPS = BLOCK_SIZE / WARP;

// The largest element so far, and the sum of exp(element - maximum).
struct Partial {
    float maximum;
    double sum;
};

__device__ Partial combine(const Partial &left, const Partial &right) {
    float maximum = fmaxf(left.maximum, right.maximum);
    // A sum of nothing stays 0: this avoids exp(-infinity + infinity).
    double of_left =
        left.sum > 0.0 ? left.sum * exp(static_cast<double>(left.maximum - maximum)) : 0.0;
    double of_right =
        right.sum > 0.0 ? right.sum * exp(static_cast<double>(right.maximum - maximum)) : 0.0;
    return {maximum, of_left + of_right};
}

__device__ Partial combine_lanes(Partial mine) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        Partial other = {__shfl_xor_sync(0xffffffff, mine.maximum, distance),
                         __shfl_xor_sync(0xffffffff, mine.sum, distance)};
        mine = combine(mine, other);
    }
    return mine;
}

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    double *sums = pool;
    float *maxima = reinterpret_cast<float *>(pool + WARPS);
    float *row = reinterpret_cast<float *>(pool + BLOCK_SIZE);
    size_t first = static_cast<size_t>(blockIdx.x) * columns;
    int warp = threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;

    Partial mine = {-INFINITY, 0.0};
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        float element = in[first + i];
        row[i] = element;
        if (element > mine.maximum) {
            mine.sum = mine.sum > 0.0 ? mine.sum * expf(mine.maximum - element) : 0.0;
            mine.maximum = element;
        }
        mine.sum += expf(element - mine.maximum);
    }
    mine = combine_lanes(mine);
    if (lane == 0) {
        sums[warp] = mine.sum;
        maxima[warp] = mine.maximum;
    }
    __syncthreads();
    mine = lane < WARPS ? Partial{maxima[lane], sums[lane]} : Partial{-INFINITY, 0.0};
    mine = combine_lanes(mine);
    float factor = static_cast<float>(1.0 / mine.sum);
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        out[first + i] = expf(row[i] - mine.maximum) * factor;
    }
}
