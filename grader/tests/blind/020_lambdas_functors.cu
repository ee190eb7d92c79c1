// Lambdas with captures by value and by reference, a functor class with state, a C++ kernel found by its plain name.
//@ run --entry lambdas --grid 1 --block 96 --arg in:i32:96=small_ints.npy --arg out:i32:96 --arg i32:5
// save: 1
// reference: lambdas

class Accumulator {
public:
    __device__ explicit Accumulator(int start) : total(start) {}
    __device__ void operator()(int value) { total = total * 3 + value; }
    __device__ int result() const { return total; }

private:
    int total;
};

template <typename F>
__device__ void repeat(int times, F&& body)
{
    for (int k = 0; k < times; ++k) body(k);
}

__global__ void lambdas(const int* in, int* out, int times)
{
    int i = threadIdx.x;
    int v = in[i], evens = 0;
    Accumulator sum(i);
    repeat(times + i % 4, [&](int k) {
        sum(v + k);
        if (k % 2 == 0) ++evens;
    });
    auto finish = [v, evens](int x) { return x + v * evens; };
    out[i] = finish(sum.result());
}
