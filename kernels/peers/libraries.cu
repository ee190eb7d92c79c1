// What NVIDIA's libraries reach on this GPU, on the cases that the course times: one JSON object a
// line.
//
//     nvcc -O3 -std=c++17 -arch=native libraries.cu -lcublas -o libraries && ./libraries
//
// `workshop measure` does this.

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cub/cub.cuh>

#include "peer.h"

#define CUBLAS(call)                                                           \
    do {                                                                       \
        cublasStatus_t status = (call);                                        \
        if (status != CUBLAS_STATUS_SUCCESS) {                                 \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cublasGetStatusString(status));                       \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

static std::string cub_version() {
    return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
}

// A CUB algorithm: asked for its temporary memory once, which stays outside the timing.
template <typename Algorithm>
static std::function<void()> with_memory(Algorithm algorithm, Buffer<char> *&memory) {
    size_t bytes = 0;
    CUDA(algorithm(nullptr, bytes));
    memory = new Buffer<char>(bytes + 1);
    return [=] {
        size_t available = memory->count;
        CUDA(algorithm(memory->data, available));
    };
}

// Numbers of both signs: about half are positive.
__global__ void fill_ints(int *to, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        to[i] = static_cast<int>(z >> 32);
    }
}

// Numbers in [-1, 1), as the course's products have them: how fast tensor cores run depends on what
// they multiply.
__global__ void fill_bfloats(__nv_bfloat16 *to, const float *from, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        to[i] = __float2bfloat16(2 * from[i] - 1);
    }
}

struct IsPositive {
    __device__ bool operator()(int value) const { return value > 0; }
};

static void reductions() {
    for (int power : {27, 28}) {
        size_t n = size_t(1) << power;
        Buffer<float> in(n), out(1);
        fill_floats<<<4096, 256>>>(in.data, n, 1);
        Buffer<char> *memory;
        auto work = with_memory(
            [&](void *m, size_t &b) { return cub::DeviceReduce::Max(m, b, in.data, out.data, n); },
            memory);
        peer(power == 27 ? "03-reduction" : "11-coarsening", "cub::DeviceReduce::Max",
             cub_version(), power == 27 ? "2^27 floats" : "2^28 floats", 4.0 * n, 0, work);
        delete memory;
    }
}

// The sum of 13, which is the library's in two launches.
static void sums() {
    size_t n = size_t(1) << 24;
    Buffer<int> in(n), out(1);
    fill_ints<<<4096, 256>>>(in.data, n);
    Buffer<char> *memory;
    auto work = with_memory(
        [&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, in.data, out.data, n); },
        memory);
    peer("13-fences", "cub::DeviceReduce::Sum", cub_version(), "2^24 ints", 4.0 * n, 0, work);
    delete memory;
}

static void scans() {
    size_t n = size_t(1) << 28;
    {
        Buffer<int> in(n), out(n);
        CUDA(cudaMemset(in.data, 1, 4 * n));
        Buffer<char> *memory;
        auto work = with_memory(
            [&](void *m, size_t &b) {
                return cub::DeviceScan::InclusiveSum(m, b, in.data, out.data, n);
            },
            memory);
        peer("17-capstone-scan", "cub::DeviceScan::InclusiveSum", cub_version(), "2^28 ints",
             8.0 * n, 0, work);
        delete memory;
    }
    n = 67200000;
    Buffer<int> in(n), out(n), selected(1);
    fill_ints<<<4096, 256>>>(in.data, n);
    Buffer<char> *memory;
    auto work = with_memory(
        [&](void *m, size_t &b) {
            return cub::DeviceSelect::If(m, b, in.data, out.data, selected.data, n, IsPositive());
        },
        memory);
    // Everything is read, and half of it written.
    peer("15-device-scan", "cub::DeviceSelect::If", cub_version(),
         "67 200 000 ints, about half kept", 6.0 * n, 0, work);
    delete memory;
}

static void histograms() {
    size_t n = size_t(1) << 28;
    Buffer<unsigned char> in(n);
    Buffer<int> bins(256);
    for (bool uniform : {true, false}) {
        if (uniform) {
            // The low bytes of words whose every bit is scrambled: `fill_floats` leaves only the
            // exponent uneven.
            std::vector<unsigned char> bytes(n);
            unsigned long long state = 1;
            for (auto &byte : bytes) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                byte = static_cast<unsigned char>(state >> 56);
            }
            CUDA(cudaMemcpy(in.data, bytes.data(), n, cudaMemcpyHostToDevice));
        } else {
            CUDA(cudaMemset(in.data, 7, n));
        }
        Buffer<char> *memory;
        auto work = with_memory(
            [&](void *m, size_t &b) {
                return cub::DeviceHistogram::HistogramEven(m, b, in.data, bins.data, 257, 0, 256,
                                                           static_cast<int>(n));
            },
            memory);
        peer("12-histogram", "cub::DeviceHistogram::HistogramEven", cub_version(),
             uniform ? "2^28 bytes, uniform" : "2^28 bytes, one value", 1.0 * n, 0, work);
        delete memory;
    }
}

static void many_bins() {
    const int n = 1 << 27, bins = 1 << 18;
    Buffer<int> in(n), counts(bins);
    for (bool uniform : {true, false}) {
        std::vector<int> values(n);
        unsigned long long state = 1;
        for (int &value : values) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            value = static_cast<int>(state >> 46);
            // Half of them in 256 neighbouring bins, as in the exercise.
            if (!uniform && (state >> 45 & 1) == 0) {
                value = bins / 4 + value % 256;
            }
        }
        CUDA(cudaMemcpy(in.data, values.data(), sizeof(int) * size_t(n), cudaMemcpyHostToDevice));
        Buffer<char> *memory;
        auto work = with_memory(
            [&](void *m, size_t &b) {
                return cub::DeviceHistogram::HistogramEven(m, b, in.data, counts.data, bins + 1, 0,
                                                           bins, n);
            },
            memory);
        peer("21-clusters", "cub::DeviceHistogram::HistogramEven", cub_version(),
             uniform ? "2^27 elements, 2^18 bins, uniform" : "2^27 elements, 2^18 bins, crowded",
             4.0 * n, 0, work);
        delete memory;
    }
}

static void blas() {
    cublasHandle_t handle;
    CUBLAS(cublasCreate(&handle));
    int number = 0;
    CUBLAS(cublasGetVersion(handle, &number));
    std::string version = std::to_string(number);
    const float one = 1, zero = 0;
    {
        const int n = 16384;
        Buffer<float> in(size_t(n) * n), out(size_t(n) * n);
        fill_floats<<<4096, 256>>>(in.data, in.count, 1);
        peer("06-transpose", "cublasSgeam", version, "16384 x 16384 floats", 8.0 * n * n, 0, [&] {
            CUBLAS(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, in.data, n, &zero,
                               in.data, n, out.data, n));
        });
    }
    for (int n : {1024, 2048, 4096}) {
        Buffer<float> a(size_t(n) * n), b(size_t(n) * n), c(size_t(n) * n);
        fill_floats<<<4096, 256>>>(a.data, a.count, 1);
        fill_floats<<<4096, 256>>>(b.data, b.count, 2);
        // The default math mode: float arithmetic, no TF32.
        std::string of = std::to_string(n) + " x " + std::to_string(n) + " x " + std::to_string(n);
        const char *exercise = n == 1024   ? "08-matmul"
                               : n == 2048 ? "16-double-buffering"
                                           : "18-capstone-gemm";
        peer(exercise, "cublasSgemm", version, of.c_str(), 12.0 * n * n, 2.0 * n * n * n, [&] {
            CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data, n, a.data,
                               n, &zero, c.data, n));
        });
    }
    {
        // Row-major a * b is column-major b * a. The sums are floats, as the course's are.
        const int n = 8192;
        Buffer<__nv_bfloat16> a(size_t(n) * n), b(size_t(n) * n);
        Buffer<float> c(size_t(n) * n);
        for (auto *factor : {&a, &b}) {
            fill_floats<<<4096, 256>>>(c.data, c.count, factor == &a ? 1 : 2);
            fill_bfloats<<<4096, 256>>>(factor->data, c.data, c.count);
        }
        for (const char *exercise : {"19-tensor-cores", "20-bulk-copies"}) {
            peer(exercise, "cublasGemmEx, bfloat16", version, "8192 x 8192 x 8192", 8.0 * n * n,
                 2.0 * n * n * n, [&] {
                     CUBLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.data,
                                         CUDA_R_16BF, n, a.data, CUDA_R_16BF, n, &zero, c.data,
                                         CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
                 });
        }
    }
    CUBLAS(cublasDestroy(handle));
}

int main() {
    Timer everything;
    timer = &everything;
    reductions();
    sums();
    scans();
    histograms();
    many_bins();
    blas();
    // What a copy is to itself: how far two timings of the same thing differ.
    peer("00-first-kernel", "copy, 16 bytes a thread", "course", "1 GiB", Timer::COPY_BYTES, 0, [] {
        static Buffer<uint4> from(Timer::COPY_WORDS), to(Timer::COPY_WORDS);
        copy_words<<<Timer::COPY_WORDS / 256, 256>>>(to.data, from.data, Timer::COPY_WORDS);
    });
    return 0;
}
