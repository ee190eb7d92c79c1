// Rows of bytes are staged one by one and multiplied four at a time.
//@ run --entry products --grid 1 --block 64 --arg in:i8:512=ones --arg in:i8:512=ones --arg out:i32:64
//! clean
//! defect 1: race at stage and dot
//! defect 2: misaligned at dot
//! defect 3: out_of_bounds|uninitialized_read at dot|result
extern "C" __global__ void products(const signed char* a, const signed char* b, int* out)
{
#if DEFECT == 2
    constexpr int PITCH = 66;
#else
    constexpr int PITCH = 68;
#endif
    __shared__ __align__(16) signed char rows[8][PITCH], columns[8][PITCH];
    int t = threadIdx.x, r = t / 8, c = t % 8;
    for (int k = 0; k < 8; ++k) {
        rows[k][t] = a[k * 64 + t]; // <- stage
        columns[k][t] = b[k * 64 + t]; // <- stage
    }
#if DEFECT != 1
    __syncthreads();
#endif
    int sum = 0;
#if DEFECT == 3
    for (int k = 0; k <= 17; ++k)
#else
    for (int k = 0; k < 16; ++k)
#endif
        sum = __dp4a(*(const int*)&rows[r][4 * k], *(const int*)&columns[c][4 * k], sum); // <- dot
    out[t] = sum; // <- result
}
