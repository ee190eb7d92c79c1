// What <time.h> and <ctime> give a kernel: clock_t and clock are the compiler's own.
#pragma once
#include <stddef.h>
