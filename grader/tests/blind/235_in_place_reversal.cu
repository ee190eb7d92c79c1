// A reversal in place across blocks: each element is overwritten by one thread and read by another.
//@ run --entry in_place --grid 4 --block 64 --arg inout:i32:256=iota
// expect: race error global @ swap

extern "C" __global__ void in_place(int* data)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    data[i] = data[255 - i]; // <- swap
}
