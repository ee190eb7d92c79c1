// A tile as a class: its cells are loaded, met at and looked up by methods.
//@ run --entry blur --grid 4 --block 64 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at load and look
//! defect 2: uninitialized_read at look|out
//! defect 3: out_of_bounds at cell
template <int N, int H>
class Tile {
    int (&cells)[N + 2 * H];
public:
    __device__ explicit Tile(int (&c)[N + 2 * H]) : cells(c) {}
    __device__ int& operator[](int i) { return cells[i + H]; }
    __device__ void load(const int* from, int first, int n)
    {
        (*this)[threadIdx.x] = from[first + threadIdx.x]; // <- load
#if DEFECT == 2
        if (threadIdx.x + 1 < H) {
#else
        if (threadIdx.x < H) {
#endif
            int l = first - H + int(threadIdx.x), r = first + N + int(threadIdx.x);
            (*this)[int(threadIdx.x) - H] = l < 0 ? 0 : from[l];
#if DEFECT == 3
            (*this)[N + threadIdx.x] = r <= n ? from[r] : 0; // <- cell
#else
            (*this)[N + threadIdx.x] = r < n ? from[r] : 0;
#endif
        }
    }
};
extern "C" __global__ void blur(const int* in, int* out)
{
    __shared__ int storage[64 + 2 * 3];
    Tile<64, 3> tile(storage);
    tile.load(in, blockIdx.x * 64, 256);
#if DEFECT != 1
    __syncthreads();
#endif
    int sum = 0;
    for (int d = -3; d <= 3; ++d) sum += tile[int(threadIdx.x) + d]; // <- look
    out[blockIdx.x * 64 + threadIdx.x] = sum; // <- out
}
