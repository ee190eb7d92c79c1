// Several threads write the same value to one word: worth a note, not an error.
//@ run --entry same_value --grid 1 --block 64 --arg in:i32:64=opcodes.npy --arg inout:i32:1=zeros
// save: 1
// reference: same_value
// expect: race note global @ write

extern "C" __global__ void same_value(const int* in, int* found)
{
    if (in[threadIdx.x] > 5) {
        found[0] = 1; // <- write
    }
}
