// Many threads raise one flag. By atomic it is fine, with one value for all a note, with different values an error.
//@ run --entry any --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race note at raise
//! defect 2: race at raise2
extern "C" __global__ void any(const int* in, int* flag)
{
    int t = threadIdx.x;
    if (in[t] > 40) {
#if DEFECT == 1
        *flag = 1; // <- raise
#elif DEFECT == 2
        *flag = t; // <- raise2
#else
        atomicExch(flag, 1);
#endif
    }
}
