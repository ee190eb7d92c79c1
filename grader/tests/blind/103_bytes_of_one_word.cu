// Looks like a write-write race, is not: four threads write the four bytes of one word, two the halves of another.
//@ run --entry bytes_of_one_word --grid 1 --block 128 --arg in:u8:128=byte_values.npy --arg out:u32:32
//@ run --arg out:u8:128
// save: 1 2
// reference: bytes_of_one_word

extern "C" __global__ void bytes_of_one_word(const unsigned char* in, unsigned* out, unsigned char* global)
{
    __shared__ unsigned words[32];
    __shared__ unsigned short halves[128];
    int t = threadIdx.x;
    int source = (t * 37) % 128;
    reinterpret_cast<unsigned char*>(words)[source] = in[source];
    halves[t] = in[t] * 3;
    global[source] = in[source] ^ 1;
    __syncthreads();
    if (t < 32) out[t] = words[t] + halves[127 - t];
}
