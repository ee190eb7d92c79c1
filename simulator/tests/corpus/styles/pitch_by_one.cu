// Rows of a pitch that is as wide as they are; by one too small, the end of a row is the start of the next.
//@ run --entry rows --grid 1 --block 16,4 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put
//! defect 2: out_of_bounds at put
struct Grid2 {
    int* at;
    int pitch;
    __device__ int* operator[](int row) const { return at + row * pitch; }
};
extern "C" __global__ void rows(const int* in, int* out)
{
#if DEFECT == 1
    Grid2 g{out, 15};
#elif DEFECT == 2
    Grid2 g{out, 17};
#else
    Grid2 g{out, 16};
#endif
    g[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x]; // <- put
}
