// Step 3: each warp, instead of each thread, writes a partial result, and threads read four
// elements at a time where rows allow it. Threads compute the powers while the maximum is still
// growing: each thread keeps a sum relative to its own maximum, and merging brings two sums to one
// maximum. That saves a tree and a pass over the pool.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

constexpr int WARPS = BLOCK_SIZE / 32;
constexpr unsigned ALL_LANES = 0xffffffff;

// A maximum, and the sum of exp(x - maximum) over some elements x.
struct Powers {
    float maximum;
    double sum;
};

__device__ Powers merge(Powers a, Powers b) {
    float maximum = fmaxf(a.maximum, b.maximum);
    if (maximum == -INFINITY) {
        return {maximum, 0.0}; // Nothing so far: -INFINITY - -INFINITY is no number.
    }
    return {maximum, a.sum * expf(a.maximum - maximum) + b.sum * expf(b.maximum - maximum)};
}

__device__ Powers merge_warp(Powers powers) {
    for (int distance = 16; distance > 0; distance /= 2) {
        Powers other = {__shfl_xor_sync(ALL_LANES, powers.maximum, distance),
                        __shfl_xor_sync(ALL_LANES, powers.sum, distance)};
        powers = merge(powers, other);
    }
    return powers;
}

template <typename Vector>
__device__ void softmax_row(const Vector *in, Vector *out, Vector *row, Powers *partial,
                            int vectors) {
    constexpr int EACH = sizeof(Vector) / sizeof(float);
    Powers powers = {-INFINITY, 0.0};
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        Vector vector = in[i];
        row[i] = vector;
        const float *x = reinterpret_cast<const float *>(&vector);
        float maximum = powers.maximum;
        for (int j = 0; j < EACH; ++j) {
            maximum = fmaxf(maximum, x[j]);
        }
        float sum = 0.0f;
        for (int j = 0; j < EACH; ++j) {
            sum += expf(x[j] - maximum);
        }
        powers = {maximum, powers.sum * expf(powers.maximum - maximum) + sum};
    }
    powers = merge_warp(powers);
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = powers;
    }
    __syncthreads();
    // Every warp merges the partial results for itself, so there is no second barrier.
    int lane = threadIdx.x % 32;
    powers = merge_warp(lane < WARPS ? partial[lane] : Powers{-INFINITY, 0.0});
    float maximum = powers.maximum;
    float scale = 1.0 / powers.sum;

    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        Vector vector = row[i];
        float *x = reinterpret_cast<float *>(&vector);
        for (int j = 0; j < EACH; ++j) {
            x[j] = expf(x[j] - maximum) * scale;
        }
        out[i] = vector;
    }
}

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    __shared__ Powers partial[WARPS];
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;
    if (columns % 4 == 0) {
        softmax_row(reinterpret_cast<const float4 *>(in), reinterpret_cast<float4 *>(out),
                    reinterpret_cast<float4 *>(pool), partial, columns / 4);
    } else {
        softmax_row(in, out, reinterpret_cast<float *>(pool), partial, columns);
    }
}
