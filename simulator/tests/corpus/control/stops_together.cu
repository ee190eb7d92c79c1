// Threads go on until all have settled, asked by a barrier that counts; nobody leaves the loop alone.
//@ run --entry settle --grid 1 --block 64 --arg inout:i32:64=iota
//! clean
//! defect 1: barrier_divergence at ask|top|end; also=race
//! defect 2: race at compare and swap
//! defect 3: race at swap
extern "C" __global__ void settle(int* a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t] * 23 % 64;
    for (int k = 0;; ++k) {
        __syncthreads(); // <- top
        bool moved = false;
#if DEFECT == 3
        int i = t + (k & 1);
        if (i < 63) {
#else
        int i = 2 * t + (k & 1);
        if (i + 1 < 64) {
#endif
            int x = s[i], y = s[i + 1]; // <- swap
            if (x > y) {
                s[i] = y; // <- swap
                s[i + 1] = x; // <- swap
                moved = true;
            }
        }
#if DEFECT == 1
        if (!moved && k > 10) break;
        __syncthreads(); // <- ask
#elif DEFECT == 2
        if (__any_sync(~0u, moved) && t < 32) continue;
        if (s[63 - t] < 0) a[t] = 0; // <- compare
        if (k > 70) break;
#elif DEFECT == 3
        if (k > 70 && (!__syncthreads_or(moved) || k > 90)) break;
#else
        if (k > 70 && !__syncthreads_or(moved)) break; // <- ask
#endif
    }
    __syncthreads(); // <- end
    a[t] = s[t];
}
