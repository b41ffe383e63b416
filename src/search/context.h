/*
 * context.h - the signals of turns of one partition (context_signals.h).
 */
#ifndef MN_SEARCH_CONTEXT_H
#define MN_SEARCH_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "search/context_signals.h"
#include "search/partition_index.h"
#include "search/text_request.h"
#include "text/inquiry.h"

#define MN_CONTEXT_TERMS_MAX 32 /* of a request, the rarest; further ones are not looked at */

struct mn_context_request {
    const struct mn_partition_index *index;
    const struct mn_text_request *text;
    size_t which; /* the index's number in it */
    const struct mn_terms *terms;
    const struct mn_vector_request *vector; /* NULL: none */
    const struct mn_visible_judged *judged; /* a turn that may not be seen says nothing */
    const struct mn_inquiry *inquiry;
};

/* The signals of these rows, which are turns that may be seen; item[i].id is left as it is. */
enum mneme_status mn_context_read(const struct mn_context_request *request, const uint32_t *rows,
                                  size_t count, struct mn_context *const *item,
                                  struct mneme_error *err);

#endif
