//@ run --entry products --grid 1 --block 128 --arg out:i32:64
// Every layout that a matrix descriptor names, for each kind of number: out counts the sums that are wrong, which is none.
#include <cuda_fp16.h>

constexpr int M = 64, N = 16;
__shared__ alignas(1024) unsigned char a_tile[8192], b_tile[8192];

__device__ unsigned char* swapped(unsigned char* start, int offset, int width)
{
    return start + (width == 16 ? offset : offset ^ ((offset >> 7) & (width / 16 - 1)) << 4);
}

// Where byte `at` of the 32 along K of a line lies. `width` is that of the swap in bytes, 16 for none; `part` counts the slices of 32 bytes in a row.
__device__ unsigned char* along(unsigned char* tile, int width, int part, int line, int at)
{
    if (width == 16) return tile + line % 8 * 16 + line / 8 * 256 + at / 16 * 128 + at % 16;
    return swapped(tile, line % 8 * width + line / 8 * 8 * width + 32 * part + at, width);
}

// The same where lines lie side by side, for numbers of two bytes: 64 lines and 16 steps along K.
__device__ unsigned char* across(unsigned char* tile, int width, int line, int k)
{
    if (width == 16) return tile + line % 8 * 2 + line / 8 * 128 + k % 8 * 16 + k / 8 * 1024;
    int chunks = width / 16, block = line / 8 / chunks;
    return swapped(tile, line % 8 * 2 + line / 8 % chunks * 16 + block * 16 * width + k % 8 * width + k / 8 * 8 * width, width);
}

__device__ unsigned long long descriptor(unsigned char* tile, int leading, int stride, int width)
{
    unsigned long long start = __cvta_generic_to_shared(tile) >> 4 & 0x3FFF;
    unsigned long long swap = width == 16 ? 0 : width == 32 ? 3 : width == 64 ? 2 : 1;
    return start | (unsigned long long)(leading / 16) << 16 | (unsigned long long)(stride / 16) << 32 | swap << 62;
}

__device__ int number_a(int row, int k) { return (row * 5 + k * 3) % 9 - 4; }
__device__ int number_b(int column, int k) { return (column * 7 + k * 2) % 7 - 3; }

enum Kind { HALF, TF32, BYTE, EIGHT };

// The bits of a number between −4 and 4.
__device__ unsigned bits(Kind kind, int number)
{
    if (kind == HALF) return __half_as_ushort(__int2half_rn(number));
    if (kind == TF32) return __float_as_uint((float)number);
    if (kind == BYTE) return number & 0xFF;
    const unsigned char of[5] = {0, 0x38, 0x40, 0x44, 0x48};
    return of[abs(number)] | (number < 0 ? 0x80 : 0);
}

#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define PLACES(kind) "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3]), "+" kind(d[4]), "+" kind(d[5]), "+" kind(d[6]), "+" kind(d[7])

__device__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Compares with sums that start at 1, and counts those that differ.
template <typename T> __device__ void compare(const T (&d)[8], int depth, int* wrong)
{
    const int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4;
    for (int i = 0; i < 8; ++i) {
        int of_row = row + i % 4 / 2 * 8, column = i / 4 * 8 + t % 4 * 2 + i % 2, sum = 1;
        for (int k = 0; k < depth; ++k) sum += number_a(of_row, k) * number_b(column, k);
        if (d[i] != (T)sum) atomicAdd(wrong, 1);
    }
}

__device__ void fill(Kind kind, int width, int part, bool turn_a, bool turn_b)
{
    const int bytes = kind == HALF ? 2 : kind == TF32 ? 4 : 1, depth = 32 / bytes;
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 128) ((unsigned*)a_tile)[i] = ((unsigned*)b_tile)[i] = 0x77777777;
    __syncthreads();
    for (int i = threadIdx.x; i < (M + N) * depth; i += 128) {
        int line = i / depth, k = i % depth;
        bool of_a = line < M;
        if (!of_a) line -= M;
        unsigned number = bits(kind, of_a ? number_a(line, k) : number_b(line, k));
        unsigned char* tile = of_a ? a_tile : b_tile;
        unsigned char* at = (of_a ? turn_a : turn_b) ? across(tile, width, line, k) : along(tile, width, part, line, k * bytes);
        if (bytes == 1) *at = number;
        if (bytes == 2) *(unsigned short*)at = number;
        if (bytes == 4) *(unsigned*)at = number;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

__device__ unsigned long long described(unsigned char* tile, int width, int part, bool turned)
{
    if (!turned) return width == 16 ? descriptor(tile, 128, 256, 16) : descriptor(tile + 32 * part, 16, 8 * width, width);
    return width == 16 ? descriptor(tile, 1024, 128, 16) : descriptor(tile, 16 * width, 8 * width, width);
}

template <bool TURN_A, bool TURN_B> __device__ void halves(int width, int part, int* wrong)
{
    fill(HALF, width, part, TURN_A, TURN_B);
    float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    begin();
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUMS ", %8, %9, 1, 1, 1, %10, %11;"
        : PLACES("f") : "l"(described(a_tile, width, part, TURN_A)), "l"(described(b_tile, width, part, TURN_B)), "n"(TURN_A), "n"(TURN_B));
    end();
    compare(d, 16, wrong);
}

extern "C" __global__ void products(int* out)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    int test = 0;
    if (threadIdx.x < 64) out[threadIdx.x] = 0;
    __syncthreads();
    for (int width = 16; width <= 128; width *= 2) {
        halves<false, true>(width, 0, out + test++);
        halves<true, false>(width, 0, out + test++);
        halves<true, true>(width, 0, out + test++);
        for (int part = 0; part < (width == 16 ? 1 : width / 32); ++part) {
            halves<false, false>(width, part, out + test++);
            {
                fill(TF32, width, part, false, false);
                float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
                begin();
                asm volatile("wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 " SUMS ", %8, %9, 1, 1, 1;"
                    : PLACES("f") : "l"(described(a_tile, width, part, false)), "l"(described(b_tile, width, part, false)));
                end();
                compare(d, 8, out + test++);
            }
            {
                fill(BYTE, width, part, false, false);
                int d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
                begin();
                asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 " SUMS ", %8, %9, 1;"
                    : PLACES("r") : "l"(described(a_tile, width, part, false)), "l"(described(b_tile, width, part, false)));
                end();
                compare(d, 32, out + test++);
            }
            {
                fill(EIGHT, width, part, false, false);
                float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
                begin();
                asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 " SUMS ", %8, %9, 1, 1, 1;"
                    : PLACES("f") : "l"(described(a_tile, width, part, false)), "l"(described(b_tile, width, part, false)));
                end();
                compare(d, 32, out + test++);
            }
        }
    }
    // A in registers, negated twice: by the instruction, and by hand.
    fill(HALF, 128, 1, false, false);
    unsigned a[4];
    for (int i = 0; i < 4; ++i) {
        int k = lane % 4 * 2 + i / 2 * 8, of_row = row + i % 2 * 8;
        a[i] = bits(HALF, -number_a(of_row, k)) | bits(HALF, -number_a(of_row, k + 1)) << 16;
    }
    float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    begin();
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUMS ", {%8, %9, %10, %11}, %12, 1, -1, 1, 0;"
        : PLACES("f") : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(described(b_tile, 128, 1, false)));
    end();
    compare(d, 16, out + test++);
    // D is replaced, then added to without a wait between.
    fill(HALF, 64, 0, false, false);
    for (int i = 0; i < 8; ++i) d[i] = -100;
    begin();
    asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUMS ", %8, %9, p, 1, 1, 0, 0;}"
        : PLACES("f") : "l"(described(a_tile, 64, 0, false)), "l"(described(b_tile, 64, 0, false)), "r"(0));
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUMS ", %8, %9, 1, -1, 1, 0, 0;"
        : PLACES("f") : "l"(described(a_tile, 64, 0, false)), "l"(described(b_tile, 64, 0, false)));
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUMS ", %8, %9, 1, 1, 1, 0, 0;"
        : PLACES("f") : "l"(described(a_tile, 64, 0, false)), "l"(described(b_tile, 64, 0, false)));
    end();
    for (int i = 0; i < 8; ++i) d[i] += 1;
    compare(d, 16, out + test++);
    if (threadIdx.x == 0) out[63] = test;
}
