//@ run --entry collatz --grid 1 --block 40 --arg out:i32:40
extern "C" __global__ void collatz(int* out) {
    int n = threadIdx.x + 1, steps = 0;
    while (n != 1) {
        if (n % 2) n = 3 * n + 1;
        else n /= 2;
        ++steps;
    }
    out[threadIdx.x] = steps;
}
