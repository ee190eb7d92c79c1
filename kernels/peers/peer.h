// One line of JSON for what is timed beside the course's kernels: in turn with a plain copy, so
// that both see the same clocks.
#pragma once

#include "timing.h"

static constexpr int WARM_UP_ROUNDS = 3;
static constexpr int ROUNDS = 25;

static Timer *timer;

// Times `work`, which moves at least `bytes` or computes `operations`, and prints what came out.
static void peer(const char *exercise, const char *name, const std::string &version, const char *of,
                 double bytes, double operations, const std::function<void()> &work) {
    std::vector<double> times, copies;
    for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; ++round) {
        double time = timer->cold(work), copy = timer->copy();
        if (round >= WARM_UP_ROUNDS) {
            times.push_back(time);
            copies.push_back(copy);
        }
    }
    std::printf(
        "{\"exercise\": \"%s\", \"peer\": \"%s\", \"version\": \"%s\", \"case\": \"%s\", "
        "\"bytes\": %.0f, "
        "\"operations\": %.0f, \"copy_bytes_per_second\": %.4g, \"microseconds\": [",
        exercise, name, version.c_str(), of, bytes, operations,
        Timer::COPY_BYTES / (1e-6 * median(copies)));
    for (size_t i = 0; i < times.size(); ++i) {
        std::printf("%s%.3f", i ? ", " : "", times[i]);
    }
    std::printf("]}\n");
    std::fflush(stdout);
}
