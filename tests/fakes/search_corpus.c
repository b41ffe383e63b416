/*
 * search_corpus.c - see search_corpus.h.
 */
#include "fakes/search_corpus.h"

#include <assert.h>
#include <math.h>

#include "base/str.h"

#define WORDS 3000

uint64_t corpus_random(struct corpus *c)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random;
}

static double uniform(struct corpus *c)
{
    return (double)(corpus_random(c) >> 11) / 9007199254740992.0;
}

const char *corpus_text(struct corpus *c, size_t words, int chinese)
{
    static const char *const part[] = { "ba", "ke", "lo", "mi",  "nu",  "ra",  "se",  "to",
                                        "vi", "xo", "ze", "qua", "dri", "plo", "gre", "sta" };
    struct mn_buf buf = { 0 };

    for (size_t i = 0; i < words; i++) {
        size_t word = (size_t)exp(uniform(c) * log(WORDS));
        char bytes[4];

        if (chinese) {
            mn_buf_put(&buf, bytes, mn_utf8_put((int32_t)(0x4e00 + word % 997), bytes));
            mn_buf_put(&buf, bytes, mn_utf8_put((int32_t)(0x4e00 + word * 7 % 991), bytes));
            continue;
        }
        for (word += 256; word; word /= 16)
            mn_buf_text(&buf, part[word % 16]);
        mn_buf_char(&buf, ' ');
    }
    char *text = mn_arena_copy_n(c->arena, buf.at, buf.bytes);
    assert(text);
    mn_buf_release(&buf);
    return text;
}

const float *corpus_vector(struct corpus *c)
{
    float *vector = mn_arena_array(c->arena, float, CORPUS_DIM);
    double sum = 0;

    assert(vector);
    for (size_t i = 0; i < CORPUS_DIM; i++) {
        vector[i] = (float)((i < 4 ? 0.8 : 0) + (uniform(c) - 0.5) * 2 / sqrt((double)i + 1));
        sum += (double)vector[i] * (double)vector[i];
    }
    for (size_t i = 0; i < CORPUS_DIM; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
    return vector;
}

struct corpus corpus_new(struct mn_partition partition, const char *prefix, size_t count,
                         uint64_t seed)
{
    struct corpus c = { .arena = mn_arena_new(SIZE_MAX), .count = count, .random = seed | 1 };

    c.unit = mn_arena_array(c.arena, struct mn_unit, count + 1);
    assert(c.unit);
    for (size_t n = 0; n < count; n++) {
        struct mn_unit *u = &c.unit[n];
        struct mneme_memory *m = &u->memory;

        *u = (struct mn_unit){ .memory = MNEME_MEMORY_INIT, .confidence = 0.9 };
        u->id = u->parent_id = m->id = mn_arena_printf(c.arena, "%s-%zu", prefix, n);
        assert(u->id);
        m->tenant_id = partition.tenant;
        m->user_id = partition.owner;
        m->scope_kind = n % 10 == 0 ? MNEME_SCOPE_REPO : MNEME_SCOPE_GLOBAL;
        m->scope_id = n % 100 == 0 ? "hundred" : n % 10 == 0 ? "ten" : "";
        m->type = "fact";
        m->content = corpus_text(&c, 2 + corpus_random(&c) % 20, (int)(corpus_random(&c) % 2));
        m->created_at_ms = 1;
        u->is_event = corpus_random(&c) % 3 == 0;
        u->speaker = "";
        u->session_id = mn_arena_printf(c.arena, "s-%zu", n / 16);
        assert(u->session_id);
        u->order = (int64_t)n;
        if (corpus_random(&c) % 8) {
            u->vector = corpus_vector(&c);
            u->vector_dim = CORPUS_DIM;
        }
    }
    return c;
}

void corpus_free(struct corpus *c)
{
    mn_arena_free(c->arena);
}
