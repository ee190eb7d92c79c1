// Each quarter of a warp works on its own eight words and syncs with itself; a neighbour's word needs more.
//@ run --entry quarters --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at put and get
extern "C" __global__ void quarters(const int* in, int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x, quarter = t / 8;
    s[t] = in[t]; // <- put
    if (quarter == 0) __syncwarp(0x000000ff);
    else if (quarter == 1) __syncwarp(0x0000ff00);
    else if (quarter == 2) __syncwarp(0x00ff0000);
    else __syncwarp(0xff000000);
#if DEFECT
    out[t] = s[(t + 8) % 32]; // <- get
#else
    out[t] = s[quarter * 8 + (t + 1) % 8];
#endif
}
