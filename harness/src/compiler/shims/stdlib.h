// What <stdlib.h> and <cstdlib> give a kernel: malloc, free and abs are the compiler's own.
#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
