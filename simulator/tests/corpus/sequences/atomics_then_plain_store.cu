// The last block to arrive puts the counter back for the next launch with a plain store: it has seen all others' arrivals.
//@ run --entry arrive --grid 5 --block 32 --arg inout:u32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at count and reset
extern "C" __global__ void arrive(unsigned* counter, int* out)
{
    if (threadIdx.x != 0) return;
    unsigned before = atomicAdd(counter, 1u); // <- count
#if DEFECT
    if (before == gridDim.x - 2) {
#else
    if (before == gridDim.x - 1) {
#endif
        *counter = 0; // <- reset
        *out = 1;
    }
}
