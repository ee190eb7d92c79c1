// The course's own convolutions for filters that 07-convolution doesn't time, on the images that
// `pytorch.py` times: one JSON object a line.
//
//     nvcc -O3 -std=c++17 -arch=native -I .. convolution.cu -o convolution && ./convolution
//
// `workshop measure` does this. The exercise proves that the kernels are right; here they are
// compared with each other, so that no time is of a kernel that did nothing.

#include <cmath>

#include "course.cuh"
#include "peer.h"

// This program has three kernels with the same names. No judge reads their constants here, so these
// need no external variables.
#undef LAUNCH_CONSTANT
#define LAUNCH_CONSTANT(NAME, value) constexpr int NAME = (value)

#define convolve convolve_naive
namespace naive {
#include "../baselines/convolve.cu"
}
#undef convolve
#define convolve convolve_tile_each
namespace tile {
#include "../../solutions/07-convolution/kernel.cu"
}
#undef convolve
#define convolve convolve_rows
namespace rows {
#include "../../solutions/07-convolution/steps/3-rows-per-thread.cu"
}
#undef convolve
#define convolve convolve_vectors_each
namespace vectors {
#include "../../solutions/07-convolution/steps/4-vectors.cu"
}
#undef convolve

static constexpr int SIDE = 8192;
using Kernel = void (*)(const float *, float *, int, int, int);

struct Convolution {
    const char *name;
    Kernel kernel;
    float *filter;
    int width, threads_high, rows_each;
};

template <typename Array> static float *address(Array &symbol) {
    void *found = nullptr;
    CUDA(cudaGetSymbolAddress(&found, symbol));
    return static_cast<float *>(found);
}

// Results beyond rounding apart: sums of `terms` products of numbers below 1, added in different
// orders.
static void compare(const char *name, const std::vector<float> &found,
                    const std::vector<float> &expected, int terms) {
    for (size_t i = 0; i < found.size(); ++i) {
        if (!(std::fabs(found[i] - expected[i]) <= terms * terms * 0x1p-23f)) {
            std::fprintf(stderr, "%s: result %zu is %g, the naive kernel's is %g\n", name, i,
                         found[i], expected[i]);
            std::exit(1);
        }
    }
}

int main() {
    Timer everything;
    timer = &everything;
    size_t n = size_t(SIDE) * SIDE;
    Buffer<float> image(n), result(n), weights(15 * 15);
    fill_floats<<<4096, 256>>>(image.data, n, 1);
    fill_floats<<<1, 256>>>(weights.data, weights.count, 2);
    const Convolution all[] = {
        {"kernels/baselines/convolve.cu", naive::convolve_naive, address(naive::filter),
         naive::BLOCK_WIDTH, naive::BLOCK_HEIGHT, naive::ROWS_PER_THREAD},
        {"solutions/07-convolution/kernel.cu", tile::convolve_tile_each, address(tile::filter),
         tile::BLOCK_WIDTH, tile::BLOCK_HEIGHT, tile::ROWS_PER_THREAD},
        {"steps/3-rows-per-thread.cu", rows::convolve_rows, address(rows::filter),
         rows::BLOCK_WIDTH, rows::BLOCK_HEIGHT, rows::ROWS_PER_THREAD},
        {"steps/4-vectors.cu", vectors::convolve_vectors_each, address(vectors::filter),
         vectors::BLOCK_WIDTH, vectors::BLOCK_HEIGHT, vectors::ROWS_PER_THREAD},
    };
    for (int size : {3, 5, 9, 15}) {
        std::vector<float> expected, found(n);
        std::string of = std::to_string(SIDE) + " x " + std::to_string(SIDE) + ", " +
                         std::to_string(size) + " x " + std::to_string(size);
        for (const Convolution &each : all) {
            CUDA(cudaMemcpy(each.filter, weights.data, 4 * size * size, cudaMemcpyDeviceToDevice));
            CUDA(cudaMemset(result.data, 0xff, 4 * n));
            dim3 block(each.width, each.threads_high);
            dim3 grid(ceil_div(SIDE, each.width),
                      ceil_div(SIDE, each.threads_high * each.rows_each));
            auto work = [&] {
                each.kernel<<<grid, block>>>(image.data, result.data, SIDE, SIDE, size);
            };
            peer("07-convolution", each.name, "course", of.c_str(), 8.0 * n, 0, work);
            CUDA(cudaMemcpy(found.data(), result.data, 4 * n, cudaMemcpyDeviceToHost));
            if (expected.empty()) {
                expected = found;
            }
            compare(each.name, found, expected, size * size);
        }
    }
    return 0;
}
