/*
 * json_number.h - numbers as JSON spells them, for what is written and for what is said of a field.
 */
#ifndef MN_BASE_JSON_NUMBER_H
#define MN_BASE_JSON_NUMBER_H

#include <stddef.h>

#define MN_JSON_NUMBER_BYTES 352 /* DBL_MAX has 309 digits */

/* Fixed places without trailing zeros; -0 is 0; a decimal point whatever the locale. Its bytes. */
size_t mn_json_print_number(double value, int decimals, char text[MN_JSON_NUMBER_BYTES]);

#endif
