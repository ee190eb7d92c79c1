// A store megabytes beyond the buffer.
//@ run --entry far --grid 1 --block 32 --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error global @ store

extern "C" __global__ void far(int* out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t == 9) {
        out[50000000 + t] = 1; // <- store
    }
}
