// A box filter along rows with a running sum: the window's right edge comes in, its left edge goes out.
//@ run --entry blur --grid 1 --block 16 --arg in:i32:320=iota --arg out:i32:320 --arg i32:20 --arg i32:2
//! clean
//! defect 1: out_of_bounds at enter
//! defect 2: out_of_bounds at leave
//! defect 3: race at put
extern "C" __global__ void blur(const int* in, int* out, int w, int r)
{
    const int* row = in + threadIdx.x * w;
    int* to = out + threadIdx.x * w;
    int sum = 0;
    for (int x = -r; x < w; ++x) {
#if DEFECT == 1
        sum += row[x + r]; // <- enter
#else
        if (x + r < w) sum += row[x + r];
#endif
#if DEFECT == 2
        sum -= row[x - r - 1]; // <- leave
#else
        if (x - r - 1 >= 0) sum -= row[x - r - 1];
#endif
#if DEFECT == 3
        if (x >= -1 && x + 1 < w + (threadIdx.x < 15)) to[x + 1] = sum; // <- put
#else
        if (x >= 0) to[x] = sum;
#endif
    }
}
