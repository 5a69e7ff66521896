// Loops over the packed columns of a node, compiled for several levels of one processor family and
// chosen at run time. What they mean is said in Sources/StorageEngine/Kernels.
#ifndef CCOLUMNKERNELS_H
#define CCOLUMNKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A column of unsigned deltas of `width` bits (1, 2, 4, 8, 16, 32 or 64), the first in the lowest
/// bits. `data` is readable in whole 8-byte words up to the last row, and no further.
struct realm_packed_column {
    const void *_Nonnull data;
    /// One bit a row, in whole words: 1 is null. NULL: nothing is null.
    const uint64_t *_Nullable nulls;
    size_t rows;
    unsigned width;
};

/// The deltas from `low` to `low + span` (both inclusive, wrapping around at 64 bits).
struct realm_delta_range {
    uint64_t low;
    uint64_t span;
    /// Whether the deltas outside are meant instead.
    bool inverted;
};

/// `high << 32` plus `low`. `high` is signed and zero for widths below 64.
struct realm_delta_sum {
    uint64_t low;
    int64_t high;
    size_t count;
};

/// The least and the greatest delta; 64-bit deltas are compared as signed numbers, with the sign
/// bit turned. `low > high` when there was no row.
struct realm_delta_bounds {
    uint64_t low;
    uint64_t high;
};

/// A column of byte strings, one behind the other in a heap. A row's end has 15 bits; bit 15 marks
/// a value that is not in the heap, which no search finds.
///
/// The 8 bytes in front of `heap` are readable, and nothing behind `used` bytes of it is read.
struct realm_bytes_column {
    const uint8_t *_Nonnull heap;
    const uint16_t *_Nonnull ends;
    const uint64_t *_Nullable nulls;
    size_t used;
    size_t rows;
};

enum realm_bytes_test { realm_bytes_equal, realm_bytes_prefix, realm_bytes_suffix };

/// The kernels as compiled for one level of processors. Rows that are null match nothing.
struct realm_column_kernels {
    const char *_Nonnull name;
    /// How many rows are in the range.
    size_t (*_Nonnull count)(struct realm_packed_column, struct realm_delta_range);
    /// The same; also sets one bit a row in whole words of `mask`.
    size_t (*_Nonnull match)(
        struct realm_packed_column, struct realm_delta_range, uint64_t *_Nonnull mask);
    /// Adds up the rows in `selection` (NULL: all).
    struct realm_delta_sum (*_Nonnull sum)(
        struct realm_packed_column, const uint64_t *_Nullable selection);
    struct realm_delta_bounds (*_Nonnull bounds)(
        struct realm_packed_column, const uint64_t *_Nullable selection);
    /// Sets one bit a row in whole words of `mask`. Returns whether a value is not in the heap.
    bool (*_Nonnull match_bytes)(
        struct realm_bytes_column, enum realm_bytes_test, const uint8_t *_Nullable pattern,
        size_t pattern_bytes, uint64_t *_Nonnull mask);
    size_t (*_Nonnull count_bits)(const uint64_t *_Nonnull words, size_t count);
};

/// The kernels for a level, the lowest being 0; NULL if there is no such level on this processor.
const struct realm_column_kernels *_Nullable realm_column_kernels_at_level(unsigned level);

/// Sets one bit a row in whole words of `mask` for each value that contains the pattern, which is
/// not empty. Returns whether a value is not in the heap.
bool realm_match_contained_bytes(
    struct realm_bytes_column column, const uint8_t *_Nonnull pattern, size_t pattern_bytes,
    uint64_t *_Nonnull mask);

/// Whether the one contains the other, which may be empty.
bool realm_contains_bytes(
    const void *_Nullable bytes, size_t count, const void *_Nullable pattern,
    size_t pattern_bytes);

/// Asks for the cache line at an address that need not be readable.
static inline void realm_prefetch(const void *_Nullable address) {
    __builtin_prefetch(address, 0, 3);
}

#endif
