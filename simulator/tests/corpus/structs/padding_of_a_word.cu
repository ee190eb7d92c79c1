// Between members lies a whole word that is none's, and behind the last seven bytes: a structure travels with them.
//@ run --entry turn --grid 1 --block 64 --arg in:i32:64=iota --arg out:f64:64x3
//! clean
//! defect 1: race at keep and copy
//! defect 2: uninitialized_read at make|keep|copy
//! defect 3: out_of_bounds at copy
//! defect 4: uninitialized_read at make|keep|copy
struct Cell {
    int kind;
    double value;
    char last;
};
__device__ __noinline__ Cell made(int v)
{
    Cell cell;
#if DEFECT != 4
    cell.kind = v % 5;
#endif
    cell.value = 0.25 * v;
#if DEFECT != 2
    cell.last = v;
#endif
    return cell; // <- make
}
extern "C" __global__ void turn(const int* in, Cell* out)
{
    __shared__ Cell cells[64];
    const int t = threadIdx.x;
    cells[t] = made(in[t]); // <- keep
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 3
    out[t] = cells[64 - t]; // <- copy
#else
    out[t] = cells[63 - t]; // <- copy
#endif
}
//! open 0: padding that fills a word or a byte is copied by itself and taken for a value that nobody set; between the members the PTX says that nobody uses it (`used_bytes_mask 0`), behind the last nothing does
