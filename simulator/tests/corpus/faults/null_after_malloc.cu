// Uses what malloc returned without asking whether it returned anything.
//@ run --entry grab --grid 1 --block 1 --arg out:i32:1
//! clean; also=heap_overflow
//! defect 1: out_of_bounds at use; also=heap_overflow
extern "C" __global__ void grab(int* out)
{
    int* p = (int*)malloc(1ull << 40);
#if DEFECT
    p[3] = 5; // <- use
    *out = 1;
#else
    if (p) p[3] = 5;
    *out = p == nullptr;
#endif
}
//! label 0: named no warning; that the heap gave nothing is told even where the kernel is ready for it
//! label 1: the same warning
