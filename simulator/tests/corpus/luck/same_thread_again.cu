// Each thread writes and reads its own places over three arrays without any barrier; one thread reads its neighbour's, which it also would have written.
//@ run --entry own --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
extern "C" __global__ void own(const int* in, int* out)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    a[t] = in[t]; // <- put
    b[63 - t] = a[t];
#if DEFECT == 1
    out[t] = b[63 - t] + a[t == 40 ? 41 : t]; // <- get
#elif DEFECT == 2
    out[t] = b[63 - t] + (t == 0 ? a[0] + (a[1] > 1000) : a[t]); // <- get
#else
    out[t] = b[63 - t] + a[t];
#endif
}
//! label 2: multiplied by nought what it read, and the compiler left the reads out
