/*
 * nations.h - the names of countries, and what their people are called.
 *
 * Pure. "My boss is German" names nobody, and who sits in Berlin may sit in Germany as well.
 */
#ifndef MN_TEXT_NATIONS_H
#define MN_TEXT_NATIONS_H

#include <stdbool.h>

#include "base/str.h"

/* Whole, in any case: "Germany", "the UK", 德国; also continents. */
bool mn_nation_country(struct mn_str word);
/* "German", "Chinese", "European", 德国人. */
bool mn_nation_people(struct mn_str word);

#endif
