// Phases by pointers to functions in a table; each has a barrier at its end.
//@ run --entry table --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at twist and turn
//! defect 2: barrier_divergence at in_twist|in_turn|end_twist|end_turn; also=race
//! defect 3: race at turn
__device__ __noinline__ void twist(int* s, int t)
{
    int v = s[t ^ 33]; // <- twist
    __syncthreads(); // <- in_twist
    s[t] = v + 1; // <- twist
#if DEFECT != 1
    __syncthreads(); // <- end_twist
#endif
}
__device__ __noinline__ void turn(int* s, int t)
{
    int v = s[(t + 5) % 64]; // <- turn
#if DEFECT != 3
    __syncthreads(); // <- in_turn
#endif
    s[t] = v * 2; // <- turn
    __syncthreads(); // <- end_turn
}
extern "C" __global__ void table(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    void (*phases[2])(int*, int) = {twist, turn};
    for (int k = 0; k < 4; ++k) {
#if DEFECT == 2
        phases[(k + (t > 40)) % 2](s, t);
#else
        phases[k % 2](s, t);
#endif
    }
    out[t] = s[t];
}
