// Planes of a block of three axes write their own slice of a struct, and read the one above behind the barrier.
//@ run --entry planes --grid 1 --block 4,4,4 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and above
//! defect 2: race at put
//! defect 3: out_of_bounds at above
struct alignas(16) Cube {
    int cell[4][4][4];
};
extern "C" __global__ void planes(const int* in, int* out)
{
    __shared__ Cube cube;
    const uint3 t = threadIdx;
    int i = (t.z * 4 + t.y) * 4 + t.x;
#if DEFECT == 2
    cube.cell[t.z][t.y][t.y] = in[i]; // <- put
    if (t.x != t.y) cube.cell[t.z][t.y][t.x] = 0;
#else
    cube.cell[t.z][t.y][t.x] = in[i]; // <- put
#endif
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 3
    out[i] = cube.cell[t.z + 1][t.y][t.x]; // <- above
#else
    out[i] = cube.cell[(t.z + 1) % 4][t.y][t.x]; // <- above
#endif
}
