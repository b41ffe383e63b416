/*
 * archive.c - what all archives share.
 */
#include "lifecycle/archive.h"

void mn_archive_free(struct mn_archive *archive)
{
    if (archive)
        archive->ops->free(archive);
}
