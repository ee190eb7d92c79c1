// Warp 0 loads, warp 1 multiplies, warp 2 writes back, through two slots each and counting named barriers.
//@ run --entry line --grid 1 --block 96 --arg in:i32:6x32=iota --arg out:i32:6x32
//! clean
//! defect 1: race at load and multiply
//! defect 2: race|deadlock at result|back|full
extern "C" __global__ void line(const int* in, int* out)
{
    __shared__ int a[2][32], b[2][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Barriers 1, 2: a full; 3, 4: a empty; 5, 6: b full; 7, 8: b empty.
    for (int k = 0; k < 6; ++k) {
        int slot = k % 2;
        if (warp == 0) {
            if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + slot) : "memory");
            a[slot][lane] = in[k * 32 + lane]; // <- load
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + slot) : "memory");
        } else if (warp == 1) {
#if DEFECT == 1
            if (k != 3) asm volatile("bar.sync %0, 64;" ::"r"(1 + slot) : "memory");
            else asm volatile("bar.arrive %0, 64;" ::"r"(1 + slot) : "memory");
#else
            asm volatile("bar.sync %0, 64;" ::"r"(1 + slot) : "memory");
#endif
            int v = a[slot][31 - lane]; // <- multiply
            if (k < 4) asm volatile("bar.arrive %0, 64;" ::"r"(3 + slot) : "memory");
#if DEFECT != 2
            if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(7 + slot) : "memory");
#endif
            b[slot][lane] = v * 3; // <- result
            asm volatile("bar.arrive %0, 64;" ::"r"(5 + slot) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(5 + slot) : "memory"); // <- full
            out[k * 32 + lane] = b[slot][31 - lane]; // <- back
#if DEFECT != 2
            if (k < 4) asm volatile("bar.arrive %0, 64;" ::"r"(7 + slot) : "memory");
#endif
        }
    }
}
