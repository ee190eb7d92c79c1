// Doubles of a block's own; another thread reads or writes only the upper half of one.
//@ run --entry halves --grid 1 --block 64 --arg inout:f64:64=iota --arg out:i32:64
//! clean
//! defect 1: race at store and half
//! defect 2: race at store and sign
extern "C" __global__ void halves(double* data, int* out)
{
    int t = threadIdx.x;
    data[t] = data[t] * 2; // <- store
#if DEFECT != 1
    __syncthreads();
#endif
    int upper = ((int*)data)[2 * (63 - t) + 1]; // <- half
#if DEFECT == 2
    ((unsigned char*)data)[8 * (63 - t) + 7] ^= 128; // <- sign
    data[t] += 1; // <- store
#endif
    out[t] = upper;
}
