// Lane 0 looks something up for its warp and the others read it from shared memory.
//@ run --entry look_up --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and take
//! defect 2: race at put and take
extern "C" __global__ void look_up(const int* in, int* out)
{
    __shared__ int found[2];
    int t = threadIdx.x, warp = t / 32, sum = 0;
    for (int k = 0; k < 3; ++k) {
        if (t % 32 == 0) {
            found[warp] = in[(warp + 5) * k]; // <- put
        }
#if DEFECT != 1
        __syncwarp();
#endif
        sum += found[warp]; // <- take
#if DEFECT != 2
        __syncwarp();
#endif
    }
    out[t] = sum;
}
