// Each thread finds where its part of the merged sequence starts on both sides and merges four elements by itself.
//@ run --entry merge --grid 1 --block 16 --arg in:i32:32=values:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 --arg in:i32:32=values:3,3,3,3,9,9,9,9,12,12,12,12,20,21,22,23,24,25,26,27,28,29,30,31,40,41,42,43,44,45,46,47 --arg out:i32:64
//! clean
//! defect 1: out_of_bounds at take
//! defect 2: race at put
//! defect 3: out_of_bounds at probe
extern "C" __global__ void merge(const int* a, const int* b, int* out)
{
    const int n = 32;
    int diagonal = threadIdx.x * 4;
#if DEFECT == 3
    int low = 0, high = min(diagonal, n) + 1;
#else
    int low = max(0, diagonal - n), high = min(diagonal, n);
#endif
    while (low < high) {
        int i = (low + high) / 2;
        if (a[i] <= b[diagonal - 1 - i]) low = i + 1; // <- probe
        else high = i;
    }
    int i = low, j = diagonal - low;
#if DEFECT == 2
    for (int k = 0; k < 5 && i + j < 64; ++k) {
        int v = i < n && (j >= n || a[i] <= b[j]) ? a[i++] : b[j++];
        out[diagonal + k] = v * 2 + (k == 4); // <- put
    }
#else
    for (int k = 0; k < 4; ++k) {
#if DEFECT == 1
        int v = a[i] <= b[j] ? a[i++] : b[j++]; // <- take
#else
        int v = i < n && (j >= n || a[i] <= b[j]) ? a[i++] : b[j++]; // <- take
#endif
        out[diagonal + k] = v;
    }
#endif
}
