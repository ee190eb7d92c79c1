// One lane makes a row for the others of its warp; a sync of the lanes concerned is needed, before and behind the use.
//@ run --entry rows --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:256
//! clean
//! defect 1: race at make and use
//! defect 2: race at use and make
//! defect 3: race at make and use
extern "C" __global__ void rows(const int* in, int* out)
{
    __shared__ int base[2];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = 0; k < 4; ++k) {
        if (lane == 0) {
            base[warp] = in[warp * 4 + k] * 7; // <- make
        }
#if DEFECT == 3
        if (lane < 16) __syncwarp(0xffff);
        else __syncwarp(0xffff0000);
#elif DEFECT != 1
        __syncwarp();
#endif
        out[k * 64 + threadIdx.x] = base[warp] + lane; // <- use
#if DEFECT != 2
        __syncwarp();
#endif
    }
}
