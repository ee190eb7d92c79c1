// A computation that never reaches its end.
//@ run --entry endless_loop --grid 1 --block 32 --budget 200000 --arg in:u32:1=const:3 --arg out:u32:32
// status: unfinished
// expect: unfinished|deadlock error @ head|body

extern "C" __global__ void endless_loop(const unsigned* in, unsigned* out)
{
    unsigned x = in[0] + 2 * threadIdx.x;
    while (x != 2) { // <- head
        x = x * x; // <- body
    }
    out[threadIdx.x] = x;
}
