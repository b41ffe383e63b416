/*
 * sqlite_supersedes.h - the supersedes links of a request, checked when all its rows are written.
 */
#ifndef MN_STORE_SQLITE_SUPERSEDES_H
#define MN_STORE_SQLITE_SUPERSEDES_H

#include "store/sqlite_write.h"

/*
 * link: by write, whether it brings a link that was not there. MNEME_INVALID names supersedes;
 * *ret_failed is then the write at fault.
 */
enum mneme_status mn_write_links(struct mn_writing *w, const bool *link,
                                 const struct mn_written *written, size_t *ret_failed,
                                 struct mneme_error *err);

#endif
