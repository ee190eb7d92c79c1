// Everyone reads the same words, nobody writes them; a store to a neighbouring word is no race.
//@ run --entry read_only_sharing --grid 3 --block 64 --arg in:i32:64=small_ints.npy --arg inout:i32:384=iota
// save: 1
// reference: read_only_sharing

extern "C" __global__ void read_only_sharing(const int* in, int* data)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 64; ++k) sum += in[k];
    // Odd words are only read, even words only written.
    data[2 * i] = sum + data[2 * ((i + 1) % 192) + 1];
}
