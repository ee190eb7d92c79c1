// Members without padding: the compiler takes what is not aligned apart, as long as it knows.
//@ run --entry pack --grid 1 --block 32 --arg bytes:07_000000000000f83f_05000000 --arg out:u8:32x13
//! clean
//! defect 1: misaligned at through
//! defect 2: out_of_bounds at store
//! defect 3: race at store and store
//! defect 4: uninitialized_read at store
struct __attribute__((packed)) Packed {
    char tag;
    double value;
    int count;
};
extern "C" __global__ void pack(Packed first, Packed* out)
{
    const int t = threadIdx.x;
    Packed mine;
#if DEFECT != 4
    mine = first;
#endif
    mine.tag += t;
    mine.value = first.value * t;
#if DEFECT == 2
    Packed* to = (Packed*)((char*)out + 16 * t);
#elif DEFECT == 3
    Packed* to = (Packed*)((char*)out + 12 * t);
#else
    Packed* to = out + t;
#endif
    *to = mine; // <- store
#if DEFECT == 1
    double* value = (double*)((char*)to + 1);
    *value = 0.5 * t; // <- through
#endif
}
