#define _GNU_SOURCE
#include "CDuckDB.h"

#include <dlfcn.h>
#include <stddef.h>

/// The name of each function after `duckdb_`, and its place in the table.
#define ENTRY(name) {"duckdb_" #name, offsetof(duckdb_functions, name)}

static const struct {
    const char *name;
    size_t offset;
} entries[] = {
    ENTRY(library_version), ENTRY(free), ENTRY(create_config), ENTRY(set_config),
    ENTRY(destroy_config), ENTRY(open_ext), ENTRY(close), ENTRY(connect), ENTRY(disconnect),
    ENTRY(query), ENTRY(prepare), ENTRY(prepare_error), ENTRY(destroy_prepare), ENTRY(bind_int64),
    ENTRY(bind_varchar_length), ENTRY(execute_prepared), ENTRY(result_error), ENTRY(destroy_result),
    ENTRY(fetch_chunk), ENTRY(destroy_data_chunk), ENTRY(data_chunk_get_size),
    ENTRY(data_chunk_get_vector), ENTRY(vector_get_data), ENTRY(vector_get_validity),
    ENTRY(appender_create), ENTRY(append_int64), ENTRY(append_int32), ENTRY(append_varchar_length),
    ENTRY(appender_end_row), ENTRY(appender_close), ENTRY(appender_error), ENTRY(appender_destroy),
};

const char *duckdb_load(const char *python, const char *library, duckdb_functions *functions) {
    // References to data are resolved as the library is loaded, so Python's must be there.
    if (!dlopen(python, RTLD_LAZY | RTLD_GLOBAL)) return dlerror();
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
    for (size_t index = 0; index < sizeof entries / sizeof *entries; index++) {
        void *function = dlsym(handle, entries[index].name);
        if (!function) return dlerror();
        *(void **)((char *)functions + entries[index].offset) = function;
    }
    return NULL;
}
