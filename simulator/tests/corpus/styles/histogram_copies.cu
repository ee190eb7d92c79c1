// A histogram in copies, one for each warp; lanes of it collide, so that adding is atomic all the same.
//@ run --entry count --grid 2 --block 96 --arg in:u8:384=iota --arg inout:i32:16=zeros
//! clean
//! defect 1: race at add
//! defect 2: race at zero and add
//! defect 3: race at flush
//! defect 4: out_of_bounds at add
template <int Copies, int Bins>
struct Histogram {
    int bins[Copies][Bins];
};
extern "C" __global__ void count(const unsigned char* in, int* out)
{
    __shared__ Histogram<3, 16> h;
    int t = threadIdx.x, copy = t / 32;
    for (int k = t; k < 3 * 16; k += blockDim.x) (&h.bins[0][0])[k] = 0; // <- zero
#if DEFECT != 2
    __syncthreads();
#endif
    for (int k = blockIdx.x * 96 + t; k < 384; k += 192) {
        int bin = in[k] >> 4;
#if DEFECT == 1
        h.bins[copy][bin]++; // <- add
#elif DEFECT == 4
        atomicAdd(&h.bins[copy + 1][bin], 1); // <- add
#else
        atomicAdd(&h.bins[copy][bin], 1); // <- add
#endif
    }
    __syncthreads();
    if (t < 16) {
#if DEFECT == 3
        out[t] += h.bins[0][t] + h.bins[1][t] + h.bins[2][t]; // <- flush
#else
        atomicAdd(&out[t], h.bins[0][t] + h.bins[1][t] + h.bins[2][t]);
#endif
    }
}
