//@ run --entry decide --grid 1 --block 32 --arg out:i32:32
extern "C" __global__ void decide(int* out) {
    __shared__ int flag;
    if (flag > 3) out[threadIdx.x] = 1;
    else out[threadIdx.x] = 2;
}
