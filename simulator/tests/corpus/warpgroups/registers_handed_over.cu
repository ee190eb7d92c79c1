// One warpgroup fills and gives registers away, the other takes them and works; each decides as a whole.
//@ run --entry work --grid 2 --block 256 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: invalid_mask at give
//! defect 2: invalid_mask at take
//! defect 3: race at fill and use
//! defect 4: invalid_mask at take; --block 224
extern "C" __global__ void __launch_bounds__(256, 1) work(const int* in, int* out)
{
    __shared__ int filled[128];
    const int t = threadIdx.x, group = t / 128, lane_of_group = t % 128;
    if (group == 0) {
#if DEFECT == 1
        if (t < 32)
#endif
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); // <- give
        filled[lane_of_group] = in[blockIdx.x * 128 + lane_of_group]; // <- fill
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (group == 1) {
#if DEFECT == 2
        if (lane_of_group / 32 != 3)
#endif
            asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); // <- take
        out[blockIdx.x * 128 + lane_of_group] = 2 * filled[127 - lane_of_group]; // <- use
    }
}
