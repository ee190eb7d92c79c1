//@ run --entry stale --grid 1 --block 1 --arg out:i32:1
extern "C" __global__ void stale(int* out) {
    int* p = (int*)malloc(16);
    *p = 3;
    free(p);
    out[0] = *p;
}
