// An array is reversed where it lies, a pair to a thread, over blocks.
//@ run --entry reverse --grid 2 --block 32 --arg inout:i32:100=iota --arg i32:100
//! clean
//! defect 1: race at front|ahead|back and ahead|back
//! defect 2: race at front|ahead|back and ahead|back
extern "C" __global__ void reverse(int* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    if (i >= n) return;
#elif DEFECT == 2
    if (i >= n / 2 + 1) return;
#else
    if (i >= n / 2) return;
#endif
    int first = data[i], last = data[n - 1 - i]; // <- front
    data[i] = last; // <- ahead
    data[n - 1 - i] = first; // <- back
}
