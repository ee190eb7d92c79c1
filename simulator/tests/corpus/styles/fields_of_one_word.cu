// A record of bit fields for each thread, or one whose fields are several threads'.
//@ run --entry fields --grid 1 --block 32 --arg in:i32:32=iota --arg out:u32:32
//! clean
//! defect 1: race at low and high
struct Record {
    unsigned low : 5, high : 7, rest : 20;
};
extern "C" __global__ void fields(const int* in, unsigned* out)
{
    __shared__ Record r[32];
    int t = threadIdx.x;
    r[t] = Record{0, 0, 0};
    __syncwarp();
#if DEFECT
    if (t % 2) r[t / 2].high = in[t]; // <- high
    else r[t / 2].low = in[t]; // <- low
#else
    r[t].high = in[t];
    r[t].low = in[t];
#endif
    __syncwarp();
    Record mine = r[31 - t];
    out[t] = mine.low + mine.high * 32 + mine.rest;
}
