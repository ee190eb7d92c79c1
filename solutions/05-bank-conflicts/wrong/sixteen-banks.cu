//! fails: correct
//! why: the first CUDA GPUs had 16 banks; today's GPUs have 32.

#include "course.cuh"

constexpr int LANES = 32;
constexpr int BANKS = 32;
constexpr int BANK_BYTES = 4;
static_assert(BANKS * BANK_BYTES == 128, "what one wavefront can move");
constexpr int LARGEST_STRIDE = 33;
constexpr int ELEMENTS = (LANES - 1) * LARGEST_STRIDE + 1;
// A first read may find a cold instruction cache; the fastest of a few reads does not.
constexpr int ROUNDS = 4;

// The wavefronts that a warp takes to read data[lane * stride], for elements of 4 or 8 bytes.
__device__ int conflict_degree(int stride, int element_bytes) {
    if (stride == 0) {
        return 1;
    }
    // All 32 lanes are served together, or 16 where an element fills two banks. Two lanes meet in a
    // bank when their elements lie a multiple of 32 words apart.
    int words = element_bytes / BANK_BYTES;
    int elements = 16 / words;
    int divisor = elements;
    while (stride % divisor != 0) {
        divisor /= 2;
    }
    return words * divisor;
}

// The cycles that reading data[lane * stride] takes; the element read goes to `value`.
template <typename Element>
__device__ __forceinline__ long long time_read(const Element *data, int lane, int stride,
                                               Element &value) {
    long long start = clock64();
    value = data[lane * stride];
    wait_for(value);
    return clock64() - start;
}

// One thread for each stride.
extern "C" __global__ void predict(int *degrees, int strides, int element_bytes) {
    int stride = blockIdx.x * blockDim.x + threadIdx.x;
    if (stride < strides) {
        degrees[stride] = conflict_degree(stride, element_bytes);
    }
}

// One warp, one stride.
template <typename Element>
__device__ __forceinline__ void measure(long long *cycles, Element *values, const Element *contents,
                                        int stride) {
    __shared__ Element data[ELEMENTS];
    int lane = threadIdx.x;
    for (int i = lane; i < ELEMENTS; i += LANES) {
        data[i] = contents[i];
    }

    Element value;
    long long fastest = 1LL << 62;
    for (int round = 0; round < ROUNDS; ++round) {
        // This also keeps the compiler from reusing what an earlier round has read.
        __syncwarp();
        long long taken = time_read(data, lane, stride, value);
        fastest = taken < fastest ? taken : fastest;
    }

    values[lane] = value;
    if (lane == 0) {
        *cycles = fastest;
    }
}

extern "C" __global__ void measure_4_bytes(long long *cycles, int *values, const int *contents,
                                           int stride) {
    measure(cycles, values, contents, stride);
}

extern "C" __global__ void measure_8_bytes(long long *cycles, long long *values,
                                           const long long *contents, int stride) {
    measure(cycles, values, contents, stride);
}
