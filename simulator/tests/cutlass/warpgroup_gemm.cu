//@ run --entry warpgroup_gemm --grid 2,2 --block 128 --arch 90a --arg tensormap:64x64,swizzle=128:in:f16:128x192=A --arg tensormap:64x64,swizzle=128:in:f16:128x192=B --arg out:f32:128x128 --arg i32:128 --arg i32:192
// C = A · Bᵀ of halves with CuTe on capability 9.0: tiles come as boxes of tensor maps, and wgmma reads them where they lie.
// With DEFECT the tile is read before its barrier says that it has come.
#include <cute/tensor.hpp>
#include <cute/arch/copy_sm90_desc.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;

constexpr int STAGES = 2;
using Tiles = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64, Int<STAGES>>{}));

struct Storage {
    alignas(1024) half_t a[cosize_v<Tiles>];
    alignas(1024) half_t b[cosize_v<Tiles>];
    uint64_t full[STAGES];
};

extern "C" __global__ void __launch_bounds__(128)
warpgroup_gemm(const __grid_constant__ TmaDescriptor map_a, const __grid_constant__ TmaDescriptor map_b, float* c, int n, int k)
{
    using Full = cutlass::arch::ClusterTransactionBarrier;
    __shared__ Storage storage;
    auto sa = make_tensor(make_smem_ptr(storage.a), Tiles{});
    auto sb = make_tensor(make_smem_ptr(storage.b), Tiles{});
    if (threadIdx.x == 0)
        for (auto& full : storage.full) Full::init(&full, 1);
    cutlass::arch::fence_barrier_init();
    __syncthreads();

    auto mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
    auto mine = mma.get_slice(threadIdx.x);
    auto all_c = make_tensor(make_gmem_ptr(c), make_shape(gridDim.x * 64, n), make_stride(n, _1{}));
    auto out = mine.partition_C(local_tile(all_c, Shape<_64, _64>{}, make_coord(blockIdx.x, blockIdx.y)));
    auto sums = mine.make_fragment_C(out);
    auto ra = mine.make_fragment_A(mine.partition_A(sa));
    auto rb = mine.make_fragment_B(mine.partition_B(sb));
    clear(sums);

    int tiles = k / 64;
    auto fill = [&](int t) {
        if (threadIdx.x == 0 && t < tiles) {
            int stage = t % STAGES;
            Full::arrive_and_expect_tx(&storage.full[stage], 2 * 64 * 64 * sizeof(half_t));
            SM90_TMA_LOAD_2D::copy(&map_a, &storage.full[stage], uint64_t(TMA::CacheHintSm90::EVICT_NORMAL),
                                   &sa(0, 0, stage), 64 * t, 64 * int(blockIdx.x));
            SM90_TMA_LOAD_2D::copy(&map_b, &storage.full[stage], uint64_t(TMA::CacheHintSm90::EVICT_NORMAL),
                                   &sb(0, 0, stage), 64 * t, 64 * int(blockIdx.y));
        }
    };
    for (int t = 0; t < STAGES; ++t) fill(t);
    for (int t = 0; t < tiles; ++t) {
        int stage = t % STAGES;
#ifndef DEFECT
        Full::wait(&storage.full[stage], t / STAGES & 1);
#endif
        warpgroup_arrive();
        gemm(mma, ra(_, _, _, stage), rb(_, _, _, stage), sums);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        __syncthreads();
        fill(t + STAGES);
    }
    copy(sums, out);
}
