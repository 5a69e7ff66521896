#define _GNU_SOURCE
#include "Levels.h"

// Returns where the string of a row ends, with bit 15 where it is elsewhere.
static inline size_t end_of_row(struct realm_bytes_column column, size_t row) {
    if (!column.ends_are_packed) return ((const uint16_t *)column.ends)[row];
    const uint8_t *block = (const uint8_t *)column.ends + row / 8 * 10;
    uint16_t start;
    memcpy(&start, block, 2);
    return (size_t)start + block[2 + row % 8];
}

// Searches the heap as one string, which the C library does faster than searching many short ones.
// A hit counts if it lies within one value.
bool realm_match_contained_bytes(
    struct realm_bytes_column column, const uint8_t *pattern, size_t length, uint64_t *mask) {
    size_t words = (column.rows + 63) / 64;
    memset(mask, 0, words * sizeof *mask);
    uint64_t elsewhere = 0;
    if (!column.ends_are_packed) {
        const uint16_t *ends = column.ends;
        for (size_t row = 0; row < column.rows; row++) elsewhere |= ends[row] & 0x8000;
    }
    size_t from = 0;
    size_t row = 0;
    while (from + length <= column.used) {
        const uint8_t *hit = memmem(column.heap + from, column.used - from, pattern, length);
        if (hit == NULL) break;
        size_t at = (size_t)(hit - column.heap);
        while (row < column.rows && (end_of_row(column, row) & 0x7FFF) <= at) row++;
        if (row == column.rows) break;
        size_t end = end_of_row(column, row);
        if (at + length <= (end & 0x7FFF) && (end & 0x8000) == 0) {
            mask[row / 64] |= (uint64_t)1 << row % 64;
        }
        // If this hit extends beyond its value, so would every later hit in the same value.
        from = end & 0x7FFF;
    }
    for (size_t i = 0; column.nulls && i < words; i++) mask[i] &= ~column.nulls[i];
    return elsewhere != 0;
}

bool realm_contains_bytes(
    const void *bytes, size_t count, const void *pattern, size_t length) {
    return length == 0 || (length <= count && memmem(bytes, count, pattern, length) != NULL);
}
