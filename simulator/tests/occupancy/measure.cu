// How many blocks of a kernel a multiprocessor holds at once, as the CUDA runtime says: the truth that `Profile::occupancy` is held to.
//
//     nvcc -arch=native -o measure measure.cu && ./measure > h200.json        on a machine with an H200, half a minute
//
// Kernels that differ in their registers, launched with blocks and shared memory of many sizes. One JSON object: where it is from, the
// GPU's limits, and rows of [registers, static shared bytes, dynamic shared bytes, threads, blocks].
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                            \
    do {                                                                                                       \
        cudaError_t error = (call);                                                                            \
        if (error != cudaSuccess) {                                                                            \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                               \
            std::exit(1);                                                                                      \
        }                                                                                                      \
    } while (0)

// Needs some LIVE registers: everything is read before anything is used, the last first. Keeps STATIC words of shared memory.
template <int LIVE, int STATIC>
__global__ void needs(const volatile float* in, float* out)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[STATIC ? STATIC : 1];
    float values[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; ++i) values[i] = in[i];
    float sum = in[0];
#pragma unroll
    for (int i = LIVE - 1; i >= 0; --i) sum = sum * values[i] + values[(i + 1) % LIVE];
    dynamic[threadIdx.x] = sum;
    if (STATIC) fixed[threadIdx.x % (STATIC ? STATIC : 1)] = sum;
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + (STATIC ? fixed[0] : 0);
}

static bool first = true;
static unsigned state = 1;
static unsigned some(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void row(const void* kernel, const cudaFuncAttributes& of, int threads, int dynamic)
{
    int blocks = -1;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic);
    if (error != cudaSuccess) {
        // A question that the driver does not answer is left out, and said.
        std::fprintf(stderr, "%d registers, %d threads, %d bytes: %s\n", of.numRegs, threads, dynamic, cudaGetErrorString(error));
        cudaGetLastError();
        return;
    }
    std::printf("%s\n  [%d, %d, %d, %d, %d]", first ? "" : ",", of.numRegs, int(of.sharedSizeBytes), dynamic, threads, blocks);
    first = false;
}

template <int LIVE, int STATIC>
static void measure()
{
    const void* kernel = reinterpret_cast<const void*>(needs<LIVE, STATIC>);
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    cudaFuncAttributes of;
    CHECK(cudaFuncGetAttributes(&of, kernel));
    int most = int(gpu.sharedMemPerBlockOptin - of.sharedSizeBytes);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    // Registers alone, at every number of warps.
    for (int threads = 32; threads <= 1024; threads += 32)
        if (threads % 128 == 0 || LIVE % 16 == 0) row(kernel, of, threads, 0);
    // Blocks that are no whole number of warps.
    row(kernel, of, 1, 0);
    row(kernel, of, 33, 0);
    row(kernel, of, 1023, 0);
    // Shared memory at the edges, where one block more or less fits: the units it is handed out in show.
    for (int blocks = 1; blocks <= 32; blocks += 1 + int(some(5))) {
        int share = int(gpu.sharedMemPerMultiprocessor) / blocks - int(gpu.reservedSharedMemPerBlock) - int(of.sharedSizeBytes);
        for (int off : {-128, -127, -1, 0, 1, 127, 128})
            if (share + off >= 0 && share + off <= most && some(3) == 0) row(kernel, of, 64, share + off);
    }
    // Everything at once.
    for (int i = 0; i < 6; ++i) row(kernel, of, 1 + int(some(1024)), int(some(unsigned(most) / (1 + some(12)))));
}

int main()
{
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    int driver, runtime;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    int blocks;
    CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    std::printf("{\n \"provenance\": {\"gpu\": \"%s\", \"driver\": %d, \"runtime\": %d, \"date\": \"%s\"},\n", gpu.name, driver, runtime, date);
    std::printf(" \"limits\": {\"compute_capability\": %d, \"multiprocessors\": %d, \"threads_per_multiprocessor\": %d, \"blocks_per_multiprocessor\": %d, "
                "\"registers_per_multiprocessor\": %d, \"registers_per_block\": %d, \"shared_per_multiprocessor\": %zu, \"shared_per_block\": %zu, "
                "\"shared_per_block_optin\": %zu, \"shared_reserved_per_block\": %zu},\n",
                gpu.major * 10 + gpu.minor, gpu.multiProcessorCount, gpu.maxThreadsPerMultiProcessor, blocks, gpu.regsPerMultiprocessor, gpu.regsPerBlock,
                gpu.sharedMemPerMultiprocessor, gpu.sharedMemPerBlock, gpu.sharedMemPerBlockOptin, gpu.reservedSharedMemPerBlock);
    std::printf(" \"blocks\": [");
    measure<2, 0>();
    measure<8, 0>();
    measure<16, 250>();
    measure<22, 0>();
    measure<30, 0>();
    measure<36, 0>();
    measure<48, 0>();
    measure<56, 1000>();
    measure<64, 0>();
    measure<80, 0>();
    measure<100, 0>();
    measure<128, 33>();
    measure<150, 0>();
    measure<180, 0>();
    measure<210, 0>();
    measure<230, 0>();
    std::printf("\n ]\n}\n");
}
