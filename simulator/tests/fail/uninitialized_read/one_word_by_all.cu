//@ run --entry all --grid 1 --block 64 --arg out:i32:1
// All threads store the same word to the same place. That it is undefined is wrong, and that they meet there is not.
extern "C" __global__ void all(int* out) {
    __shared__ int s[1];
    *out = s[0];
}
