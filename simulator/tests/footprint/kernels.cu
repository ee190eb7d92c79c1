// What typical kernels do to memory, for tests/footprint.rs: beside the four of benches/compare/kernels.cu.
// `python3 simulator/benches/compare/compile.py --source simulator/tests/footprint/kernels.cu` makes checked.ptx and
// optimised.ptx from it.

extern "C" __global__ void add(const float* a, const float* b, float* c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

// Updates memory in place.
extern "C" __global__ void saxpy(const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i] + y[i];
}

// Neighbours' words are read by other warps and blocks.
extern "C" __global__ void stencil(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i] + in[i + 1];
    else out[i] = in[i];
}

// Atomics go to global memory.
extern "C" __global__ void bins(const unsigned* in, unsigned* count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[in[i] & 255], 1u);
}

// A scan in one pass: each block waits for what the block before it has published. state[0] hands out the blocks' numbers.
extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* state)
{
    __shared__ unsigned s[256], number, before;
    int t = threadIdx.x;
    if (t == 0) number = atomicAdd(&state[0], 1u);
    __syncthreads();
    int block = number, i = block * 256 + t;
    s[t] = in[i];
    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
        unsigned left = t >= distance ? s[t - distance] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (t == 0) {
        unsigned sum = 0;
        if (block > 0) {
            while (atomicAdd(&state[1 + 2 * block], 0u) == 0) {}
            __threadfence();
            sum = state[2 + 2 * block];
        }
        before = sum;
        state[4 + 2 * block] = sum + s[255];
        __threadfence();
        atomicExch(&state[3 + 2 * block], 1u);
    }
    __syncthreads();
    out[i] = before + s[t];
}

// Every thread of every block announces what it has done; for benches/interpreter.rs.
extern "C" __global__ void arrivals(unsigned* data, unsigned* count)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    atomicAdd(count, 1u);
}

// Byte by byte, by plain reads and writes and atomics of many threads: all that a cell can remember. Races everywhere.
extern "C" __global__ void everything(unsigned char* data, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) {
        int at = (i + 4 * 37 * t) % n;
        data[at] += 1;
        if (at % 4 == 0) {
            atomicAdd((unsigned*)(data + at), 1u);
            (void)*(volatile unsigned*)(data + at);
        }
    }
}

// Every block reads every byte, and neighbouring bytes by threads that are no neighbours.
extern "C" __global__ void scattered(const unsigned char* data, unsigned* out, int n)
{
    unsigned sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += data[i * 37 % n];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every warp of every block reads every byte, and a flag may order some of them: each reader counts.
extern "C" __global__ void readers(const unsigned char* data, unsigned* out, unsigned* flag, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum += data[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __threadfence();
    if (threadIdx.x == 0) atomicAdd(flag, 1u);
}
