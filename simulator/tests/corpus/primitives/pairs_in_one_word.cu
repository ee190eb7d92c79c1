// A hash table with key and value in one 64-bit word, so that one compare-and-swap puts in both. A value apart from its key is another matter.
//@ run --entry insert --grid 2 --block 32 --arg in:u32:64=iota --arg inout:i64:128=const:-1 --arg out:u32:64
//! clean
//! defect 1: race at half
//! defect 2: race at peek and put
//! defect 3: out_of_bounds at put|peek
extern "C" __global__ void insert(const unsigned* in, unsigned long long* table, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = in[i] % 48, slot = key * 37 % 128;
    unsigned long long mine = (unsigned long long)key << 32 | i, empty = ~0ull;
    unsigned value = 0;
#if DEFECT == 3
    slot = key * 37;
#endif
    for (;;) {
#if DEFECT == 2
        unsigned long long old = table[slot]; // <- peek
        if (old == empty) old = atomicCAS(&table[slot], empty, mine); // <- put
#else
        unsigned long long old = atomicCAS(&table[slot], empty, mine); // <- put
#endif
        if (old == empty || old >> 32 == key) {
            value = old;
            break;
        }
#if DEFECT == 3
        slot = slot + 1;
#else
        slot = (slot + 1) % 128;
#endif
    }
#if DEFECT == 1
    ((unsigned*)&table[slot])[0] = i; // <- half
#endif
    out[i] = value;
}
