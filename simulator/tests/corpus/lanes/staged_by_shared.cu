// A warp turns its values round through shared memory; __syncwarp stands between the stores and the loads, or not.
//@ run --entry turn --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: race at get and again
extern "C" __global__ void turn(const int* in, int* out)
{
    __shared__ int stage[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    stage[warp][lane] = in[threadIdx.x]; // <- put
#if DEFECT != 1
    __syncwarp();
#endif
    int v = stage[warp][31 - lane]; // <- get
#if DEFECT != 2
    __syncwarp();
#endif
    stage[warp][lane] = v * 2; // <- again
    __syncwarp();
    out[threadIdx.x] = stage[warp][(lane + 1) % 32];
}
