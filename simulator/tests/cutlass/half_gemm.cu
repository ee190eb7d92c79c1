//@ run --entry half_gemm --grid 1,1 --block 128 --arch 80 --arg in:f16:64x96=A --arg in:f16:96x64=B --arg out:f32:64x64 --arg i32:64 --arg i32:64 --arg i32:96
// C = A · B of halves with CuTe: stages filled by cp.async, a swizzled layout, ldmatrix of A as it lies and of B transposed, mma.sync.
// With DEFECT a stage is filled again while warps still read it.
#include <cute/tensor.hpp>

using namespace cute;

using TileM = _64;
using TileN = _64;
using TileK = _32;
constexpr int STAGES = 3;

// A has its k side by side, B its n.
using LayoutA = decltype(tile_to_shape(
    composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}), Shape<TileM, TileK, Int<STAGES>>{}));
using LayoutB = decltype(tile_to_shape(
    composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>, Stride<_1, _64>>{}), Shape<TileN, TileK, Int<STAGES>>{}));

extern "C" __global__ void __launch_bounds__(128)
half_gemm(const half_t* a, const half_t* b, float* c, int m, int n, int k)
{
    auto tile = Shape<TileM, TileN, TileK>{};
    auto at = make_coord(blockIdx.x, blockIdx.y, _);
    auto all_a = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, _1{}));
    auto all_b = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(_1{}, n));
    auto all_c = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, _1{}));
    auto ga = local_tile(all_a, tile, at, Step<_1, X, _1>{});
    auto gb = local_tile(all_b, tile, at, Step<X, _1, _1>{});
    auto gc = local_tile(all_c, tile, at, Step<_1, _1, X>{});

    __shared__ alignas(128) half_t shared_a[cosize_v<LayoutA>];
    __shared__ alignas(128) half_t shared_b[cosize_v<LayoutB>];
    auto sa = make_tensor(make_smem_ptr(shared_a), LayoutA{});
    auto sb = make_tensor(make_smem_ptr(shared_b), LayoutB{});

    using Async = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>;
    auto fill_a = make_tiled_copy(Async{}, Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
    auto fill_b = make_tiled_copy(Async{}, Layout<Shape<_8, _16>>{}, Layout<Shape<_8, _1>>{});
    auto mine_a = fill_a.get_slice(threadIdx.x);
    auto mine_b = fill_b.get_slice(threadIdx.x);
    auto from_a = mine_a.partition_S(ga);
    auto from_b = mine_b.partition_S(gb);
    auto to_a = mine_a.partition_D(sa);
    auto to_b = mine_b.partition_D(sb);

    auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
    auto mine = mma.get_slice(threadIdx.x);
    auto out = mine.partition_C(gc);
    auto sums = mine.make_fragment_C(out);
    auto ra = mine.partition_fragment_A(sa(_, _, 0));
    auto rb = mine.partition_fragment_B(sb(_, _, 0));
    clear(sums);

    auto load_a = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
    auto load_b = make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, mma);
    auto shared_to_a = load_a.get_slice(threadIdx.x).partition_S(sa);
    auto shared_to_b = load_b.get_slice(threadIdx.x).partition_S(sb);
    auto into_a = load_a.get_slice(threadIdx.x).retile_D(ra);
    auto into_b = load_b.get_slice(threadIdx.x).retile_D(rb);

    int tiles = size<2>(ga);
    auto fill = [&](int t) {
        if (t < tiles) {
            copy(fill_a, from_a(_, _, _, t), to_a(_, _, _, t % STAGES));
            copy(fill_b, from_b(_, _, _, t), to_b(_, _, _, t % STAGES));
        }
        cp_async_fence();
    };
    for (int t = 0; t < STAGES - 1; ++t) fill(t);
    for (int t = 0; t < tiles; ++t) {
        cp_async_wait<STAGES - 2>();
#ifndef DEFECT
        __syncthreads();
#else
        if (t == 0) __syncthreads();
#endif
        fill(t + STAGES - 1);
        copy(load_a, shared_to_a(_, _, _, t % STAGES), into_a);
        copy(load_b, shared_to_b(_, _, _, t % STAGES), into_b);
        gemm(mma, ra, rb, sums);
    }
    copy(sums, out);
}
