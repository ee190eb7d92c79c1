// The same buffer as two arguments, the second from an offset of 16 elements.
//@ run --entry same_buffer --grid 1 --block 16 --arg inout:i32:32=iota --arg same:0+16 --arg same:0
// save: 0
// reference: same_buffer

extern "C" __global__ void same_buffer(const int* first, int* second, const int* whole)
{
    int t = threadIdx.x;
    second[t] = first[t] * 100 + whole[15 - t];
}
