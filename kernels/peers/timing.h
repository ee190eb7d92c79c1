// Peers and figures are timed by device events around the work, with a cold L2 cache. Every error
// ends the program.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CUDA(call)                                                             \
    do {                                                                       \
        cudaError_t error = (call);                                            \
        if (error != cudaSuccess) {                                            \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cudaGetErrorString(error));                           \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

// Device memory for as long as the object lives.
template <typename T> struct Buffer {
    T *data = nullptr;
    size_t count;
    explicit Buffer(size_t count) : count(count) { CUDA(cudaMalloc(&data, count * sizeof(T))); }
    ~Buffer() { cudaFree(data); }
    Buffer(const Buffer &) = delete;
};

__global__ void write_words(uint4 *to, size_t count, unsigned value) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        to[i] = make_uint4(value, value, value, value);
    }
}

__global__ void read_words(const uint4 *from, size_t count, unsigned *sink) {
    unsigned sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        sum += from[i].x | from[i].y | from[i].z | from[i].w;
    }
    if (sum == 1) {
        *sink = sum;
    }
}

__global__ void copy_words(uint4 *to, const uint4 *from, size_t count) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}

// Numbers in [0, 1) that differ from place to place.
__global__ void fill_floats(float *to, size_t count, unsigned seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long z = (i + seed) * 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        to[i] = static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
    }
}

class Timer {
  public:
    Timer()
        : l2(read_l2()),
          dirty(2 * l2 / 16),
          clean(2 * l2 / 16),
          sink(1),
          copy_from(COPY_WORDS),
          copy_to(COPY_WORDS) {
        CUDA(cudaMemset(clean.data, 0, clean.count * 16));
        CUDA(cudaMemset(copy_from.data, 1, COPY_WORDS * 16));
        CUDA(cudaEventCreate(&start));
        CUDA(cudaEventCreate(&stop));
    }

    // Microseconds of `work` alone. Nothing of it is in the L2 cache, and no dirty line waits to be
    // written back.
    double cold(const std::function<void()> &work) {
        write_words<<<1024, 256>>>(dirty.data, dirty.count, ++round);
        read_words<<<1024, 256>>>(clean.data, clean.count, sink.data);
        return warm(work);
    }
    double warm(const std::function<void()> &work) {
        CUDA(cudaEventRecord(start));
        work();
        CUDA(cudaEventRecord(stop));
        CUDA(cudaGetLastError());
        CUDA(cudaEventSynchronize(stop));
        float milliseconds = 0;
        CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
        return 1e3 * milliseconds;
    }
    // Microseconds of the roof: a plain copy of 1 GiB, which moves 2 GiB.
    double copy() {
        return cold([&] {
            copy_words<<<COPY_WORDS / 256, 256>>>(copy_to.data, copy_from.data, COPY_WORDS);
        });
    }
    static constexpr size_t COPY_WORDS = size_t(1) << 26;
    static constexpr double COPY_BYTES = 2.0 * 16 * COPY_WORDS;

  private:
    static size_t read_l2() {
        int bytes = 0;
        CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
        return bytes;
    }
    size_t l2;
    Buffer<uint4> dirty, clean;
    Buffer<unsigned> sink;
    Buffer<uint4> copy_from, copy_to;
    cudaEvent_t start, stop;
    unsigned round = 0;
};

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
