// The tiled matrix product of every course, on sizes that no tile divides.
//@ run --entry product --grid 2,3 --block 16,8 --arg in:f32:20x19=iota --arg in:f32:19x25=ones --arg out:f32:20x25 --arg i32:20 --arg i32:19 --arg i32:25
//! clean
//! defect 1: race at load_a|load_b and sum
//! defect 2: race at sum and load_a|load_b
//! defect 3: out_of_bounds at load_a
//! defect 4: barrier_divergence warning at first|second; also=race,uninitialized_read
//! defect 5: out_of_bounds at store
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int k, int n)
{
    __shared__ float ta[8][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 16 + x;
#if DEFECT == 4
    if (row >= m || column >= n) return;
#endif
    float sum = 0;
    for (int base = 0; base < k; base += 16) {
#if DEFECT == 3
        ta[y][x] = row < m ? a[row * k + base + x] : 0; // <- load_a
#else
        ta[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0; // <- load_a
#endif
        for (int j = y; j < 16; j += 8)
            tb[j][x] = base + j < k && column < n ? b[(base + j) * n + column] : 0; // <- load_b
#if DEFECT != 1
        __syncthreads(); // <- first
#endif
        for (int i = 0; i < 16; ++i) sum += ta[y][i] * tb[i][x]; // <- sum
#if DEFECT != 2
        __syncthreads(); // <- second
#endif
    }
#if DEFECT == 5
    if (column < n) c[row * n + column] = sum; // <- store
#else
    if (row < m && column < n) c[row * n + column] = sum; // <- store
#endif
}
