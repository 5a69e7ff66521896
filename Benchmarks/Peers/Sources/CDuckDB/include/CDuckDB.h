#ifndef C_DUCKDB_H
#define C_DUCKDB_H

#include <stdbool.h>
#include <stdint.h>

// The part of the C interface of DuckDB that is used here. The shared library is in DuckDB's
// package for Python, which comes without headers, and is loaded when it is first asked for.

/// A result with its former, now unused fields.
typedef struct {
    uint64_t unused_numbers[3];
    void *unused_pointers[2];
    void *internal;
} duckdb_result;

/// A text in a vector: up to twelve bytes are inside, more elsewhere.
typedef union {
    struct {
        uint32_t length;
        char bytes[12];
    } inside;
    struct {
        uint32_t length;
        char first[4];
        const char *bytes;
    } elsewhere;
} duckdb_text;

static inline const char *duckdb_text_bytes(const duckdb_text *text) {
    bool is_inside = text->inside.length <= sizeof text->inside.bytes;
    return is_inside ? text->inside.bytes : text->elsewhere.bytes;
}

/// The functions, which return 0 where they succeed and have a state. Handles are pointers.
typedef struct {
    const char *(*library_version)(void);
    void (*free)(void *memory);
    int (*create_config)(void **config);
    int (*set_config)(void *config, const char *name, const char *option);
    void (*destroy_config)(void **config);
    int (*open_ext)(const char *path, void **database, void *config, char **error);
    void (*close)(void **database);
    int (*connect)(void *database, void **connection);
    void (*disconnect)(void **connection);
    int (*query)(void *connection, const char *sql, duckdb_result *result);
    int (*prepare)(void *connection, const char *sql, void **statement);
    const char *(*prepare_error)(void *statement);
    void (*destroy_prepare)(void **statement);
    int (*bind_int64)(void *statement, uint64_t index, int64_t value);
    int (*bind_varchar_length)(
        void *statement, uint64_t index, const char *text, uint64_t length);
    int (*execute_prepared)(void *statement, duckdb_result *result);
    const char *(*result_error)(duckdb_result *result);
    void (*destroy_result)(duckdb_result *result);
    void *(*fetch_chunk)(duckdb_result result);
    void (*destroy_data_chunk)(void **chunk);
    uint64_t (*data_chunk_get_size)(void *chunk);
    void *(*data_chunk_get_vector)(void *chunk, uint64_t column);
    void *(*vector_get_data)(void *vector);
    uint64_t *(*vector_get_validity)(void *vector);
    int (*appender_create)(
        void *connection, const char *schema, const char *table, void **appender);
    int (*append_int64)(void *appender, int64_t value);
    int (*append_int32)(void *appender, int32_t value);
    int (*append_varchar_length)(void *appender, const char *text, uint64_t length);
    int (*appender_end_row)(void *appender);
    int (*appender_close)(void *appender);
    const char *(*appender_error)(void *appender);
    int (*appender_destroy)(void **appender);
} duckdb_functions;

/// Loads `library` and fills in its functions. The library refers to functions and data of Python,
/// which `python` has; none of them is called. Returns what failed; NULL if nothing did. The text
/// is valid until the next call of this thread.
const char *duckdb_load(const char *python, const char *library, duckdb_functions *functions);

#endif
