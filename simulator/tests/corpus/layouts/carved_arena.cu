// Dynamic shared memory is carved into arrays of doubles, floats and bytes by a small allocator that keeps alignment; the bytes come last.
//@ run --entry arena --grid 2 --block 40 --shared 560 --arg in:i32:80=iota --arg out:f64:80
//! clean
//! defect 1: misaligned at fill
//! defect 2: race at fill|flag and fill|flag|use
//! defect 3: out_of_bounds at flag
//! defect 4: race at fill and use
class Arena {
    unsigned char* next;

public:
    __device__ explicit Arena(void* start) : next((unsigned char*)start) {}
    template <class T>
    __device__ T* take(int count)
    {
        size_t at = (size_t)next;
#if DEFECT != 1
        at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
#endif
        next = (unsigned char*)(at + count * sizeof(T));
        return (T*)at;
    }
};
extern __shared__ double arena_start[];
extern "C" __global__ void arena(const int* in, double* out)
{
    Arena space(arena_start);
    int t = threadIdx.x, n = blockDim.x;
#if DEFECT == 2
    float* floats = space.take<float>(n - 4);
#else
    float* floats = space.take<float>(n + 1);
#endif
    double* doubles = space.take<double>(n);
#if DEFECT == 3
    unsigned char* flags = space.take<unsigned char>(n) + 48;
#else
    unsigned char* flags = space.take<unsigned char>(n);
#endif
    int v = in[blockIdx.x * n + t];
    floats[t] = v * 0.25f; // <- fill
    doubles[t] = v * 3.0; // <- fill
    flags[t] = v % 3 == 0; // <- flag
#if DEFECT != 4
    __syncthreads();
#endif
    int other = n - 1 - t;
    out[blockIdx.x * n + t] = flags[other] ? doubles[other] : floats[other]; // <- use
}
