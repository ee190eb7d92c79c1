// C = A × Bᵀ for bfloat16, by tensor cores: a block of 8 warps computes 128 × 128, in steps of 32 along K. Both operands have K running
// fastest. A chunk of 8 numbers of row r lies at place (chunk XOR r / 2) % 4 of it, so that `ldmatrix` meets no bank twice.
#include <cuda_bf16.h>

#define M 128
#define N 128
#define K 32

__device__ unsigned place(int row, int chunk) { return row * 64 + ((chunk ^ row / 2) & 3) * 16; }

extern "C" __global__ void __launch_bounds__(256) product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n)
{
    __shared__ __align__(128) unsigned char tile_a[2][M * K * 2], tile_b[2][N * K * 2];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
    unsigned first_a = (unsigned)__cvta_generic_to_shared(tile_a), first_b = (unsigned)__cvta_generic_to_shared(tile_b);
    float sum[4][4][4] = {};
    auto fetch = [&](int k, int stage) {
        for (int i = threadIdx.x; i < M * K / 8; i += 256) {
            int r = i / 4, chunk = i % 4;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(first_a + stage * (M * K * 2) + place(r, chunk)),
                         "l"(a + (blockIdx.y * M + r) * n + k + chunk * 8)
                         : "memory");
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(first_b + stage * (N * K * 2) + place(r, chunk)),
                         "l"(b + (blockIdx.x * N + r) * n + k + chunk * 8)
                         : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0, 0);
    for (int k = 0; k < n; k += K) {
        int stage = k / K % 2;
        if (k + K < n) fetch(k + K, stage ^ 1);
        else asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int step = 0; step < 2; ++step) {
            unsigned x[4][4], y[4][2];
            for (int i = 0; i < 4; ++i) {
                unsigned from = first_a + stage * (M * K * 2) + place(row + i * 16 + lane % 16, step * 2 + lane / 16);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                             : "r"(from)
                             : "memory");
            }
            for (int j = 0; j < 4; j += 2) {
                unsigned from = first_b + stage * (N * K * 2) + place(column + j * 8 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(y[j][0]), "=r"(y[j][1]), "=r"(y[j + 1][0]), "=r"(y[j + 1][1])
                             : "r"(from)
                             : "memory");
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int v = 0; v < 4; ++v) {
                int r = blockIdx.y * M + row + i * 16 + v / 2 * 8 + lane / 4;
                c[r * n + blockIdx.x * N + column + j * 8 + lane % 4 * 2 + v % 2] = sum[i][j][v];
            }
}
