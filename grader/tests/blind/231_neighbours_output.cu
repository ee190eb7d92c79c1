// out[] of the neighbouring thread is read in the same launch that writes it.
//@ run --entry neighbour --grid 4 --block 64 --arg in:i32:256=small_ints.npy --arg inout:i32:256=zeros
//@ run --arg out:i32:256
// expect: race error global @ first second

extern "C" __global__ void neighbour(const int* in, int* once, int* twice)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    once[i] = in[i] * 2; // <- first
    twice[i] = once[(i + 1) % 256]; // <- second
}
