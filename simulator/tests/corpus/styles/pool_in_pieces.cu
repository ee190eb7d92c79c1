// Dynamic shared memory handed out in pieces by a small allocator.
//@ run --entry pieces --grid 1 --block 64 --shared 832 --arg in:i32:64=iota --arg out:f64:64
//! clean
//! defect 1: race at doubles and words
//! defect 2: out_of_bounds at bytes; --shared 800
struct Pool {
    unsigned char* at;
    template <class T>
    __device__ T* take(int n)
    {
        T* piece = reinterpret_cast<T*>(at);
        at += n * sizeof(T);
        return piece;
    }
};
extern "C" __global__ void pieces(const int* in, double* out)
{
    extern __shared__ double storage[];
    Pool pool{reinterpret_cast<unsigned char*>(storage)};
    int t = threadIdx.x;
#if DEFECT == 1
    double* doubles = pool.take<double>(60);
#else
    double* doubles = pool.take<double>(64);
#endif
    int* words = pool.take<int>(64);
    auto* bytes = pool.take<unsigned char>(64);
    doubles[63 - t] = in[t]; // <- doubles
    words[t] = t; // <- words
    bytes[t] = 2 * t; // <- bytes
    __syncthreads();
    out[t] = doubles[t] + words[63 - t] + bytes[t ^ 1];
}
