// The middle of three by three pixels, a byte each, the tile with its frame in shared memory as bytes.
//@ run --entry median --grid 2,2 --block 16,8 --arg in:u8:34x18=iota --arg out:u8:34x18
//! clean
//! defect 1: race at load and gather
//! defect 2: out_of_bounds at load
//! defect 3: uninitialized_read at gather|swap|put
//! defect 4: out_of_bounds at gather
extern "C" __global__ void median(const unsigned char* in, unsigned char* out)
{
    __shared__ unsigned char tile[10][18];
    int t = threadIdx.y * 16 + threadIdx.x, x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
#if DEFECT == 2
    for (int k = t; k < 192; k += 128) {
#elif DEFECT == 3
    for (int k = t; k < 176; k += 128) {
#else
    for (int k = t; k < 180; k += 128) {
#endif
        tile[k / 18][k % 18] = in[(y0 + k / 18) * 34 + x0 + k % 18]; // <- load
    }
#if DEFECT != 1
    __syncthreads();
#endif
    unsigned char v[9];
    for (int k = 0; k < 9; ++k) {
#if DEFECT == 4
        v[k] = tile[threadIdx.y + k / 3 + (k == 8)][threadIdx.x + k % 3]; // <- gather
#else
        v[k] = tile[threadIdx.y + k / 3][threadIdx.x + k % 3]; // <- gather
#endif
    }
    for (int i = 0; i < 5; ++i)
        for (int j = i + 1; j < 9; ++j)
            if (v[j] < v[i]) { // <- swap
                unsigned char w = v[i]; // <- swap
                v[i] = v[j]; // <- swap
                v[j] = w; // <- swap
            }
    out[(y0 + 1 + threadIdx.y) * 34 + x0 + 1 + threadIdx.x] = v[4]; // <- put
}
