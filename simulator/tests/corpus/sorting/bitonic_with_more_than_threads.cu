// A bitonic sort of four values a thread: every step each thread looks after two pairs.
//@ run --entry sort --grid 1 --block 64 --arg inout:i32:256=values:255,254,253,252,251,250,249,248,247,246,245,244,243,242,241,240,239,238,237,236,235,234,233,232,231,230,229,228,227,226,225,224,223,222,221,220,219,218,217,216,215,214,213,212,211,210,209,208,207,206,205,204,203,202,201,200,199,198,197,196,195,194,193,192,191,190,189,188,187,186,185,184,183,182,181,180,179,178,177,176,175,174,173,172,171,170,169,168,167,166,165,164,163,162,161,160,159,158,157,156,155,154,153,152,151,150,149,148,147,146,145,144,143,142,141,140,139,138,137,136,135,134,133,132,131,130,129,128,127,126,125,124,123,122,121,120,119,118,117,116,115,114,113,112,111,110,109,108,107,106,105,104,103,102,101,100,99,98,97,96,95,94,93,92,91,90,89,88,87,86,85,84,83,82,81,80,79,78,77,76,75,74,73,72,71,70,69,68,67,66,65,64,63,62,61,60,59,58,57,56,55,54,53,52,51,50,49,48,47,46,45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0
//! clean
//! defect 1: race at swap
//! defect 2: race at load and swap
//! defect 3: race at swap and store
//! defect 4: out_of_bounds at swap
//! defect 5: race at swap
extern "C" __global__ void sort(int* data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 64) s[i] = data[i]; // <- load
#if DEFECT != 2
    __syncthreads();
#endif
    for (int size = 2; size <= 256; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
#if DEFECT == 4
            for (int p = t; p < 192; p += 64) {
#else
            for (int p = t; p < 128; p += 64) {
#endif
#if DEFECT == 5
                int i = 2 * p - (p & stride - 1) - (stride > 64);
#else
                int i = 2 * p - (p & stride - 1);
#endif
                int j = i + stride;
                bool up = (i & size) == 0;
                int a = s[i < 0 ? 0 : i], b = s[j]; // <- swap
                if ((a > b) == up) {
                    s[i < 0 ? 0 : i] = b; // <- swap
                    s[j] = a; // <- swap
                }
            }
#if DEFECT == 1
            if (stride > 16) __syncthreads();
            else __syncwarp();
#else
            __syncthreads();
#endif
        }
    }
#if DEFECT == 3
    for (int i = t; i < 256; i += 64) data[i] = s[i]; // <- store
    s[255 - t] = 0; // <- swap
#else
    for (int i = t; i < 256; i += 64) data[i] = s[i]; // <- store
#endif
}
