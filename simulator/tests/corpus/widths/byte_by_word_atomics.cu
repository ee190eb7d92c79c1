// Bytes are changed by atomics on the word around them; whoever stores to a byte of it plainly races with those.
//@ run --entry bytes --grid 2 --block 64 --arg inout:u8:128=zeros
//! clean
//! defect 1: race at plain
//! defect 2: race note at look
//! defect 3: race at half
extern "C" __global__ void bytes(unsigned char* data)
{
    int i = threadIdx.x * 2 + blockIdx.x;
    unsigned* word = (unsigned*)data + i / 4;
    unsigned shift = i % 4 * 8;
#if DEFECT == 1
    if (i == 77) {
        data[i] = 9; // <- plain
        return;
    }
#endif
#if DEFECT == 2
    unsigned old = *word; // <- look
#else
    unsigned old = *(volatile unsigned*)word;
#endif
    while (true) {
        unsigned seen = atomicCAS(word, old, (old & ~(255u << shift)) | (i & 255) << shift);
        if (seen == old) break;
        old = seen;
    }
#if DEFECT == 3
    if (i == 20) *(unsigned short*)&data[22] = 1; // <- half
#endif
}
//! label 2: was an error; NVIDIA's guide reads its guess so, and the compare-and-swap checks whatever was read
