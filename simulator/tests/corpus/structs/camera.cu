// Points as a camera sees them: its parts lie in one another, and it stays where the launch put it (`__grid_constant__`).
//@ run --entry see --grid 1 --block 32
//@ run --arg bytes:0000803f_00000040_00004040_0000803f_00000000_00000000_00000000_0000803f_00000000_08000000_04000000_01000000
//@ run --arg in:f32:32x3=iota --arg inout:i32:4x8=zeros
//! clean
//! defect 1: race at count and count
//! defect 2: out_of_bounds at count
//! defect 3: uninitialized_read at count; arg2=out:i32:4x8
//! defect 4: out_of_bounds at point; --block 33
struct Vec {
    float x, y, z;
};
struct Camera {
    Vec eye;
    float turn[2][3];
    struct {
        int width, height;
    } size;
    bool mirrored;
};
__device__ __noinline__ int along(const Camera& camera, int axis, Vec p)
{
    const float* row = camera.turn[axis];
    const float v = row[0] * (p.x - camera.eye.x) + row[1] * (p.y - camera.eye.y) + row[2] * (p.z - camera.eye.z);
    const int side = axis ? camera.size.height : camera.size.width;
    const int at = ((int)v % side + side) % side;
    return camera.mirrored ? side - 1 - at : at;
}
extern "C" __global__ void see(const __grid_constant__ Camera camera, const Vec* points, int* picture)
{
    const Vec point = points[threadIdx.x]; // <- point
    const int x = along(camera, 0, point), y = along(camera, 1, point);
#if DEFECT == 1
    picture[y * camera.size.width + x] += 1; // <- count
#elif DEFECT == 2
    atomicAdd(&picture[x * camera.size.width + y], 1); // <- count
#else
    atomicAdd(&picture[y * camera.size.width + x], 1); // <- count
#endif
}
