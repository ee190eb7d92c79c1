//@ run --entry draw --grid 1 --block 96 --arg inout:i32:1=zeros --arg out:i32:96
// Each warp draws a ticket, and has its own number only in the usual order.
extern "C" __global__ void draw(int* tickets, int* out) {
    int ticket = 0, rounds = 0;
    if (threadIdx.x % 32 == 0) ticket = atomicAdd(tickets, 1);
    ticket = __shfl_sync(0xffffffff, ticket, 0);
    int step = ticket == threadIdx.x / 32 ? 1 : 0;
    for (int k = 0; k < 4; k += step) out[threadIdx.x] = ++rounds;
}
