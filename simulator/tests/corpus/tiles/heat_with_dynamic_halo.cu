// Heat: tiles with a halo of one in dynamic shared memory, each thread loads its own cell, those at an edge a ghost as well.
//@ run --entry heat --grid 2,2 --block 8,4 --shared 240 --arg in:f32:18x10=iota --arg out:f32:18x10
//! clean
//! defect 1: race at own|ghost and step
//! defect 2: out_of_bounds at ghost|step; --shared 232 also=uninitialized_read
//! defect 3: uninitialized_read at step
//! defect 4: race at ghost
//! defect 5: out_of_bounds|race at ghost|step; --grid 3,2
extern __shared__ float cell[];
extern "C" __global__ void heat(const float* in, float* out)
{
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, w = blockDim.x + 2;
#if DEFECT == 4
    w = blockDim.x + 1;
#endif
    int x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty, pitch = 18;
    const float* from = in + y * pitch + x;
    cell[ty * w + tx] = from[0]; // <- own
    if (tx == 1) cell[ty * w] = from[-1]; // <- ghost
#if DEFECT == 3
    if (tx == blockDim.x && ty != 2) cell[ty * w + tx + 1] = from[1]; // <- ghost
#else
    if (tx == blockDim.x) cell[ty * w + tx + 1] = from[1]; // <- ghost
#endif
    if (ty == 1) cell[tx] = from[-pitch]; // <- ghost
    if (ty == blockDim.y) cell[(ty + 1) * w + tx] = from[pitch]; // <- ghost
#if DEFECT != 1
    __syncthreads();
#endif
    float sum = cell[ty * w + tx - 1] + cell[ty * w + tx + 1] + cell[(ty - 1) * w + tx] + cell[(ty + 1) * w + tx]; // <- step
    out[y * pitch + x] = 0.25f * sum; // <- step
}
