// A histogram of values that are all different: the plain increments of one bin by one thread each don't meet. With equal values they do.
//@ run --entry bins --grid 2 --block 32 --arg in:i32:64=iota --arg inout:i32:64=zeros
//! clean
//! defect 1: race at add; arg0=in:i32:64=const:7
extern "C" __global__ void bins(const int* in, int* counts)
{
    counts[in[blockIdx.x * 32 + threadIdx.x]] += 1; // <- add
}
