// A structure is copied word by word, and one of the words is padding alone.
//@ run --entry copy --grid 2 --block 32 --arg in:i32:64=iota --arg out:i32:64x4
//! clean
//! defect 1: uninitialized_read at copy
//! defect 2: out_of_bounds at copy; also=uninitialized_read,race
//! defect 3: race at copy and copy
struct Cell {
    int kind;
    double value;
};
extern "C" __global__ void copy(const int* in, unsigned* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    Cell cell;
    cell.kind = v % 5;
#if DEFECT != 1
    cell.value = 0.25 * v;
#endif
    const unsigned* words = (const unsigned*)&cell;
#if DEFECT == 2
    for (int k = 0; k < 64; ++k) out[4 * i + k] = words[k]; // <- copy
#elif DEFECT == 3
    for (int k = 0; k < 4; ++k) out[3 * i + k] = words[k]; // <- copy
#else
    for (int k = 0; k < 4; ++k) out[4 * i + k] = words[k]; // <- copy
#endif
}
//! open 0: a word that is padding alone is copied by itself and taken for a value that nobody set
