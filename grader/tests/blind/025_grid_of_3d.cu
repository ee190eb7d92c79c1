// Three-dimensional grid and block; every built-in index, the lane and warp size as the hardware numbers them.
//@ run --entry grid_of_3d --grid 3,2,2 --block 5,4,3 --arg out:u32:12x60 --arg out:u32:12x60
// save: 0 1
// reference: grid_of_3d

extern "C" __global__ void grid_of_3d(unsigned* where, unsigned* sizes)
{
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    where[b * 60 + t] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16 | blockIdx.z << 20;
    sizes[b * 60 + t] = lane | warpSize << 8 | blockDim.x * blockDim.y * blockDim.z << 16 | gridDim.x * gridDim.y * gridDim.z << 24;
}
