//@ run --entry votes --grid 1 --block 48 --arg out:u32:48x6
extern "C" __global__ void votes(unsigned* out) {
    int t = threadIdx.x;
    unsigned all = t < 32 ? 0xffffffffu : 0xffffu;
    unsigned* mine = out + 6 * t;
    mine[0] = __ballot_sync(all, t % 3 == 0);
    mine[1] = __any_sync(all, t == 33);
    mine[2] = __all_sync(all, t < 40);
    mine[3] = __match_any_sync(all, t % 4);
    mine[4] = __reduce_add_sync(all, t);
    mine[5] = __shfl_xor_sync(all, t, 1) + __shfl_sync(all, t, 3) + __shfl_up_sync(all, t, 2) + __popc(__activemask());
}
