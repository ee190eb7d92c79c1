// Barriers in a branch on a value that all threads read from one place, with trips that only data tells.
//@ run --entry data --grid 2 --block 64 --arg in:i32:4=values:3,0,2,5 --arg in:i32:64=iota --arg out:i32:128
//! clean
//! defect 1: barrier_divergence at inner|outer; also=race
//! defect 2: race at put and get
extern "C" __global__ void data(const int* plan, const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = 0;
    for (int k = 0; k < 4; ++k) {
#if DEFECT == 1
        int trips = plan[k] + t / 48;
#else
        int trips = plan[k];
#endif
        if (trips > 1) {
            do {
                s[t] = in[t] + trips; // <- put
                __syncthreads(); // <- inner
                v += s[(t + trips) % 64]; // <- get
#if DEFECT == 2
                if (trips > 2) __syncthreads(); // <- outer
#else
                __syncthreads(); // <- outer
#endif
            } while (--trips);
        }
    }
    out[blockIdx.x * 64 + t] = v;
}
//! label 1: the plan was turned round for some, so that all met as often at the same barriers, which is what is asked; now some have one round more
