// Threads load a tile in stripes, exchange it through padded shared memory and hold neighbours afterwards; what they make of them goes back the same way.
//@ run --entry exchange --grid 2 --block 64 --arg in:i32:512=iota --arg out:i32:512
//! clean
//! defect 1: race at striped and blocked
//! defect 2: race at blocked and back
//! defect 3: race at back and store
//! defect 4: out_of_bounds at striped
template <int ITEMS>
__device__ __forceinline__ int padded(int i)
{
    return i + i / 32;
}
extern "C" __global__ void exchange(const int* in, int* out)
{
    constexpr int ITEMS = 4, TILE = 64 * ITEMS;
#if DEFECT == 4
    __shared__ int tile[TILE];
#else
    __shared__ int tile[TILE + TILE / 32];
#endif
    int t = threadIdx.x, base = blockIdx.x * TILE;
    int item[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) tile[padded<ITEMS>(k * 64 + t)] = in[base + k * 64 + t]; // <- striped
#if DEFECT != 1
    __syncthreads();
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) item[k] = tile[padded<ITEMS>(t * ITEMS + k)]; // <- blocked
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) item[k] += item[k - 1];
#if DEFECT == 2
    tile[padded<ITEMS>((t + 1) % 64 * ITEMS)] = item[0]; // <- back
    item[0] = 0;
    __syncthreads();
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) tile[padded<ITEMS>(t * ITEMS + k)] = item[k]; // <- back
#if DEFECT == 3
    __syncwarp();
#else
    __syncthreads();
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) out[base + k * 64 + t] = tile[padded<ITEMS>(k * 64 + t)]; // <- store
}
