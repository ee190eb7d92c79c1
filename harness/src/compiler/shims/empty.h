// A header of the CUDA toolkit whose device part the compiler already knows.
#pragma once
