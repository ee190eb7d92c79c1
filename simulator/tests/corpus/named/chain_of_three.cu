// Three warps pass a value along: the first to the second over barrier 1, the second to the third over barrier 2.
//@ run --entry chain --grid 1 --block 96 --arg out:i32:32
//! clean
//! defect 1: race at second and third
extern "C" __global__ void chain(int* out)
{
    __shared__ int a[32], b[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        a[lane] = lane * 3;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (warp == 1) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
#if DEFECT
        asm volatile("bar.arrive 2, 64;" ::: "memory");
#endif
        b[lane] = a[31 - lane] + 1; // <- second
#if !DEFECT
        asm volatile("bar.arrive 2, 64;" ::: "memory");
#endif
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[lane] = b[31 - lane]; // <- third
    }
}
