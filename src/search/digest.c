/*
 * digest.c - what a partition holds, in a few figures: equal for equal units, whatever their order.
 */
#include <string.h>

#include "base/hash.h"
#include "search/search.h"

void mn_digest_add(struct mn_digest *digest, const struct mn_unit *unit, bool has_vector)
{
    const char *hash = unit->memory.content_hash;
    uint64_t seed = mn_hash64(unit->id, strlen(unit->id), (uint64_t)unit->memory.revision);

    digest->units++;
    digest->vectors += has_vector;
    digest->revisions += unit->memory.revision;
    digest->hash += mn_hash64(hash, strlen(hash), seed + has_vector);
}
