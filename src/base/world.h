/*
 * world.h - everything that is not pure, in one struct.
 *
 * A function that takes `struct mn_world *` may do I/O; one that does not, cannot. The engine fills
 * it once; tests fill it with fakes.
 */
#ifndef MN_BASE_WORLD_H
#define MN_BASE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mn_store;   /* store/store.h: the truth */
struct mn_search;  /* search/search.h: what can be rebuilt */
struct mn_index;   /* index/index.h: brings the one up to the other */
struct mn_model;   /* model/model.h: the neural one; NULL without */
struct mn_recent;  /* model/recent.h: what it said of the last requests */
struct mn_chat;    /* model/chat.h: the one that draws memories from turns; NULL without */
struct mn_reranker;     /* model/rerank.h: a cross-encoder; NULL without */
struct mn_rerank_cache; /* the same: what it said before */
struct mn_tokens;  /* text/tokens.h: counts tokens */
struct mn_summarise; /* lifecycle/compress.h: draws from sessions that ended; NULL: rules do */
struct mn_archive; /* lifecycle/archive.h: where compressed turns go; NULL without */
struct mneme_executor;

struct mn_world {
    struct mn_store *store;
    struct mn_search *search;
    struct mn_index *index;
    struct mn_model *model;
    struct mn_recent *recent; /* vectors of the last requests; NULL: none are kept */
    const char *model_status; /* why there is none; "" */
    bool model_given;         /* one was: without it answers are degraded */
    struct mn_chat *chat;
    const char *embedding_cache_path; /* also without a model; NULL: no file */
    struct mn_reranker *reranker;
    struct mn_rerank_cache *rerank_cache;
    const char *rerank_status; /* why there is none although one was given; "" */
    size_t rerank_count;       /* of the first so many; 0: 20 */
    int rerank_timeout_ms;     /* 0: 1000 */
    const struct mn_tokens *tokens;
    struct mn_archive *archive;
    const struct mn_summarise *summarise;
    const struct mneme_executor *executor; /* NULL: serial */
    int64_t (*now_ms)(void);               /* the clock; tests hand in their own */
};

#endif
