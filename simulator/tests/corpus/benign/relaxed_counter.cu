// Work handed out by a relaxed counter; results go where the ticket says, and only there.
//@ run --entry work --grid 3 --block 32 --arg in:i32:96=iota --arg out:i32:96 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at result
extern "C" __global__ void work(const int* in, int* out, int* next)
{
    int i;
    while ((i = atomicAdd(next, 1)) < 96) {
#if DEFECT
        out[in[i] / 2] = in[i]; // <- result
#else
        out[i] = in[i] * in[i];
#endif
    }
}
