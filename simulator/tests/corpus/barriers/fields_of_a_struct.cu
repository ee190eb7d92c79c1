// Two warps write different fields; assigning the whole struct writes the other's field, too.
//@ run --entry fields --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:2
//! clean
//! defect 1: race at sum and count
struct Result {
    int sum, count;
};
extern "C" __global__ void fields(const int* in, int* out)
{
    __shared__ Result r;
    int t = threadIdx.x;
    if (t == 0) {
        r.sum = in[5]; // <- sum
    }
    if (t == 32) {
#if DEFECT
        r = Result{0, in[6]}; // <- count
#else
        r.count = in[6];
#endif
    }
    __syncthreads();
    if (t == 0) {
        out[0] = r.sum;
        out[1] = r.count;
    }
}
