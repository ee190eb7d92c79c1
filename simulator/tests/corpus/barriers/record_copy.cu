// Records of four words copied to shared memory; the wrong pitch lets the last word of one overlap the next.
//@ run --entry copy --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at put
struct Record {
    int word[4];
};
extern "C" __global__ void copy(const Record* in, Record* out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
#if DEFECT
    const int pitch = 3;
#else
    const int pitch = 4;
#endif
    *(Record*)&s[pitch * t] = in[t]; // <- put
    __syncthreads();
    out[t] = *(Record*)&s[pitch * t];
}
