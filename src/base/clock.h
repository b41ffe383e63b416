/*
 * clock.h - instants, durations, and ids that hold one.
 *
 * Pure code is handed its time; only these functions ask for it.
 */
#ifndef MN_BASE_CLOCK_H
#define MN_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int64_t mn_clock_now_ms(void);        /* UTC, milliseconds since 1970 */
int64_t mn_clock_monotonic_us(void);  /* for durations */
int64_t mn_clock_cpu_us(void);        /* CPU time of the calling thread */

#define MN_DAY_MS INT64_C(86400000)

/* Proleptic Gregorian; month 1..12, day 1..31. Any year. */
int64_t mn_days_from_civil(int year, int month, int day);
void mn_civil_from_days(int64_t days, int *year, int *month, int *day);

/* RFC 3339 with offset, a date and time without one (UTC), or a date alone. Never gives 0. */
enum mneme_status mn_time_parse(const char *name, const char *text, int64_t *ret_ms,
                                struct mneme_error *err);
char *mn_time_print(int64_t at_ms, char *buffer, size_t buffer_bytes); /* >= 32 bytes */

/*
 * UUIDv7 (RFC 9562) behind a prefix of at most 10 bytes and '_': "mem" gives "mem_0192f3c1-...".
 * Random bits from getrandom(2). Within one process, ids made for one millisecond are in order.
 * Safe to call from several threads.
 */
#define MN_ID_BYTES 48
void mn_id_make(const char *prefix, int64_t now_ms, char id[MN_ID_BYTES]);

#endif
