// The algorithms that warpsim, Oclgrind, PoCL and numba's simulator are timed on; kernels.cl and numba_worker.py have the same.

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void reduction(const unsigned* in, unsigned* out)
{
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void histogram(const unsigned* in, unsigned* bins)
{
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) atomicAdd(&s[in[blockIdx.x * 4096 + i * 256 + t] & 255], 1u);
    __syncthreads();
    atomicAdd(&bins[t], s[t]);
}

extern "C" __global__ void transpose(const float* in, float* out, int n)
{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
