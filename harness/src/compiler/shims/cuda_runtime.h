// What a kernel may take from <cuda_runtime.h>. `nvcc` includes that header by itself, and with it the
// standard headers below, so this one is included ahead of every kernel too. Host functions are not here:
// only device code is compiled.
#pragma once
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
