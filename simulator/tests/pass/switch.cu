//@ run --entry choose --grid 1 --block 32 --arg out:i32:32
extern "C" __global__ void choose(int* out) {
    int t = threadIdx.x, r;
    switch (t % 8) {
        case 0: r = 5; break;
        case 1: r = t * 2; break;
        case 2: r = t - 7; break;
        case 3: r = t ^ 3; break;
        case 4: r = t << 2; break;
        case 5: r = t / 3; break;
        case 6: r = 99; break;
        default: r = -t;
    }
    out[t] = r;
}
