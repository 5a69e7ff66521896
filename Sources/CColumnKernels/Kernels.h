// The kernels of one level. Included, after the standard headers, by a file that defines `KERNELS`,
// the name of the table, and `LEVEL`, the name of the level.

#include "Blocks.h"

static inline size_t block_count(size_t rows) { return (rows + 63) / 64; }

// MARK: Comparing and counting

// Widths below 8 bits are widened to 8: blocks of a column of W bits hold deltas of E bits.
#define DEFINE_MATCH(W, E)                                                                \
    static inline uint64_t match_block_##W(                                               \
        struct block block, struct realm_delta_range range) {                             \
        uint64_t inside = in_range_##E(block.rows, range);                                \
        if (range.inverted) inside = ~inside;                                             \
        return inside >> block.shift & block.selected;                                    \
    }                                                                                     \
    static inline size_t match_##W(                                                       \
        struct realm_packed_column column, struct realm_delta_range range,                \
        uint64_t *mask) {                                                                 \
        uint8_t buffer[8 * E];                                                            \
        const size_t whole = column.rows / 64;                                            \
        size_t count = 0;                                                                 \
        for (size_t i = 0; i < whole; i++) {                                              \
            uint64_t word = match_block_##W(block_##W(column, NULL, i, buffer), range);   \
            count += (size_t)__builtin_popcountll(word);                                  \
            if (mask) mask[i] = word;                                                     \
        }                                                                                 \
        if (column.rows % 64 == 0) return count;                                          \
        uint64_t word = match_block_##W(last_block_##W(column, NULL, buffer), range);     \
        if (mask) mask[whole] = word;                                                     \
        return count + (size_t)__builtin_popcountll(word);                                \
    }
DEFINE_MATCH(1, 8)
DEFINE_MATCH(2, 8)
DEFINE_MATCH(4, 8)
DEFINE_MATCH(8, 8)
DEFINE_MATCH(16, 16)
DEFINE_MATCH(32, 32)
DEFINE_MATCH(64, 64)
#undef DEFINE_MATCH

static inline size_t match_any_width(
    struct realm_packed_column column, struct realm_delta_range range, uint64_t *mask) {
    switch (column.width) {
    case 1: return match_1(column, range, mask);
    case 2: return match_2(column, range, mask);
    case 4: return match_4(column, range, mask);
    case 8: return match_8(column, range, mask);
    case 16: return match_16(column, range, mask);
    case 32: return match_32(column, range, mask);
    default: return match_64(column, range, mask);
    }
}

static size_t match(
    struct realm_packed_column column, struct realm_delta_range range, uint64_t *mask) {
    return match_any_width(column, range, mask);
}

static size_t count(struct realm_packed_column column, struct realm_delta_range range) {
    return match_any_width(column, range, NULL);
}

// MARK: Adding up

static inline uint64_t total_64(const deltas_64 *sums) { return __builtin_reduce_add(*sums); }

static inline uint64_t total_32(const deltas_32 *sums) {
    deltas_64 wider = ((deltas_64)*sums & 0xFFFFFFFF) + ((deltas_64)*sums >> 32);
    return total_64(&wider);
}

static inline uint64_t total_16(const deltas_16 *sums) {
    deltas_32 wider = ((deltas_32)*sums & 0xFFFF) + ((deltas_32)*sums >> 16);
    return total_32(&wider);
}

// Even and odd lanes of E bits are added to lanes of D = 2 E bits, which hold the sums of LIMIT
// blocks and the last block: 128 * 2 * 0xFF < 2^16, and 16384 * 4 * 0xFFFF < 2^32.
#define DEFINE_SUM(W, E, D, LANES, LIMIT)                                                 \
    static inline size_t sum_block_##W(struct block block, deltas_##D *sums) {            \
        const uint##D##_t even = ((uint##D##_t)1 << E) - 1;                               \
        uint64_t word = block.selected << block.shift;                                    \
        for (unsigned part = 0; part < 64 / LANES; part++) {                              \
            deltas_##E deltas;                                                            \
            memcpy(&deltas, block.rows + part * 64, 64);                                  \
            if (word != ~(uint64_t)0) {                                                   \
                deltas_##E lanes;                                                         \
                spread_##E(word, part, &lanes);                                           \
                deltas &= lanes;                                                          \
            }                                                                             \
            *sums += ((deltas_##D)deltas & even) + ((deltas_##D)deltas >> E);             \
        }                                                                                 \
        return (size_t)__builtin_popcountll(word);                                        \
    }                                                                                     \
    static inline struct realm_delta_sum sum_##W(                                         \
        struct realm_packed_column column, const uint64_t *selection) {                   \
        uint8_t buffer[8 * E];                                                            \
        struct realm_delta_sum sum = {0, 0, 0};                                           \
        const size_t whole = column.rows / 64;                                            \
        deltas_##D sums = 0;                                                              \
        for (size_t i = 0; i < whole; i++) {                                              \
            if (i > 0 && i % LIMIT == 0) {                                                \
                sum.low += total_##D(&sums);                                              \
                sums = 0;                                                                 \
            }                                                                             \
            sum.count += sum_block_##W(block_##W(column, selection, i, buffer), &sums);   \
        }                                                                                 \
        if (column.rows % 64 != 0) {                                                      \
            sum.count += sum_block_##W(last_block_##W(column, selection, buffer), &sums); \
        }                                                                                 \
        sum.low += total_##D(&sums);                                                      \
        return sum;                                                                       \
    }
DEFINE_SUM(1, 8, 16, 64, 127)
DEFINE_SUM(2, 8, 16, 64, 127)
DEFINE_SUM(4, 8, 16, 64, 127)
DEFINE_SUM(8, 8, 16, 64, 127)
DEFINE_SUM(16, 16, 32, 32, 16383)
DEFINE_SUM(32, 32, 64, 16, 16383)
#undef DEFINE_SUM

// Lower and upper halves are added separately: neither sum overflows for the rows that a run can
// hold.
static inline size_t sum_block_64(struct block block, deltas_64 *low, signed_64 *high) {
    uint64_t word = block.selected << block.shift;
    for (unsigned part = 0; part < 8; part++) {
        deltas_64 deltas;
        memcpy(&deltas, block.rows + part * 64, 64);
        if (word != ~(uint64_t)0) {
            deltas_64 lanes;
            spread_64(word, part, &lanes);
            deltas &= lanes;
        }
        *low += deltas & 0xFFFFFFFF;
        *high += (signed_64)deltas >> 32;
    }
    return (size_t)__builtin_popcountll(word);
}

static inline struct realm_delta_sum sum_64(
    struct realm_packed_column column, const uint64_t *selection) {
    uint8_t buffer[8 * 64];
    deltas_64 low = 0;
    signed_64 high = 0;
    size_t count = 0;
    for (size_t i = 0; i < column.rows / 64; i++) {
        count += sum_block_64(block_64(column, selection, i, buffer), &low, &high);
    }
    if (column.rows % 64 != 0) {
        count += sum_block_64(last_block_64(column, selection, buffer), &low, &high);
    }
    return (struct realm_delta_sum){total_64(&low), __builtin_reduce_add(high), count};
}

static struct realm_delta_sum sum(
    struct realm_packed_column column, const uint64_t *selection) {
    switch (column.width) {
    case 1: return sum_1(column, selection);
    case 2: return sum_2(column, selection);
    case 4: return sum_4(column, selection);
    case 8: return sum_8(column, selection);
    case 16: return sum_16(column, selection);
    case 32: return sum_32(column, selection);
    default: return sum_64(column, selection);
    }
}

// MARK: The least and the greatest

// FLIP inverts the sign bit of 64-bit deltas, so that unsigned comparison orders them as signed
// numbers.
#define DEFINE_BOUNDS(W, E, LANES, FLIP)                                                  \
    static inline void bound_block_##W(                                                   \
        struct block block, deltas_##E *low, deltas_##E *high) {                          \
        uint64_t word = block.selected << block.shift;                                    \
        for (unsigned part = 0; part < 64 / LANES; part++) {                              \
            deltas_##E deltas;                                                            \
            memcpy(&deltas, block.rows + part * 64, 64);                                  \
            deltas ^= (uint##E##_t)FLIP;                                                  \
            deltas_##E lanes;                                                             \
            spread_##E(word, part, &lanes);                                               \
            *low = __builtin_elementwise_min(*low, deltas | ~lanes);                      \
            *high = __builtin_elementwise_max(*high, deltas & lanes);                     \
        }                                                                                 \
    }                                                                                     \
    static inline struct realm_delta_bounds bounds_##W(                                   \
        struct realm_packed_column column, const uint64_t *selection) {                   \
        uint8_t buffer[8 * E];                                                            \
        deltas_##E low = (deltas_##E)(uint##E##_t)~(uint##E##_t)0;                        \
        deltas_##E high = 0;                                                              \
        for (size_t i = 0; i < column.rows / 64; i++) {                                   \
            bound_block_##W(block_##W(column, selection, i, buffer), &low, &high);        \
        }                                                                                 \
        if (column.rows % 64 != 0) {                                                      \
            bound_block_##W(last_block_##W(column, selection, buffer), &low, &high);      \
        }                                                                                 \
        return (struct realm_delta_bounds){                                               \
            __builtin_reduce_min(low), __builtin_reduce_max(high)};                       \
    }
DEFINE_BOUNDS(1, 8, 64, 0)
DEFINE_BOUNDS(2, 8, 64, 0)
DEFINE_BOUNDS(4, 8, 64, 0)
DEFINE_BOUNDS(8, 8, 64, 0)
DEFINE_BOUNDS(16, 16, 32, 0)
DEFINE_BOUNDS(32, 32, 16, 0)
DEFINE_BOUNDS(64, 64, 8, (1ull << 63))
#undef DEFINE_BOUNDS

static struct realm_delta_bounds bounds(
    struct realm_packed_column column, const uint64_t *selection) {
    switch (column.width) {
    case 1: return bounds_1(column, selection);
    case 2: return bounds_2(column, selection);
    case 4: return bounds_4(column, selection);
    case 8: return bounds_8(column, selection);
    case 16: return bounds_16(column, selection);
    case 32: return bounds_32(column, selection);
    default: return bounds_64(column, selection);
    }
}

// MARK: Byte strings

// A pattern to search for. Up to 8 bytes of it are compared as one number: `significant` masks the
// bits that count, and `wanted` is their required value.
struct needle {
    enum realm_bytes_test test;
    const uint8_t *pattern;
    size_t length;
    size_t part;
    uint64_t wanted;
    uint64_t significant;
};

// Returns the end offsets of `count` rows, 64 at most, from `first` on, which is a multiple of 64:
// in place, or in `unpacked`.
static inline __attribute__((always_inline)) const uint16_t *ends_of_block(
    struct realm_bytes_column column, size_t first, size_t count, uint16_t unpacked[64]) {
    if (!column.ends_are_packed) return (const uint16_t *)column.ends + first;
    const uint8_t *packed = (const uint8_t *)column.ends + first / 8 * 10;
    for (size_t i = 0; i < count; i += 8, packed += 10) {
        uint16_t start;
        memcpy(&start, packed, 2);
        for (size_t j = 0; j < 8; j++) unpacked[i + j] = (uint16_t)(start + packed[2 + j]);
    }
    return unpacked;
}

// Returns a bit for each of `count` rows from `first` on whose number matches. The number is loaded
// so that it ends where the value, or its prefix, ends; its lower bytes may lie before the value,
// at worst before the heap. For a value that is not in the heap, its reference in the heap is
// compared.
static inline __attribute__((always_inline)) uint64_t find_numbers(
    struct realm_bytes_column column, const uint16_t *ends, size_t start, size_t count,
    struct needle needle) {
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = ends[i] & 0x7FFF;
        size_t at = end;
        bool fits = end - start >= needle.length;
        if (needle.test == realm_bytes_equal) fits = end - start == needle.length;
        if (needle.test == realm_bytes_prefix) {
            at = start + needle.part < column.used ? start + needle.part : column.used;
        }
        uint64_t number;
        memcpy(&number, column.heap + at - 8, 8);
        found |= (uint64_t)(((number & needle.significant) == needle.wanted) & fits) << i;
        start = end;
    }
    return found;
}

// Returns the rows whose values are not in the heap.
static inline uint64_t find_marks(const uint16_t *ends, size_t count) {
    uint16_t any = 0;
    for (size_t i = 0; i < count; i++) any |= ends[i];
    if ((any & 0x8000) == 0) return 0;
    uint64_t marks = 0;
    for (size_t i = 0; i < count; i++) marks |= (uint64_t)(ends[i] >> 15) << i;
    return marks;
}

// Removes rows whose number matches but whose other bytes do not.
static inline uint64_t compare_all_bytes(
    struct realm_bytes_column column, const uint16_t *ends, size_t start, uint64_t found,
    struct needle needle) {
    for (uint64_t left = found; left != 0; left &= left - 1) {
        size_t row = (size_t)__builtin_ctzll(left);
        size_t at = (ends[row] & 0x7FFF) - needle.length;
        if (needle.test == realm_bytes_prefix) at = row == 0 ? start : ends[row - 1] & 0x7FFF;
        if (memcmp(column.heap + at, needle.pattern, needle.length) != 0) found &= ~(left & -left);
    }
    return found;
}

static inline __attribute__((always_inline)) bool match_bytes_as(
    struct realm_bytes_column column, enum realm_bytes_test test, const uint8_t *pattern,
    size_t length, uint64_t *mask) {
    struct needle needle = {test, pattern, length, length < 8 ? length : 8, 0, 0};
    if (length > 0) {
        needle.significant = ~(uint64_t)0 << (64 - 8 * needle.part);
        memcpy(
            (uint8_t *)&needle.wanted + 8 - needle.part,
            test == realm_bytes_prefix ? pattern : pattern + length - needle.part, needle.part);
    }
    uint64_t marks = 0;
    size_t start = 0;
    for (size_t i = 0; i < block_count(column.rows); i++) {
        size_t count = column.rows - i * 64 < 64 ? column.rows - i * 64 : 64;
        uint16_t unpacked[64];
        const uint16_t *ends = ends_of_block(column, i * 64, count, unpacked);
        uint64_t found = find_numbers(column, ends, start, count, needle);
        uint64_t elsewhere = find_marks(ends, count);
        marks |= elsewhere;
        found &= ~elsewhere;
        if (length > 8) found = compare_all_bytes(column, ends, start, found, needle);
        mask[i] = column.nulls ? found & ~column.nulls[i] : found;
        start = ends[count - 1] & 0x7FFF;
    }
    return marks != 0;
}

static bool match_bytes(
    struct realm_bytes_column column, enum realm_bytes_test test, const uint8_t *pattern,
    size_t length, uint64_t *mask) {
    switch (test) {
    case realm_bytes_equal:
        return match_bytes_as(column, realm_bytes_equal, pattern, length, mask);
    case realm_bytes_prefix:
        return match_bytes_as(column, realm_bytes_prefix, pattern, length, mask);
    case realm_bytes_suffix:
        return match_bytes_as(column, realm_bytes_suffix, pattern, length, mask);
    }
    __builtin_unreachable();
}

// MARK: Masks

static size_t count_bits(const uint64_t *words, size_t count) {
    size_t bits = 0;
    for (size_t i = 0; i < count; i++) bits += (size_t)__builtin_popcountll(words[i]);
    return bits;
}

const struct realm_column_kernels KERNELS = {
    LEVEL, count, match, sum, bounds, match_bytes, count_bits,
};
