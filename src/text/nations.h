/*
 * nations.h - the names of countries, and what their people are called.
 *
 * Pure. "My boss is German" names nobody, and who sits in Berlin may sit in Germany as well.
 */
#ifndef MN_TEXT_NATIONS_H
#define MN_TEXT_NATIONS_H

#include <stdbool.h>

#include "base/str.h"

/* Whole, in lower case: "germany", "the uk", 德国; also continents. */
bool mn_nation_country(struct mn_str lower);
/* "german", "chinese", "european", 德国人. */
bool mn_nation_people(struct mn_str lower);

#endif
