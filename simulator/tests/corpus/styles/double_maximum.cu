// The greatest of doubles by compare-and-swap on their bits.
//@ run --entry greatest --grid 3 --block 32 --arg in:f64:96=iota --arg inout:f64:1=zeros
//! clean
//! defect 1: race at store
//! defect 2: race at first and swap
class AtomicDouble {
    unsigned long long* bits;
public:
    __device__ AtomicDouble(double* at) : bits(reinterpret_cast<unsigned long long*>(at)) {}
    __device__ void raise(double v)
    {
#if DEFECT == 2
        unsigned long long old = *bits; // <- first
#else
        unsigned long long old = *reinterpret_cast<volatile unsigned long long*>(bits);
#endif
        while (__longlong_as_double(old) < v) {
#if DEFECT == 1
            *bits = __double_as_longlong(v); // <- store
            break;
#else
            auto seen = atomicCAS(bits, old, __double_as_longlong(v)); // <- swap
            if (seen == old) break;
            old = seen;
#endif
        }
    }
};
extern "C" __global__ void greatest(const double* in, double* best)
{
    AtomicDouble(best).raise(in[blockIdx.x * 32 + threadIdx.x] * 3);
}
