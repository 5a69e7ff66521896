#ifndef CALL_COUNTERS_H
#define CALL_COUNTERS_H

#include <stdint.h>

/// What this process asked of the operating system so far.
typedef struct {
    /// `fsync`, `fdatasync`, `msync`, and writes through descriptors that are synchronous.
    uint64_t syncs;
    /// `write`, `pwrite`, `writev`, `pwritev` through descriptors above 2.
    uint64_t write_calls;
    /// Bytes that these calls wrote.
    uint64_t bytes_written;
} call_counts;

/// Any thread may call this.
call_counts call_counters_read(void);

/// Marks the open descriptors of the file at `path` that have O_DSYNC or O_SYNC: each write through
/// one of them counts as a sync as well. Returns how many there are. Call it after a library that
/// opens such descriptors did so, and `call_counters_forget_synchronous` before it closes them.
int call_counters_mark_synchronous(const char *path);

/// Takes the marks off the descriptors of the file at `path`.
void call_counters_forget_synchronous(const char *path);

#endif
