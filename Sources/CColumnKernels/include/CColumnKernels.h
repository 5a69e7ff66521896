// Loops over the packed columns of a node, compiled for several levels of one processor
// architecture and selected at run time. Sources/StorageEngine/Kernels defines their meaning.
#ifndef CCOLUMNKERNELS_H
#define CCOLUMNKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A column of unsigned deltas of `width` bits (1, 2, 4, 8, 16, 32 or 64), the first in the lowest
/// bits. `data` is readable in whole 8-byte words up to the last row, and no further.
struct realm_packed_column {
    const void *_Nonnull data;
    /// One bit per row, in whole words: 1 is null. NULL if nothing is null.
    const uint64_t *_Nullable nulls;
    size_t rows;
    unsigned width;
};

/// The deltas from `low` to `low + span` (both inclusive, wrapping around at 64 bits).
struct realm_delta_range {
    uint64_t low;
    uint64_t span;
    /// Whether the deltas outside the range are meant instead.
    bool inverted;
};

/// The sum is `(high << 32) + low`. `high` is signed, and zero for widths below 64.
struct realm_delta_sum {
    uint64_t low;
    int64_t high;
    size_t count;
};

/// The least and the greatest delta. 64-bit deltas are compared as signed numbers and have their
/// sign bit inverted here. `low > high` if there was no row.
struct realm_delta_bounds {
    uint64_t low;
    uint64_t high;
};

/// A column of byte strings, which are contiguous in a heap. A row's end offset has 15 bits. Bit 15
/// marks a value that is not in the heap, which no search finds.
///
/// `ends` has 16 bits for each row. Packed, it has ten bytes for each eight rows: where the first
/// of them begins in 16 bits, and in a byte for each of them where it ends after that. No value is
/// elsewhere then.
///
/// The 8 bytes before `heap` are readable, and nothing behind its first `used` bytes is read.
struct realm_bytes_column {
    const uint8_t *_Nonnull heap;
    const void *_Nonnull ends;
    bool ends_are_packed;
    const uint64_t *_Nullable nulls;
    size_t used;
    size_t rows;
};

enum realm_bytes_test { realm_bytes_equal, realm_bytes_prefix, realm_bytes_suffix };

/// The kernels as compiled for one level of processors. Rows that are null match nothing.
struct realm_column_kernels {
    const char *_Nonnull name;
    /// Returns the number of rows in the range.
    size_t (*_Nonnull count)(struct realm_packed_column, struct realm_delta_range);
    /// Returns the same, and writes one bit per row to whole words of `mask`.
    size_t (*_Nonnull match)(
        struct realm_packed_column, struct realm_delta_range, uint64_t *_Nonnull mask);
    /// Adds up the rows in `selection` (NULL: all).
    struct realm_delta_sum (*_Nonnull sum)(
        struct realm_packed_column, const uint64_t *_Nullable selection);
    /// Returns the bounds of the rows in `selection` (NULL: all).
    struct realm_delta_bounds (*_Nonnull bounds)(
        struct realm_packed_column, const uint64_t *_Nullable selection);
    /// Writes one bit per row to whole words of `mask`. Returns whether any value is not in the
    /// heap.
    bool (*_Nonnull match_bytes)(
        struct realm_bytes_column, enum realm_bytes_test, const uint8_t *_Nullable pattern,
        size_t pattern_bytes, uint64_t *_Nonnull mask);
    size_t (*_Nonnull count_bits)(const uint64_t *_Nonnull words, size_t count);
};

/// Returns the kernels for a level, the lowest being 0, or NULL if this processor does not have the
/// level.
const struct realm_column_kernels *_Nullable realm_column_kernels_at_level(unsigned level);

/// Writes one bit per row to whole words of `mask`: whether the value contains the pattern, which
/// is not empty. Returns whether any value is not in the heap.
bool realm_match_contained_bytes(
    struct realm_bytes_column column, const uint8_t *_Nonnull pattern, size_t pattern_bytes,
    uint64_t *_Nonnull mask);

/// Whether `bytes` contain the pattern, which may be empty.
bool realm_contains_bytes(
    const void *_Nullable bytes, size_t count, const void *_Nullable pattern,
    size_t pattern_bytes);

/// Prefetches the cache line at an address, which need not be readable.
static inline void realm_prefetch(const void *_Nullable address) {
    __builtin_prefetch(address, 0, 3);
}

#endif
