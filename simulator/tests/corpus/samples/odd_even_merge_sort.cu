// Batcher's odd-even merge sort as in the toolkit's samples: the first step of each size is a plain comparison, the others pair with an offset.
//@ run --entry sort --grid 1 --block 64 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at first|other
//! defect 2: out_of_bounds at other; also=race
extern "C" __global__ void sort(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t] * 37 % 128;
    s[t + 64] = in[t + 64] * 37 % 128;
    for (int size = 2; size <= 128; size <<= 1) {
        int stride = size / 2, offset = t & (stride - 1);
        __syncthreads();
        {
            int p = 2 * t - (t & (stride - 1));
            int a = s[p], b = s[p + stride];
            if (a > b) {
                s[p] = b; // <- first
                s[p + stride] = a;
            }
            stride >>= 1;
        }
        for (; stride > 0; stride >>= 1) {
#if DEFECT != 1
            __syncthreads();
#endif
            int p = 2 * t - (t & (stride - 1));
#if DEFECT != 2
            if (offset >= stride)
#endif
            {
                int a = s[p - stride], b = s[p]; // <- other
                if (a > b) {
                    s[p - stride] = b; // <- other
                    s[p] = a; // <- other
                }
            }
        }
    }
    __syncthreads();
    out[t] = s[t];
    out[t + 64] = s[t + 64];
}
