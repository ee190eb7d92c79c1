// A kernel gives up deliberately.
//@ run --entry gives_up --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
// status: finished|faulted
// expect: trap error @ trap

extern "C" __global__ void gives_up(const int* in, int* out)
{
    int t = threadIdx.x;
    if (in[t] == 40) {
        __trap(); // <- trap
    }
    out[t] = in[t];
}
