// Whole numbers of eight bits; the rows of the result are added up by shuffles among the four lanes that share one.
//@ run --entry row_sums --grid 1 --block 32 --arg in:u32:128=iota --arg in:u32:64=iota --arg out:i32:16
//! clean
//! defect 1: invalid_mask at shuffle
//! defect 2: uninitialized_read at write
//! defect 3: invalid_mask at multiply
extern "C" __global__ void row_sums(const unsigned* A, const unsigned* B, int* out)
{
    int lane = threadIdx.x;
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = A[i * 32 + lane];
    for (int i = 0; i < 2; ++i) b[i] = B[i * 32 + lane];
#if DEFECT == 2
    int c[4];
    c[0] = c[1] = 0;
#else
    int c[4] = {};
#endif
#if DEFECT == 3
    if (lane < 31)
#endif
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); // <- multiply
    for (int half = 0; half < 2; ++half) {
        int sum = c[2 * half] + c[2 * half + 1];
#if DEFECT == 1
        for (int step = 1; step < 4; step *= 2) sum += __shfl_xor_sync(0x0fffffff, sum, step); // <- shuffle
#else
        for (int step = 1; step < 4; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step); // <- shuffle
#endif
        if (lane % 4 == 0) out[half * 8 + lane / 4] = sum; // <- write
    }
}
