// SIMD-in-a-word intrinsics: four bytes or two halves of a register at once.
//@ run --entry bytes_in_words --grid 1 --block 96 --arg in:u32:96=words.npy --arg in:u32:96=more_words.npy
//@ run --arg out:u32:9x96
// save: 2
// reference: bytes_in_words

extern "C" __global__ void bytes_in_words(const unsigned* a, const unsigned* b, unsigned* out)
{
    int i = threadIdx.x, n = blockDim.x;
    unsigned x = a[i], y = b[i];
    out[0 * n + i] = __vadd4(x, y);
    out[1 * n + i] = __vsub2(x, y);
    out[2 * n + i] = __vabsdiffu4(x, y);
    out[3 * n + i] = __vcmpeq4(x, y & 0x00ffff00u | x & 0xff0000ffu);
    out[4 * n + i] = __vmaxs2(x, y);
    out[5 * n + i] = __vminu4(x, y);
    out[6 * n + i] = __vaddus4(x, y);
    out[7 * n + i] = __vavgu4(x, y);
    out[8 * n + i] = __vsadu4(x, y);
}
