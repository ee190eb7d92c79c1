// A vote with a full mask while some lanes of the warp leave the kernel: who has left need not vote.
//! launch last grid=1 block=32 in:i32:32=iota out:i32:32
//! clean
//! defect 1: invalid_mask at vote|gone
extern "C" __global__ void last(const int* in, int* out)
{
    int lane = threadIdx.x, v = in[lane];
    if (v % 4 == 3) {
        out[lane] = v;
#if DEFECT
        __syncwarp(); // <- gone
#endif
        return;
    }
    out[lane] = __ballot_sync(0xffffffff, v > 16); // <- vote
}
