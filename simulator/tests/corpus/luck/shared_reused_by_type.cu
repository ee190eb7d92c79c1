// One pool for two phases of different types; all reads of the first phase are over before the second writes.
//@ run --entry phases --grid 1 --block 64 --shared 512 --arg in:f64:64=iota --arg out:f64:64
//! clean
//! defect 1: race at wide and narrow
//! defect 2: out_of_bounds at wide; --shared 504 also=uninitialized_read
//! defect 3: uninitialized_read at narrow|narrow_get|out
extern "C" __global__ void phases(const double* in, double* out)
{
    extern __shared__ __align__(8) unsigned char pool[];
    double* wide = (double*)pool;
    short* narrow = (short*)pool;
    int t = threadIdx.x;
    wide[t] = in[t]; // <- wide
    __syncthreads();
    double v = wide[63 - t]; // <- wide
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 3
    short later[2];
    later[0] = t;
    narrow[t] = later[in[t] > 60]; // <- narrow
#else
    narrow[t] = t; // <- narrow
#endif
    __syncthreads();
    int k = narrow[(t + 1) % 64]; // <- narrow_get
    out[t] = v + k; // <- out
}
