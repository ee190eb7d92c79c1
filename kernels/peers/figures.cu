// Figures in circulation, measured: latencies, bandwidths, host copies, a sum of 2^20 floats,
// atomics on 256 counters. One JSON object a line.
//
//     nvcc -O3 -std=c++17 -arch=native figures.cu -o figures && ./figures
//
// `workshop measure` does this.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>

#include "timing.h"

static void figure(const char *name, double value, const char *unit, const char *how) {
    std::printf("{\"figure\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"how\": \"%s\"}\n", name,
                value, unit, how);
    std::fflush(stdout);
}

// ---- Latency: one thread follows a chain of addresses; each read needs the one before.

static constexpr int STEPS = 4096;

__global__ void chase(const unsigned *next, unsigned start, long long *cycles, unsigned *end) {
    unsigned at = start;
    // The chain once, or a part of it: what fits a cache is there afterwards.
    for (int i = 0; i < STEPS; ++i) {
        at = next[at];
    }
    long long before = clock64();
    for (int i = 0; i < STEPS; ++i) {
        at = next[at];
    }
    long long after = clock64();
    *cycles = after - before;
    *end = at;
}

static constexpr int SHARED_WORDS = 4096;

__global__ void chase_shared(const unsigned *chain, long long *cycles, unsigned *end) {
    __shared__ unsigned next[SHARED_WORDS];
    for (int i = threadIdx.x; i < SHARED_WORDS; i += blockDim.x) {
        next[i] = chain[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned at = 0;
        long long before = clock64();
        for (int i = 0; i < STEPS; ++i) {
            at = next[at];
        }
        long long after = clock64();
        *cycles = after - before;
        *end = at;
    }
}

// One cycle through `count` words that lie `stride` words apart, in random order.
static std::vector<unsigned> ring(size_t count, size_t stride) {
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    std::vector<unsigned> next(count * stride);
    for (size_t i = 0; i < count; ++i) {
        next[order[i] * stride] = static_cast<unsigned>(order[(i + 1) % count] * stride);
    }
    return next;
}

static double cycles_per_read(const unsigned *next, Buffer<long long> &cycles,
                              Buffer<unsigned> &end) {
    std::vector<double> all;
    for (int round = 0; round < 9; ++round) {
        chase<<<1, 1>>>(next, 0, cycles.data, end.data);
        CUDA(cudaGetLastError());
        long long taken = 0;
        CUDA(cudaMemcpy(&taken, cycles.data, sizeof taken, cudaMemcpyDeviceToHost));
        all.push_back(static_cast<double>(taken) / STEPS);
    }
    return median(all);
}

static void latencies() {
    static constexpr size_t LINE_WORDS = 32; // 128 bytes
    Buffer<long long> cycles(1);
    Buffer<unsigned> end(1);
    {
        std::vector<unsigned> next = ring(SHARED_WORDS, 1);
        Buffer<unsigned> chain(SHARED_WORDS);
        CUDA(cudaMemcpy(chain.data, next.data(), 4 * next.size(), cudaMemcpyHostToDevice));
        std::vector<double> all;
        for (int round = 0; round < 9; ++round) {
            chase_shared<<<1, 256>>>(chain.data, cycles.data, end.data);
            long long taken = 0;
            CUDA(cudaMemcpy(&taken, cycles.data, sizeof taken, cudaMemcpyDeviceToHost));
            all.push_back(static_cast<double>(taken) / STEPS);
        }
        figure("shared latency", median(all), "cycles", "pointer chase, 16 KiB");
    }
    struct Level {
        const char *name;
        size_t bytes;
        const char *how;
    };
    for (Level level :
         {Level{"L1 latency", 64 << 10, "pointer chase, one read a 128-byte line, 64 KiB"},
          Level{"L2 latency", 4 << 20,
                "pointer chase, one read a 128-byte line, 4 MiB, walked before"},
          Level{"DRAM latency", size_t(2) << 30,
                "pointer chase, one read a 128-byte line, 2 GiB"}}) {
        std::vector<unsigned> next = ring(level.bytes / 4 / LINE_WORDS, LINE_WORDS);
        Buffer<unsigned> chain(next.size());
        CUDA(cudaMemcpy(chain.data, next.data(), 4 * next.size(), cudaMemcpyHostToDevice));
        if (level.bytes > (64 << 20)) {
            // The copy left the end of the chain in the L2 cache, and a walk leaves its own lines
            // there: write others over.
            std::vector<double> all;
            Buffer<uint4> other(size_t(1) << 24);
            for (unsigned round = 0; round < 9; ++round) {
                write_words<<<1024, 256>>>(other.data, other.count, round);
                unsigned start = static_cast<unsigned>((round * 7919u * LINE_WORDS) % next.size());
                chase<<<1, 1>>>(chain.data, start, cycles.data, end.data);
                long long taken = 0;
                CUDA(cudaMemcpy(&taken, cycles.data, sizeof taken, cudaMemcpyDeviceToHost));
                all.push_back(static_cast<double>(taken) / STEPS);
            }
            figure(level.name, median(all), "cycles", level.how);
        } else {
            // Once around, so that all of it is in the cache: the kernel's first loop covers 4096
            // reads.
            for (size_t walked = 0; walked < next.size() / LINE_WORDS; walked += STEPS) {
                chase<<<1, 1>>>(chain.data, next[walked * LINE_WORDS % next.size()], cycles.data,
                                end.data);
            }
            read_words<<<1, 1>>>(reinterpret_cast<uint4 *>(chain.data), next.size() / 4, end.data);
            figure(level.name, cycles_per_read(chain.data, cycles, end), "cycles", level.how);
        }
    }
    // Pinned host memory, read over the bus by the kernel itself.
    std::vector<unsigned> next = ring(1 << 16, LINE_WORDS);
    unsigned *pinned = nullptr;
    CUDA(cudaHostAlloc(&pinned, 4 * next.size(), cudaHostAllocMapped));
    std::copy(next.begin(), next.end(), pinned);
    unsigned *mapped = nullptr;
    CUDA(cudaHostGetDevicePointer(&mapped, pinned, 0));
    figure("host memory latency", cycles_per_read(mapped, cycles, end), "cycles",
           "pointer chase by the GPU in pinned host memory, 8 MiB");
    CUDA(cudaFreeHost(pinned));
}

// ---- Bandwidth of each level.

__global__ void read_shared(unsigned *sink, int rounds) {
    __shared__ uint4 data[1024];
    data[threadIdx.x] = make_uint4(threadIdx.x, 0, 0, 0);
    __syncthreads();
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            // Another row each time, so that no read can be kept in a register.
            uint4 value = data[(threadIdx.x + 32 * (i + round)) & 1023];
            sum.x += value.x;
            sum.y ^= value.y;
            sum.z += value.z;
            sum.w ^= value.w;
        }
    }
    if (sum.x + sum.y + sum.z + sum.w == 1) {
        *sink = sum.x;
    }
}

// Every block reads the same `count` words again and again, 16 bytes a thread, through L1 or past
// it.
template <bool THROUGH_L1>
__global__ void read_again(const uint4 *from, unsigned count, int rounds, unsigned *sink) {
    unsigned sum = 0;
    unsigned first = THROUGH_L1 ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
    unsigned stride = THROUGH_L1 ? blockDim.x : gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        for (unsigned i = first; i < count; i += stride) {
            uint4 value;
            if (THROUGH_L1) {
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                             : "l"(from + i));
            } else {
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                             : "l"(from + i));
            }
            sum += value.x ^ value.y ^ value.z ^ value.w;
        }
    }
    if (sum == 1) {
        *sink = sum;
    }
}

template <typename Work> static double median_time(Timer &timer, bool cold, Work work) {
    std::vector<double> all;
    for (int round = 0; round < 12; ++round) {
        double time = cold ? timer.cold(work) : timer.warm(work);
        if (round >= 3) {
            all.push_back(time);
        }
    }
    return median(all);
}

static void bandwidths(Timer &timer) {
    int processors = 0;
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    Buffer<unsigned> sink(1);
    {
        const int rounds = 2000;
        double time = median_time(
            timer, false, [&] { read_shared<<<2 * processors, 1024>>>(sink.data, rounds); });
        double bytes = 2.0 * processors * 1024 * 16.0 * 16 * rounds;
        figure("shared bandwidth", bytes / time * 1e-6, "TB/s",
               "16-byte reads without conflicts, all multiprocessors");
    }
    {
        const unsigned count = (32 << 10) / 16;
        const int rounds = 20000;
        Buffer<uint4> data(count);
        CUDA(cudaMemset(data.data, 0, 16 * count));
        double time = median_time(timer, false, [&] {
            read_again<true><<<2 * processors, 1024>>>(data.data, count, rounds, sink.data);
        });
        figure("L1 bandwidth", 2.0 * processors * 16.0 * count * rounds / time * 1e-6, "TB/s",
               "16-byte reads of the same 32 KiB by every block");
    }
    {
        const unsigned count = (16 << 20) / 16;
        const int rounds = 200;
        Buffer<uint4> data(count);
        CUDA(cudaMemset(data.data, 0, size_t(16) * count));
        double time = median_time(timer, false, [&] {
            read_again<false><<<2 * processors, 1024>>>(data.data, count, rounds, sink.data);
        });
        figure("L2 bandwidth", 16.0 * count * rounds / time * 1e-6, "TB/s",
               "16-byte reads of 16 MiB past L1");
    }
    {
        Buffer<uint4> data(size_t(1) << 28);
        CUDA(cudaMemset(data.data, 0, 16 * data.count));
        double time = median_time(timer, true, [&] {
            read_words<<<32 * processors, 512>>>(data.data, data.count, sink.data);
        });
        figure("DRAM read bandwidth", 16.0 * data.count / time * 1e-6, "TB/s",
               "16-byte reads of 4 GiB, cold L2");
    }
}

static void host_copies(Timer &timer) {
    const size_t bytes = size_t(256) << 20;
    Buffer<char> device(bytes);
    std::vector<char> pageable(bytes, 1);
    char *pinned = nullptr;
    CUDA(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
    std::fill(pinned, pinned + bytes, 1);
    for (bool is_pinned : {true, false}) {
        char *host = is_pinned ? pinned : pageable.data();
        double time = median_time(timer, false, [&] {
            CUDA(cudaMemcpyAsync(device.data, host, bytes, cudaMemcpyHostToDevice));
        });
        figure(is_pinned ? "host copy, pinned" : "host copy, pageable", bytes / time * 1e-3, "GB/s",
               "256 MiB from host to device");
    }
    CUDA(cudaFreeHost(pinned));
}

// ---- The sum of 2^20 floats, four ways.

static constexpr int SUM_BLOCK = 256;

__global__ void sum_by_atomics(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(out, in[i]);
    }
}

__global__ void sum_by_tree(const float *in, float *out, int n) {
    __shared__ float data[SUM_BLOCK];
    int i = blockIdx.x * SUM_BLOCK + threadIdx.x;
    data[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int stride = SUM_BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            data[threadIdx.x] += data[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(out, data[0]);
    }
}

__global__ void sum_coarsened(const float4 *in, float *out, int quads) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 value = in[i];
        sum += (value.x + value.y) + (value.z + value.w);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, sum);
    }
}

// One core of this machine, eight sums at once so that the compiler may use vectors.
static double core_microseconds(const std::vector<float> &values) {
    std::vector<double> all;
    volatile float sink = 0;
    for (int round = 0; round < 50; ++round) {
        auto before = std::chrono::steady_clock::now();
        float sums[32] = {};
        for (size_t i = 0; i + 32 <= values.size(); i += 32) {
            for (int lane = 0; lane < 32; ++lane) {
                sums[lane] += values[i + lane];
            }
        }
        float sum = 0;
        for (float part : sums) {
            sum += part;
        }
        sink = sum;
        all.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before)
                .count());
    }
    (void)sink;
    return median(all);
}

static void sums(Timer &timer) {
    const int n = 1 << 20;
    Buffer<float> in(n), out(1);
    fill_floats<<<1024, 256>>>(in.data, n, 1);
    CUDA(cudaMemset(out.data, 0, 4));
    std::vector<float> values(n);
    CUDA(cudaMemcpy(values.data(), in.data, 4 * n, cudaMemcpyDeviceToHost));
    figure("sum of 2^20 floats, a CPU core", core_microseconds(values), "us",
           "one core of this machine, vectorised, data in cache");
    figure(
        "sum of 2^20 floats, global atomics",
        median_time(timer, true, [&] { sum_by_atomics<<<n / 256, 256>>>(in.data, out.data, n); }),
        "us", "one atomicAdd for each element, cold L2");
    figure("sum of 2^20 floats, shared tree",
           median_time(timer, true,
                       [&] { sum_by_tree<<<n / SUM_BLOCK, SUM_BLOCK>>>(in.data, out.data, n); }),
           "us", "a tree in each block, one atomicAdd for each block, cold L2");
    figure(
        "sum of 2^20 floats, coarsened",
        median_time(timer, true,
                    [&] {
                        sum_coarsened<<<264, 256>>>(reinterpret_cast<const float4 *>(in.data),
                                                    out.data, n / 4);
                    }),
        "us",
        "16-byte loads, several for each thread, shuffles, one atomicAdd for each warp, cold L2");
}

// ---- Atomics on 256 counters, which fill a KiB, by where in a KiB they begin.

__global__ void count_bytes(const unsigned char *in, unsigned *counters, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counters[in[i]], 1);
    }
}

static void counters(Timer &timer) {
    const int n = 1 << 28;
    const size_t kib = 1 << 10;
    std::vector<unsigned char> values(n);
    std::mt19937 random(1);
    for (int i = 0; i < n; i += 4) {
        unsigned four = random();
        std::memcpy(&values[i], &four, 4);
    }
    Buffer<unsigned char> in(n), memory(3 * kib);
    CUDA(cudaMemcpy(in.data, values.data(), n, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(memory.data, 0, memory.count));
    auto address = reinterpret_cast<uintptr_t>(memory.data);
    unsigned char *aligned = memory.data + (kib - address % kib) % kib;
    struct Place {
        const char *name;
        size_t offset;
        const char *how;
    };
    for (Place place :
         {Place{"256 counters, in one KiB", 0, "2^28 uniform bytes, an atomicAdd for each"},
          Place{"256 counters, across two KiB", kib / 2,
                "the same, the counters begin in the middle of a KiB"}}) {
        auto *counters = reinterpret_cast<unsigned *>(aligned + place.offset);
        figure(place.name,
               median_time(timer, true, [&] { count_bytes<<<1056, 256>>>(in.data, counters, n); }),
               "us", place.how);
    }
}

int main() {
    Timer timer;
    latencies();
    bandwidths(timer);
    host_copies(timer);
    sums(timer);
    counters(timer);
    return 0;
}
