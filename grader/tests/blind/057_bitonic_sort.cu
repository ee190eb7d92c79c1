// Bitonic sort of one block: the barrier is in a doubly nested loop and every thread reaches it equally often.
//@ run --entry bitonic --grid 1 --block 256 --arg inout:i32:256=wide_ints.npy
// save: 0
// reference: bitonic

extern "C" __global__ void bitonic(int* data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if (s[t] > s[other] == up) {
                    int x = s[t];
                    s[t] = s[other];
                    s[other] = x;
                }
            }
            __syncthreads();
        }
    }
    data[t] = s[t];
}
