// What <string.h> and <cstring> give a kernel: memcpy, memset and their like are the compiler's own.
#pragma once
#include <stddef.h>
