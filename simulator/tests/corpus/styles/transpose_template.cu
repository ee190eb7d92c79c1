// A transposition of a matrix that is no square, by tiles with a padded row.
//@ run --entry transpose --grid 2,3 --block 8,8 --arg in:i32:20x15=iota --arg out:i32:15x20
//! clean
//! defect 1: race at put and get
//! defect 2: out_of_bounds at load
//! defect 3: race at store
template <int T>
__device__ __forceinline__ void turn(const int* in, int* out, int rows, int columns, int (*s)[T + 1])
{
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
#if DEFECT == 2
    if (x < columns || y < rows) {
#else
    if (x < columns && y < rows) {
#endif
        int v = in[y * columns + x]; // <- load
        s[threadIdx.y][threadIdx.x] = v; // <- put
    }
#if DEFECT != 1
    __syncthreads();
#endif
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    if (x < rows && y < columns) {
        int v = s[threadIdx.x][threadIdx.y]; // <- get
#if DEFECT == 3
        out[y * columns + x] = v; // <- store
#else
        out[y * rows + x] = v; // <- store
#endif
    }
}
extern "C" __global__ void transpose(const int* in, int* out)
{
    __shared__ int s[8][9];
    turn<8>(in, out, 20, 15, s);
}
