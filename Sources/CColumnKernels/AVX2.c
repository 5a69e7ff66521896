// The level of x86-64 processors since about 2013.
#include "Levels.h"

#if defined(__x86_64__)
#define KERNELS realm_column_kernels_avx2
#define LEVEL "AVX2"
#pragma clang attribute push(                                                             \
    __attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#include "Kernels.h"
#pragma clang attribute pop
#endif
