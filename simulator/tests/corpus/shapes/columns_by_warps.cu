// Warps sum columns of a matrix that the block has transposed into shared memory with a padded pitch.
//@ run --entry sums --grid 1 --block 32,4 --arg in:i32:32x32=iota --arg out:i32:32
//! clean
//! defect 1: race at put and add
//! defect 2: race at put
extern "C" __global__ void sums(const int* in, int* out)
{
#if DEFECT == 2
    const int pitch = 31;
#else
    const int pitch = 33;
#endif
    __shared__ int s[33 * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int row = y; row < 32; row += 4) {
        s[row * pitch + x] = in[row * 32 + x]; // <- put
    }
#if DEFECT != 1
    __syncthreads();
#endif
    if (y == 0) {
        int sum = 0;
        for (int row = 0; row < 32; ++row) {
            sum += s[row * pitch + x]; // <- add
        }
        out[x] = sum;
    }
}
