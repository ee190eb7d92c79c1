// What <stdbool.h> gives a kernel: nothing, because bool is C++'s own.
#pragma once
