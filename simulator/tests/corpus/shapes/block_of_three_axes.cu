// A block of three axes: the linear index must count all of them.
//@ run --entry shift --grid 1 --block 8,4,3 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at put
//! defect 2: race at put and get
extern "C" __global__ void shift(const int* in, int* out)
{
    __shared__ int s[96];
    int t = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
#if DEFECT == 1
    int place = threadIdx.x + 8 * (threadIdx.y + 3 * threadIdx.z);
#else
    int place = t;
#endif
    s[place] = in[t]; // <- put
#if DEFECT == 2
    __syncwarp();
#else
    __syncthreads();
#endif
    out[t] = s[(place + 40) % 96]; // <- get
}
