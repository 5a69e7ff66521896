#ifndef LEVELS_H
#define LEVELS_H

#include <string.h>

#include "include/CColumnKernels.h"

extern const struct realm_column_kernels realm_column_kernels_baseline;
#if defined(__x86_64__)
extern const struct realm_column_kernels realm_column_kernels_avx2;
extern const struct realm_column_kernels realm_column_kernels_avx512;
#endif

#endif
