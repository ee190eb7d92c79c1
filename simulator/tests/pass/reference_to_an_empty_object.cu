//@ run --entry offsets --grid 1 --block 64 --arg out:i32:64
// A tag type has no members. Compilers copy it by its one byte of padding, from wherever a reference says that it was: here a frame
// that has returned. Templates that keep sizes in types do this all the time.
struct Zero {};

template <class Offset> struct Pointer {
    Offset offset;
    int base;
};

template <class Offset> __device__ __noinline__ Offset const& keep(Offset const& offset)
{
    Offset copy = offset;
    Offset const* at = &copy;
    return *at;
}

template <class Offset> __device__ __noinline__ Pointer<Offset> pointer(Offset const& offset, int base)
{
    return Pointer<Offset>{offset, base};
}

extern "C" __global__ void offsets(int* out)
{
    Zero zero = keep(Zero{});
    out[threadIdx.x] = pointer(zero, threadIdx.x).base;
}
