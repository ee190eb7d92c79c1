// A block of 16 by 6: a row is half a warp, so rows need a __syncwarp() only; columns reach over warps.
//@ run --entry rows --grid 1 --block 16,6 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at put and mirrored
//! defect 2: race at second and column
//! defect 3: race at mirrored and second
//! defect 4: race at put and mirrored
extern "C" __global__ void rows(const int* in, int* out)
{
    __shared__ int s[6][16];
    int x = threadIdx.x, y = threadIdx.y, i = y * 16 + x;
    s[y][x] = in[i] * 2; // <- put
#if DEFECT != 1
    __syncwarp();
#endif
#if DEFECT == 4
    int v = s[(y + 1) % 6][15 - x]; // <- mirrored
#else
    int v = s[y][15 - x]; // <- mirrored
#endif
#if DEFECT != 3
    __syncwarp();
#endif
    s[y][x] = v + y; // <- second
#if DEFECT == 2
    __syncwarp();
#else
    __syncthreads();
#endif
    out[i] = s[5 - y][x]; // <- column
}
