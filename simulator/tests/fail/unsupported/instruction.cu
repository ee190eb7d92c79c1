//@ launch quantum grid=1 block=32 out:i32:32
extern "C" __global__ void quantum(int* out) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = 1;
}
