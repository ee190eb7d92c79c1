// One byte a vertex in global memory, raised by many with one value, each its own byte otherwise; counted in the next phase by words.
//@ run --entry flags --grid 1 --block 64 --arg in:i32:64=iota --arg inout:u8:64=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at raise and count
//! defect 2: race note at raise
//! defect 3: race at raise
extern "C" __global__ void flags(const int* in, unsigned char* seen, int* out)
{
    int t = threadIdx.x;
#if DEFECT == 2
    seen[in[t] / 4] = 1; // <- raise
#elif DEFECT == 3
    seen[in[t] / 4] = 1 + t % 2; // <- raise
#else
    if (in[t] % 3 == 0) seen[in[t]] = 1; // <- raise
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    if (t < 16) {
        unsigned four = ((unsigned*)seen)[15 - t]; // <- count
        atomicAdd(out, __popc(four & 0x01010101));
    }
}
