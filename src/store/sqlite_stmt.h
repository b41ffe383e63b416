/*
 * sqlite_stmt.h - a statement as its connection keeps it; for sqlite_db.c and sqlite_values.c alone.
 */
#ifndef MN_STORE_SQLITE_STMT_H
#define MN_STORE_SQLITE_STMT_H

#include <stdbool.h>

#include "store/sqlite_db.h"

struct mn_stmt {
    sqlite3_stmt *handle;
    struct mn_sqlite *db;
    const char **asked; /* by which name each parameter was asked for last */
    int parameters;
    int bound; /* number of the parameter bound last */
    bool failed; /* a binding did not succeed: no memory */
};

#endif
