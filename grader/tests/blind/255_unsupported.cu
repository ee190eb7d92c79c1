// Cube maps are not simulated, and the simulator must say so instead of guessing.
//@ run --entry texture --grid 1 --block 32 --arg u64:1 --arg out:f32:32
// status: unsupported
// expect: unsupported error @ fetch
// exit: 3

extern "C" __global__ void texture(unsigned long long handle, float* out)
{
    float x, y, z, w;
    asm volatile("tex.cube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %6, %6}];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(handle), "f"((float)threadIdx.x), "f"(0.0f)); // <- fetch
    out[threadIdx.x] = x + y + z + w;
}
