// Lower bound of a key; `high` may be n, which must not be read.
//@ run --entry lower_bound --grid 1 --block 64 --arg in:i32:32=iota --arg out:i32:64 --arg i32:32
//! clean
//! defect 1: out_of_bounds at probe
extern "C" __global__ void lower_bound(const int* sorted, int* out, int n)
{
    int key = threadIdx.x, low = 0, high = n;
#if DEFECT
    while (low <= high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) { // <- probe
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
#else
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
#endif
    out[threadIdx.x] = low;
}
