// Lanes hand a value along by pairs: 0 to 1, 1 to 2, 2 to 3; each pair syncs with a mask of two.
//@ run --entry relay --grid 1 --block 32 --arg out:i32:32
//! clean
//! defect 1: race at put and get
extern "C" __global__ void relay(int* out)
{
    __shared__ int s[5];
    int t = threadIdx.x;
    if (t == 0) {
        s[0] = 5; // <- put
    }
    if (t < 4) {
        for (int k = 0; k < 3; ++k) {
#if DEFECT
            if (k == 1) continue;
#endif
            if (t == k || t == k + 1) __syncwarp(3u << k);
        }
    }
    if (t == 3) {
        out[t] = s[0]; // <- get
    }
}
