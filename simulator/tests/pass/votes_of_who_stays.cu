//@ run --entry votes --grid 1 --block 32 --arg out:i32:60 --arg i32:20
// Lanes beyond the end have left: whoever stays votes, matches and adds up among themselves under the full mask.
extern "C" __global__ void votes(unsigned* out, int n) {
    int lane = threadIdx.x;
    if (lane >= n) return;
    out[lane] = __ballot_sync(0xffffffff, 1);
    out[n + lane] = __match_any_sync(0xffffffff, lane % 2);
    out[2 * n + lane] = __reduce_add_sync(0xffffffff, lane);
}
