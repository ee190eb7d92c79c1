// Recursive device functions: depths that differ by lane, two recursive calls per level, and an array in every frame.
//@ run --entry recursion --grid 1 --block 64 --arg out:i32:3x64
// save: 0
// reference: recursion

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ int digits(int value, int depth)
{
    int frame[4];
    for (int k = 0; k < 4; ++k) frame[k] = value + k * depth;
    int deeper = depth == 0 ? 0 : digits(value / 2, depth - 1);
    return frame[(value + depth) & 3] + deeper;
}

extern "C" __global__ void recursion(int* out)
{
    int i = threadIdx.x, n = blockDim.x;
    out[0 * n + i] = fibonacci(i % 11);
    out[1 * n + i] = ackermann(i % 3, i % 4);
    out[2 * n + i] = digits(i * 37, i % 12);
}
