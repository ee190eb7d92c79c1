// Each warp has its own part of a shared array, so that __syncwarp is enough; a part too short overlaps the next.
//@ run --entry parts --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at put
extern "C" __global__ void parts(const int* in, int* out)
{
    __shared__ int pool[96];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
#if DEFECT
    int* mine = pool + warp * 31;
#else
    int* mine = pool + warp * 32;
#endif
    mine[lane] = in[t]; // <- put
    __syncwarp();
    out[t] = mine[31 - lane];
}
