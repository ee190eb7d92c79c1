// A dense switch (a jump table in PTX) with fall-through, entered divergently by every warp.
//@ run --entry switch_table --grid 1 --block 128 --arg in:i32:128=opcodes.npy --arg in:i32:128=small_ints.npy
//@ run --arg out:i32:128
// save: 2
// reference: switch_table

extern "C" __global__ void switch_table(const int* opcodes, const int* values, int* out)
{
    int i = threadIdx.x;
    int v = values[i], r = 1000;
    switch (opcodes[i]) {
        case 0: r = v + 1; break;
        case 1: r = v * 3; break;
        case 2: r = v - 7; // falls through
        case 3: r += v * v; break;
        case 4: r = v ^ 0x55; break;
        case 5: r = v << 4; break;
        case 6: r = -v; break;
        case 7: r = v % 10; // falls through
        case 8: r ^= 3; // falls through
        case 9: r += 17; break;
        case 10: r = v / 3; break;
        case 11: out[i] = -1; return;
        default: r = 0;
    }
    out[i] = r;
}
