// Steps as objects with a virtual method; one of them meets all threads of the block.
//@ run --entry walk --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at meet|last; also=race
struct Step {
    int* s;
    __device__ Step(int* s) : s(s) {}
    __device__ virtual int go(int v) = 0;
};
struct Add : Step {
    using Step::Step;
    __device__ int go(int v) override { return v + s[threadIdx.x]; }
};
struct Turn : Step {
    using Step::Step;
    __device__ int go(int v) override
    {
        __syncthreads(); // <- meet
        return v + s[63 - threadIdx.x];
    }
};
extern "C" __global__ void walk(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    Add add(s);
    Turn turn(s);
#if DEFECT
    Step* step = t < 32 ? static_cast<Step*>(&turn) : &add;
#else
    Step* step = blockDim.x > 32 ? static_cast<Step*>(&turn) : &add;
#endif
    int v = step->go(t);
    __syncthreads(); // <- last
    out[t] = v;
}
