// Takes time and does nothing else: appended to a kernel of the course and launched after it, it
// makes that kernel slower by a known amount (`workshop flips`).

extern "C" __global__ void delay(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
