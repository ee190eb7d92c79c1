// A bin number one too large: the atomic goes past the end of the histogram.
//@ run --entry atomic_beyond --grid 1 --block 64 --arg in:i32:64=iota --arg inout:u32:63=zeros
// status: finished|faulted
// expect: out_of_bounds error global @ count

extern "C" __global__ void atomic_beyond(const int* in, unsigned* bins)
{
    int bin = in[threadIdx.x];
    atomicAdd(&bins[bin], 1u); // <- count
}
