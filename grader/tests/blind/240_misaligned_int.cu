// An int is read from an odd address of a byte buffer.
//@ run --entry misaligned_int --grid 1 --block 32 --arg in:u8:256=byte_values.npy --arg out:i32:32
// status: finished|faulted
// expect: misaligned error global @ load
// allow: uninitialized_read error @ load

extern "C" __global__ void misaligned_int(const unsigned char* in, int* out)
{
    int t = threadIdx.x;
    out[t] = *reinterpret_cast<const int*>(in + 5 * t); // <- load
}
