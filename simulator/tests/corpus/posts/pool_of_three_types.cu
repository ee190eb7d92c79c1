// Dynamic shared memory carved into doubles, integers and bytes, the widest first.
//@ run --entry carve --grid 1 --block 32 --shared 416 --arg in:i32:32=iota --arg out:f64:32
//! clean
//! defect 1: misaligned at wide; also=out_of_bounds
//! defect 2: race at narrow and word
//! defect 3: out_of_bounds at narrow; --shared 408 also=uninitialized_read
//! defect 4: race at wide and use
extern "C" __global__ void carve(const int* in, double* out)
{
    extern __shared__ __align__(16) unsigned char raw[];
    int n = blockDim.x, t = threadIdx.x;
#if DEFECT == 1
    unsigned char* b = raw;
    int* i = (int*)(raw + 32);
    double* d = (double*)(raw + 32 + 4 * n + 4);
#else
    double* d = (double*)raw;
    int* i = (int*)(d + n);
#if DEFECT == 2
    unsigned char* b = (unsigned char*)(i + n) - n;
#else
    unsigned char* b = (unsigned char*)(i + n);
#endif
#endif
    d[t] = in[t] * 0.5; // <- wide
    i[t] = in[t] * 3; // <- word
    b[t] = in[t]; // <- narrow
#if DEFECT != 4
    __syncthreads();
#endif
    int o = n - 1 - t;
    out[t] = d[o] + i[o] + b[o]; // <- use
}
