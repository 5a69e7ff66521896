#ifndef C_MEASUREMENT_H
#define C_MEASUREMENT_H

/// Calls `body` with `context`. Never inlined and never left before `body` returns, so that
/// `callgrind --toggle-collect=realm_bench_measured_region` counts exactly what `body` does.
/// Calls must not nest: the inner one would switch counting off.
void realm_bench_measured_region(void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// Memory may have changed, as far as the compiler knows: what was read before is read again, so that
/// a loop over the same values is not folded into one pass.
static inline void realm_bench_forget_memory(void) { __asm__ volatile("" ::: "memory"); }

/// The number behind `label`, such as "Threads:", in `/proc/self/status`; -1 if there is none.
/// Allocates nothing: it is asked where allocations are counted.
long realm_bench_status_field(const char *_Nonnull label);

#endif
