// Four by four transposed in registers by shuffles, no memory; the rounds' indices depend on the lane.
//@ run --entry transpose --grid 1 --block 32 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at put
//! defect 2: invalid_mask at rotate; also=uninitialized_read
extern "C" __global__ void transpose(const int* in, int* out)
{
    int lane = threadIdx.x, row = lane % 4, v[4];
    for (int k = 0; k < 4; ++k) v[k] = in[lane * 4 + k];
    int w[4];
    for (int k = 0; k < 4; ++k) {
        int give = v[(row + k) % 4];
#if DEFECT == 2
        if (k) give = __shfl_sync(0x0fffffff, give, (lane & ~3) + (row + 4 - k) % 4); // <- rotate
#else
        give = __shfl_sync(0xffffffff, give, (lane & ~3) + (row + 4 - k) % 4);
#endif
        w[(row + 4 - k) % 4] = give;
    }
#if DEFECT == 1
    for (int k = 0; k < 4; ++k) out[(lane & ~3) * 4 + (row & 2) * 4 + k] = w[k]; // <- put
#else
    for (int k = 0; k < 4; ++k) out[lane * 4 + k] = w[k];
#endif
}
