//@ run --entry k --grid 1,1,1 --block 32,1,1 --arg out:i32:256
// Structures by value with padding and bytes, virtual functions, tables of functions and of strings.
struct Mixed { int x; float y; double z; char c[5]; };
struct Base { virtual __device__ int scale(int x) { return x; } };
struct Scaled : Base {
    int by;
    __device__ Scaled(int by) : by(by) {}
    __device__ int scale(int x) override { return x * by; }
};
__device__ int increment(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
typedef int (*Step)(int);
__device__ Step steps[2] = {increment, twice};
__device__ const char* names[2] = {"one", "two"};
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int* second = (int*)&table[1];

__device__ __noinline__ Mixed make(int x) {
    Mixed made;
    made.x = x;
    made.y = x * 2.0f;
    made.z = x * 3.0;
    for (int i = 0; i < 5; i++) made.c[i] = x + i;
    return made;
}

__device__ __noinline__ double total(Mixed a, Mixed* b, char c, short s, bool flag, long long l) {
    return a.x + a.y + a.z + a.c[2] + b->x + c + s + flag + l;
}

extern "C" __global__ void k(int* out) {
    int t = threadIdx.x;
    Mixed a = make(3), b = make(t);
    out[t] = (int)total(a, &b, t & 7, -t, t & 1, 1000000LL * t);
    out[32 + t] = steps[t & 1](t);
    Step chosen = (t & 2) ? increment : twice;
    out[64 + t] = chosen(t);
    out[96 + t] = names[t & 1][t % 3];
    out[128 + t] = *second + table[t & 3];
    Scaled scaled(t);
    Base plain;
    Base* either = (t & 1) ? &scaled : &plain;
    out[160 + t] = either->scale(5);
    int numbers[10];
    for (int i = 0; i < 10; i++) numbers[i] = i * t;
    out[192 + t] = numbers[(t * 7) % 10];
    int collected = 0;
    for (int i = t * 5; i > 0; i /= 2) {
        if (i % 3 == 0) continue;
        if (i == 11) break;
        collected += i;
    }
    out[224 + t] = collected;
}
