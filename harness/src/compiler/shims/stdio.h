// What <stdio.h> and <cstdio> give a kernel: printf is the compiler's own.
#pragma once
#include <stddef.h>
