//@ run --entry copied --grid 2 --block 32 --arg surface:f32:4x16=iota --arg surface:u16x4:4x16 --arg surface:i32:2x2x16 --arg surface:u8:3x64=zeros,layered
//@ run --arg out:f32:4x16 --arg out:u32:3
// Surfaces are read and written by the byte; what lies outside stops nobody who asks so.
extern "C" __global__ void copied(
    cudaSurfaceObject_t from, cudaSurfaceObject_t to, cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, float* out, unsigned int* sizes)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, x = t % 16, y = t / 16;
    const float value = surf2Dread<float>(from, 4 * x, y);
    const unsigned short part = value;
    surf2Dwrite(make_ushort4(part, part + 1, part + 2, part + 3), to, 8 * x, y);
    surf3Dwrite(1000 + t, volume, 4 * x, y % 2, y / 2);
    surf1DLayeredwrite((unsigned char)(t + 1), layers, t, t % 3);
    // Beyond its edges nothing is written, zeros are read, and the texel at the edge stands for all.
    surf2Dwrite(-1.0f, from, 4 * x, y + 4, cudaBoundaryModeZero);
    const float none = surf2Dread<float>(from, 4 * x - 64, y, cudaBoundaryModeZero);
    out[t] = none + surf2Dread<float>(from, 4 * x + 32, y - 2, cudaBoundaryModeClamp);
    if (t == 0) {
        asm("suq.width.b32 %0, [%1];" : "=r"(sizes[0]) : "l"(to));
        asm("suq.height.b32 %0, [%1];" : "=r"(sizes[1]) : "l"(to));
        asm("suq.depth.b32 %0, [%1];" : "=r"(sizes[2]) : "l"(volume));
    }
}
