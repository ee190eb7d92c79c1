// Loops whose trips differ by lane, nested, with break, continue, goto, early return and a do-while.
//@ run --entry control_flow --grid 2 --block 70 --arg out:i32:3x140 --arg i32:133
// save: 0
// reference: control_flow

__device__ int collatz(unsigned n)
{
    int steps = 0;
    while (n > 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}

extern "C" __global__ void control_flow(int* out, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    out[0 * n + i] = collatz(i + 1);
    out[1 * n + i] = -1;
    out[2 * n + i] = -2;
    if (i >= limit) return;
    int count = 0;
    for (int a = 0; a < i % 7; ++a) {
        for (int b = a; b < 10; ++b) {
            if (b == i % 5) continue;
            if (a * b > i) break;
            count += a ^ b;
            if (count > 40) goto done;
        }
        count += 100;
    }
done:
    out[1 * n + i] = count;
    int x = i, turns = 0;
    do {
        x = x * 5 % 97;
        if (++turns > 50) return;
    } while (x % 11 != 3);
    out[2 * n + i] = turns * 1000 + x;
}
