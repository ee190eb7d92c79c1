// A constant array of five, read at index five.
//@ run --entry constant_array --grid 1 --block 32 --arg in:i32:32=iota --arg out:f32:32
//@ run --global taps=taps.npy
// status: finished|faulted
// expect: out_of_bounds error constant @ load
// allow: uninitialized_read error @ load store

__constant__ float taps[5];

extern "C" __global__ void constant_array(const int* in, float* out)
{
    int t = threadIdx.x;
    float v = taps[in[t] % 6]; // <- load
    out[t] = v; // <- store
}
