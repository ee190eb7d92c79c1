// One thread puts a value there for all to read, round by round; before the next one all must have read.
//@ run --entry rounds --grid 1 --block 96 --arg in:i32:4=iota --arg out:i32:96
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int value;
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (t == 33) value = in[k]; // <- put
#if DEFECT != 1
        __syncthreads();
#endif
        sum += value; // <- get
#if DEFECT != 2
        __syncthreads();
#endif
    }
    out[t] = sum;
}
