/*
 * import_names.c - texts, each with what an import knows of it: a table that grows in an arena.
 *
 * Open addressing, at most half full. Nothing is ever taken out.
 */
#include "cli/import.h"

#include <string.h>

#include "base/hash.h"

/* Where it stands, or would. */
static struct cli_name *place_of(const struct cli_names *names, const char *text)
{
    size_t at = (size_t)mn_hash64(text, strlen(text), 0) & (names->room - 1);

    while (names->slot[at].text && strcmp(names->slot[at].text, text))
        at = (at + 1) & (names->room - 1);
    return &names->slot[at];
}

static bool grow(struct cli_names *names)
{
    struct cli_names larger = *names;

    larger.room = names->room ? names->room * 2 : 1024;
    larger.slot = mn_arena_array(names->arena, struct cli_name, larger.room);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < names->room; i++)
        if (names->slot[i].text)
            *place_of(&larger, names->slot[i].text) = names->slot[i];
    *names = larger;
    return true;
}

const struct cli_name *cli_names_find(const struct cli_names *names, const char *text)
{
    const struct cli_name *place = names->room ? place_of(names, text) : NULL;

    return place && place->text ? place : NULL;
}

struct cli_name *cli_names_add(struct cli_names *names, const char *text)
{
    struct cli_name *place;

    if (names->count * 2 >= names->room && !grow(names))
        return NULL;
    place = place_of(names, text);
    names->count += !place->text;
    place->text = text;
    return place;
}
