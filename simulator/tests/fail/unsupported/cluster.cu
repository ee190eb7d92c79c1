//@ run --entry cluster --grid 1 --block 32 --arg out:u32:32
extern "C" __global__ void cluster(unsigned* out) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(0), "r"(0));
    out[threadIdx.x] = address;
}
