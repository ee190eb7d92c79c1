// Interleaved structs of two fields: one half of the threads writes the first, the other half the second field, of the same structs.
//@ run --entry fields --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at whole
//! defect 2: race at first and sum
struct Pair {
    int first, second;
};
extern "C" __global__ void fields(const int* in, int* out)
{
    __shared__ Pair s[32];
    int t = threadIdx.x, i = t / 2;
#if DEFECT == 1
    Pair p = {in[i * 2], in[i * 2 + 1]};
    if (t % 2) p.second = -p.second;
    s[i] = p; // <- whole
#else
    if (t % 2 == 0) s[i].first = in[t]; // <- first
    else s[i].second = in[t];
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    out[t] = s[(i + 1) % 32].first + s[i].second; // <- sum
}
