// Every shuffle mode, widths below a warp, sources out of range (the own value stays), 64-bit and float values.
//@ run --entry shuffles --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:14x64
// save: 1
// reference: shuffles

extern "C" __global__ void shuffles(const int* in, int* out)
{
    const unsigned all = 0xffffffffu;
    int i = threadIdx.x, n = blockDim.x, lane = i % 32;
    int v = in[i];
    int row = 0;
    auto put = [&](int value) { out[row++ * n + i] = value; };
    put(__shfl_sync(all, v, 5));
    put(__shfl_sync(all, v, lane * 7));
    put(__shfl_sync(all, v, lane + 3, 8));
    put(__shfl_sync(all, v, -1, 16));
    put(__shfl_up_sync(all, v, 1));
    put(__shfl_up_sync(all, v, 3, 8));
    put(__shfl_down_sync(all, v, 1));
    put(__shfl_down_sync(all, v, 5, 16));
    put(__shfl_xor_sync(all, v, 1));
    put(__shfl_xor_sync(all, v, 31));
    put(__shfl_xor_sync(all, v, 12, 8));
    long long wide = __shfl_down_sync(all, (long long)v * 10000000019LL, 4);
    put((int)(wide ^ (wide >> 32)));
    put((int)__shfl_xor_sync(all, (float)v, 16));
    int inside;
    asm("{ .reg .pred p; .reg .b32 r; shfl.sync.down.b32 r|p, %1, 9, 0x1f, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(inside) : "r"(v));
    put(inside);
}
