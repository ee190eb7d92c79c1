// Trees of expressions are built in the memory of each thread and evaluated by virtual calls; results go through shared memory to a neighbour.
//@ run --entry evaluate --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at keep and neighbour
//! defect 2: uninitialized_read at value|neighbour|constant
//! defect 3: barrier_divergence at wait|meet; also=race,uninitialized_read
struct Node {
    virtual __device__ int value() const = 0;
};
struct Constant : Node {
    int v;
    __device__ Constant(int v)
    {
#if DEFECT == 2
        if (v % 5) this->v = v; // <- constant
#else
        this->v = v; // <- constant
#endif
    }
    __device__ int value() const override { return v; } // <- value
};
struct Sum : Node {
    const Node &a, &b;
    __device__ Sum(const Node& a, const Node& b) : a(a), b(b) {}
    __device__ int value() const override { return a.value() + b.value(); }
};
struct Product : Node {
    const Node &a, &b;
    __device__ Product(const Node& a, const Node& b) : a(a), b(b) {}
    __device__ int value() const override
    {
#if DEFECT == 3
        __syncthreads(); // <- wait
#endif
        return a.value() * b.value();
    }
};
extern "C" __global__ void evaluate(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    Constant x(in[t]), y(t + 1);
    Sum sum(x, y);
    Product product(sum, x);
    const Node* node = in[t] % 2 ? (const Node*)&sum : (const Node*)&product;
    s[t] = node->value(); // <- keep
#if DEFECT != 1
    __syncthreads(); // <- meet
#endif
    out[t] = s[63 - t]; // <- neighbour
}
//! label 3: consequences were not allowed: who is a barrier ahead reads what nobody has stored yet
