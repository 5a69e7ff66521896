// Blocks of 64 rows as vectors of 64 bytes. The vectors are wider than most registers; the compiler
// splits them into registers of the level that is being compiled.
//
// Each level's file includes this file inside its `#pragma clang attribute`, so that every function
// is compiled for that level.

// `deltas_W`: the deltas of W bits that fit in 64 bytes. `bits_W`: one bit for each of them.
#define DEFINE_VECTORS(W, LANES)                                            \
    typedef uint##W##_t deltas_##W __attribute__((ext_vector_type(LANES))); \
    typedef int##W##_t signed_##W __attribute__((ext_vector_type(LANES)));  \
    typedef bool lanes_##W __attribute__((ext_vector_type(LANES)));         \
    typedef uint##LANES##_t bits_##W;
DEFINE_VECTORS(8, 64)
DEFINE_VECTORS(16, 32)
DEFINE_VECTORS(32, 16)
DEFINE_VECTORS(64, 8)
#undef DEFINE_VECTORS

typedef uint32_t halves_8 __attribute__((ext_vector_type(8)));
typedef uint16_t quarters_8 __attribute__((ext_vector_type(8)));
typedef uint8_t eighths_8 __attribute__((ext_vector_type(8)));

// For W of 8 to 64:
//
// `in_range_W`: a bit for each of the 64 rows from `block` on that is in the range.
// `spread_W`: all ones in the lanes of the block's i-th vector whose bits are set.
//
// Vectors are passed by address, because the convention for passing them by value differs between
// levels. A subtraction moves the range to the bottom of the signed numbers, so that one signed
// comparison decides; SSE2 and AVX2 have no unsigned ones.
#define DEFINE_BLOCK(W, LANES)                                                            \
    static inline uint64_t in_range_##W(                                                  \
        const uint8_t *block, struct realm_delta_range range) {                           \
        const uint##W##_t sign = (uint##W##_t)1 << (W - 1);                               \
        const deltas_##W bottom = (deltas_##W)(uint##W##_t)(range.low + sign);            \
        const signed_##W top = (signed_##W)(int##W##_t)((uint##W##_t)range.span ^ sign);  \
        uint64_t outside = 0;                                                             \
        for (unsigned i = 0; i < 64 / LANES; i++) {                                       \
            deltas_##W deltas;                                                            \
            memcpy(&deltas, block + i * 64, 64);                                          \
            lanes_##W above =                                                             \
                __builtin_convertvector((signed_##W)(deltas - bottom) > top, lanes_##W);  \
            bits_##W bits;                                                                \
            memcpy(&bits, &above, sizeof bits);                                           \
            outside |= (uint64_t)bits << (i * LANES);                                     \
        }                                                                                 \
        return ~outside;                                                                  \
    }                                                                                     \
    static inline void spread_##W(uint64_t word, unsigned i, deltas_##W *ones) {          \
        bits_##W bits = (bits_##W)(word >> (i * LANES));                                  \
        lanes_##W lanes;                                                                  \
        memcpy(&lanes, &bits, sizeof bits);                                               \
        *ones = -__builtin_convertvector(lanes, deltas_##W);                              \
    }
DEFINE_BLOCK(8, 64)
DEFINE_BLOCK(16, 32)
DEFINE_BLOCK(32, 16)
DEFINE_BLOCK(64, 8)
#undef DEFINE_BLOCK

// MARK: Widening deltas narrower than a byte

static inline void widen_4(const uint8_t *packed, uint8_t *block) {
    halves_8 loaded;
    memcpy(&loaded, packed, 32);
    deltas_64 x = __builtin_convertvector(loaded, deltas_64);
    x = (x | x << 16) & 0x0000FFFF0000FFFF;
    x = (x | x << 8) & 0x00FF00FF00FF00FF;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
    memcpy(block, &x, 64);
}

static inline void widen_2(const uint8_t *packed, uint8_t *block) {
    quarters_8 loaded;
    memcpy(&loaded, packed, 16);
    deltas_64 x = __builtin_convertvector(loaded, deltas_64);
    x = (x | x << 24) & 0x000000FF000000FF;
    x = (x | x << 12) & 0x000F000F000F000F;
    x = (x | x << 6) & 0x0303030303030303;
    memcpy(block, &x, 64);
}

static inline void widen_1(const uint8_t *packed, uint8_t *block) {
    eighths_8 loaded;
    memcpy(&loaded, packed, 8);
    deltas_64 x = __builtin_convertvector(loaded, deltas_64);
    x = (x | x << 28) & 0x0000000F0000000F;
    x = (x | x << 14) & 0x0003000300030003;
    x = (x | x << 7) & 0x0101010101010101;
    memcpy(block, &x, 64);
}

// MARK: Finding blocks

static inline uint64_t first_bits(size_t count) { return ((uint64_t)1 << count) - 1; }

// 64 readable rows, of which those from `shift` on belong to the block. `selected` has their bits,
// from bit 0.
struct block {
    const uint8_t *rows;
    unsigned shift;
    uint64_t selected;
};

static inline uint64_t selected_rows(
    struct realm_packed_column column, const uint64_t *selection, size_t i) {
    uint64_t word = selection ? selection[i] : ~(uint64_t)0;
    return column.nulls ? word & ~column.nulls[i] : word;
}

// `block_W`: the i-th block of 64 rows of the column. `last_block_W`: the remaining rows. `buffer`
// has room for 64 rows of at least a byte each.
//
// The last block ends with the last row, because nothing behind it may be read. It is a copy if the
// column has fewer than 64 rows, or if rows are narrower than a byte.
#define DEFINE_WHOLE_BYTES(W)                                                             \
    static inline struct block block_##W(                                                 \
        struct realm_packed_column column, const uint64_t *selection, size_t i,           \
        uint8_t *buffer) {                                                                \
        (void)buffer;                                                                     \
        return (struct block){                                                            \
            (const uint8_t *)column.data + i * 8 * W, 0,                                  \
            selected_rows(column, selection, i)};                                         \
    }                                                                                     \
    static inline struct block last_block_##W(                                            \
        struct realm_packed_column column, const uint64_t *selection, uint8_t *buffer) {  \
        const uint8_t *data = column.data;                                                \
        size_t remaining = column.rows % 64;                                              \
        uint64_t selected =                                                               \
            selected_rows(column, selection, column.rows / 64) & first_bits(remaining);   \
        if (column.rows >= 64) {                                                          \
            return (struct block){                                                        \
                data + (column.rows - 64) * (W / 8), (unsigned)(64 - remaining), selected}; \
        }                                                                                 \
        memset(buffer, 0, 8 * W);                                                         \
        memcpy(buffer, data, remaining * (W / 8));                                        \
        return (struct block){buffer, 0, selected};                                       \
    }
DEFINE_WHOLE_BYTES(8)
DEFINE_WHOLE_BYTES(16)
DEFINE_WHOLE_BYTES(32)
DEFINE_WHOLE_BYTES(64)
#undef DEFINE_WHOLE_BYTES

#define DEFINE_PARTS_OF_BYTES(W)                                                          \
    static inline struct block block_##W(                                                 \
        struct realm_packed_column column, const uint64_t *selection, size_t i,           \
        uint8_t *buffer) {                                                                \
        widen_##W((const uint8_t *)column.data + i * 8 * W, buffer);                      \
        return (struct block){buffer, 0, selected_rows(column, selection, i)};            \
    }                                                                                     \
    static inline struct block last_block_##W(                                            \
        struct realm_packed_column column, const uint64_t *selection, uint8_t *buffer) {  \
        size_t i = column.rows / 64;                                                      \
        size_t remaining = column.rows % 64;                                              \
        uint8_t copy[8 * W] = {0};                                                        \
        memcpy(copy, (const uint8_t *)column.data + i * 8 * W, (remaining * W + 63) / 64 * 8); \
        widen_##W(copy, buffer);                                                          \
        return (struct block){                                                            \
            buffer, 0, selected_rows(column, selection, i) & first_bits(remaining)};      \
    }
DEFINE_PARTS_OF_BYTES(1)
DEFINE_PARTS_OF_BYTES(2)
DEFINE_PARTS_OF_BYTES(4)
#undef DEFINE_PARTS_OF_BYTES
