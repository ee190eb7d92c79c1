// Bit fields of one byte: each is a read and a write of the whole byte. Fields of two bytes don't meet.
//@ run --entry mark --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at ask|low and high
//! defect 2: race at low and look
struct State {
    unsigned char low : 4;
#if DEFECT != 1
    unsigned char : 0;
#endif
    unsigned char high : 4;
};
extern "C" __global__ void mark(const int* in, int* out)
{
    __shared__ State s[32];
    int t = threadIdx.x, i = t % 32;
    if (t < 32) s[t] = State{0, 0};
    __syncthreads();
    if (t < 32) { // <- ask
        s[i].low = in[t] % 16; // <- low
    } else {
        s[i].high = in[t] % 16; // <- high
    }
#if DEFECT != 2
    __syncthreads();
#endif
    out[t] = s[31 - i].low + s[i].high; // <- look
}
//! label 1: the compiler reads the byte once, before the branch, and gives that read the branch's line
