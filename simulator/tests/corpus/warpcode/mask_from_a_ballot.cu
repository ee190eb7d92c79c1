// Those who pass a test work together in a branch, by the mask that a ballot before it gave; its order is kept by their own barrier.
//@ run --entry some --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: invalid_mask at meet|after
//! defect 3: race at put and get
extern "C" __global__ void some(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
    bool mine = v % 3 != 1;
    unsigned mask = __ballot_sync(0xffffffff, mine);
    out[t] = v;
    if (mine) {
        s[t] = v * v; // <- put
#if DEFECT == 1
        asm volatile("" ::: "memory");
#elif DEFECT == 2
        __syncwarp(); // <- meet
#elif DEFECT == 3
        if (v % 2) __syncwarp(mask & 0xaaaaaaaa);
        else __syncwarp(mask & 0x55555555);
#else
        __syncwarp(mask); // <- meet
#endif
        unsigned others = mask & (1u << t % 32) - 1;
        int left = others ? 31 - __clz(others) : t % 32;
        out[t] = s[t / 32 * 32 + left]; // <- get
    }
    __syncwarp(); // <- after
}
//! label 2: the others left the kernel, and CUDA asks only those that have not left; now they meet once more
