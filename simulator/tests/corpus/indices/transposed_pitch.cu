// A transpose of 24 by 40 with the wrong pitch on the way out.
//@ run --entry transpose --grid 3,2 --block 16,16 --arg in:i32:24x40=iota --arg out:i32:40x24
//! clean
//! defect 1: out_of_bounds|race at store
extern "C" __global__ void transpose(const int* in, int* out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < 40 && y < 24) {
#if DEFECT
        out[x * 40 + y] = in[y * 40 + x]; // <- store
#else
        out[x * 24 + y] = in[y * 40 + x];
#endif
    }
}
