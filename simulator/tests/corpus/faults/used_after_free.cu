// Reads from heap memory that was given back.
//@ run --entry late --grid 1 --block 4 --arg out:i32:4
//! clean
//! defect 1: out_of_bounds at use
extern "C" __global__ void late(int* out)
{
    int* p = (int*)malloc(16);
    if (!p) return;
    p[1] = threadIdx.x;
#if DEFECT
    free(p);
    out[threadIdx.x] = p[1]; // <- use
#else
    out[threadIdx.x] = p[1];
    free(p);
#endif
}
