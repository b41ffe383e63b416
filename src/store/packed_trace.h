/*
 * packed_trace.h - a trace as it lies in its row.
 *
 * Four fifths of a trace are said twice: names of fields, ids, zeros. So it lies packed. Statements read
 * it by trace_json(json, packed), which is the JSON either way, and NULL where the bytes are damaged.
 */
#ifndef MN_STORE_PACKED_TRACE_H
#define MN_STORE_PACKED_TRACE_H

struct sqlite3;

/* Gives a connection the function; a code of SQLite's. */
int mn_packed_trace_known(struct sqlite3 *handle);

#endif
