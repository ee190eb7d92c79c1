// An inclusive scan in the manner of block-wide primitives: a class with its storage in shared memory, used twice in a row by the same threads, so that the storage must be free again.
//@ run --entry scan --grid 2 --block 96 --arg in:i32:384=iota --arg out:i32:384
//! clean
//! defect 1: race at total and aggregate
//! defect 2: race at aggregate and total
//! defect 3: invalid_mask at shuffle
//! defect 4: uninitialized_read at total|aggregate|result|total_of|result2
template <typename T, int WARPS>
struct BlockScan {
    struct Storage { T aggregates[WARPS]; };
    Storage& storage;
    __device__ explicit BlockScan(Storage& storage) : storage(storage) {}

    static __device__ T warp_scan(T value, int lane)
    {
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
#if DEFECT == 3
            if (lane >= d) value += __shfl_up_sync(0xffffffff, value, d); // <- shuffle
#else
            T up = __shfl_up_sync(0xffffffff, value, d);
            if (lane >= d) value += up;
#endif
        }
        return value;
    }

    __device__ T inclusive(T value, T& total)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
        value = warp_scan(value, lane);
#if DEFECT == 4
        if (lane == 31 && warp > 0) storage.aggregates[warp] = value; // <- total_of
#else
        if (lane == 31) storage.aggregates[warp] = value; // <- total
#endif
#if DEFECT != 1
        __syncthreads();
#endif
        T before = 0;
        total = 0;
        for (int w = 0; w < WARPS; ++w) {
            T one = storage.aggregates[w]; // <- aggregate
            if (w < warp) before += one;
            total += one;
        }
        return before + value;
    }
};

extern "C" __global__ void scan(const int* in, int* out)
{
    using Scan = BlockScan<int, 3>;
    __shared__ typename Scan::Storage storage;
    int t = threadIdx.x, base = blockIdx.x * 192;
    int total, more;
    int a = Scan(storage).inclusive(in[base + t], total);
#if DEFECT != 2
    __syncthreads();
#endif
    int b = Scan(storage).inclusive(in[base + 96 + t], more);
    out[base + t] = a; // <- result
    out[base + 96 + t] = total + b; // <- result2
}
