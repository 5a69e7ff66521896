#include "CMeasurement.h"

__attribute__((noinline, used)) void realm_bench_measured_region(
    void (*_Nonnull body)(void *_Nullable), void *_Nullable context)
{
    body(context);
    // Keeps the call above from becoming a jump, with which the region would end at its start.
    __asm__ volatile("" ::: "memory");
}
