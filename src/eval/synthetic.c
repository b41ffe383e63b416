/*
 * synthetic.c - memories made up from a seed.
 *
 * Words are told by their rank, the rare ones made of syllables and characters, and ranks are drawn so
 * that the n-th word is about n times rarer than the first (Zipf): posting lists then have the lengths
 * of real ones. The
 * mixture is that of a year of work: as many preferences and rules as the caller says, of the rest one
 * half decisions, facts, incidents and procedures, the other turns of conversations.
 */
#include "eval/synthetic.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

#define WORDS 12000
#define ENTITIES 400
#define SESSION_TURNS 40
#define SPREAD 0.55 /* length of the part that is not common to all vectors */

/* ---- chance ---- */

static uint64_t next(struct mn_synthetic *source)
{
    source->random ^= source->random << 13;
    source->random ^= source->random >> 7;
    source->random ^= source->random << 17;
    return source->random;
}

static size_t below(struct mn_synthetic *source, size_t limit)
{
    return (size_t)(next(source) >> 11) % limit;
}

static double share(struct mn_synthetic *source)
{
    return (double)(next(source) >> 11) / (double)(UINT64_C(1) << 53);
}

/* 0 the most frequent; the logarithm of the rank is even. */
static size_t zipf(struct mn_synthetic *source, size_t count)
{
    return (size_t)exp(share(source) * log((double)count + 1)) - 1;
}

/* ---- words ---- */

/* The most frequent are real, so that a request has about as many tokens as one of people. */
static const char *const frequent[] = {
    "the",     "a",       "of",      "to",       "and",     "in",      "is",       "for",
    "on",      "with",    "we",      "was",      "it",      "by",      "service",  "error",
    "version", "data",    "user",    "time",     "server",  "test",    "config",   "deploy",
    "cache",   "query",   "table",   "index",    "login",   "token",   "timeout",  "retry",
    "queue",   "message", "network", "port",     "disk",    "memory",  "backup",   "restore",
    "release", "branch",  "build",   "pipeline", "review",  "ticket",  "customer", "order",
    "payment", "price",   "invoice", "report",   "export",  "import",  "schema",   "migration",
    "key",     "secret",  "rotate",  "certificate", "proxy", "gateway", "limit",   "rate",
    "alert",   "monitor", "log",     "trace",    "latency", "cluster", "node",     "container",
    "image",   "volume",  "schedule", "job",     "worker",  "thread",  "lock",     "deadlock",
    "rollback", "patch",  "upgrade", "document", "meeting", "decision", "team",    "week",
};
#define FREQUENT (sizeof frequent / sizeof *frequent)

static void put_english(struct mn_buf *out, size_t rank)
{
    static const char *const syllables[] = { "ba", "con", "der", "fi",  "gra", "hon", "ker", "lo",
                                             "mi", "nex", "or",  "pla", "qui", "ro",  "ser", "ta",
                                             "un", "ver", "wi",  "zen" };
    static const char *const endings[] = { "", "s", "ing", "er", "ed", "al", "ion", "ly" };
    size_t count = sizeof syllables / sizeof *syllables;

    if (rank < FREQUENT) {
        mn_buf_text(out, frequent[rank]);
        return;
    }
    for (size_t left = rank + 20; left; left /= count)
        mn_buf_text(out, syllables[left % count]);
    mn_buf_text(out, endings[rank % (sizeof endings / sizeof *endings)]);
}

/* Two characters a word, from the first ones of the block and so simplified or common to both. */
static void put_chinese(struct mn_buf *out, size_t rank)
{
    static const char *const characters[] = {
        "数", "据", "库", "服", "务", "网", "络", "端", "口", "配", "置", "版", "本", "部", "署",
        "测", "试", "缓", "存", "日", "志", "权", "限", "用", "户", "请", "求", "接", "线", "程",
        "内", "超", "时", "重", "启", "队", "列", "消", "息", "索", "引", "迁", "移", "备", "份",
        "监", "控", "告", "警", "订", "单", "支", "付", "库", "船", "票", "价", "港", "航", "班",
        "客", "舱", "码", "头", "调", "度", "故", "障", "修", "复", "回", "滚", "发", "布", "审",
        "核", "文", "档", "会", "议", "决", "定", "方", "案", "规", "则", "例", "外", "流", "量",
        "负", "载", "均", "衡", "加", "密", "证", "书", "域", "名", "镜", "像", "容", "器", "节",
        "点", "集", "群", "存", "储", "磁", "盘", "脚" };
    size_t count = sizeof characters / sizeof *characters;

    mn_buf_text(out, characters[rank % count]);
    mn_buf_text(out, characters[(rank / count * 7 + rank * 3 + 1) % count]);
}

static void put_entity(struct mn_buf *out, size_t number)
{
    static const char *const kinds[] = { "Gate", "Berth", "Ledger", "Beacon", "Tide" };

    mn_buf_printf(out, "%s-%zu", kinds[number % 5], number / 5);
}

static void put_words(struct mn_synthetic *source, struct mn_buf *out, bool chinese, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (i % 17 == 8) {
            mn_buf_char(out, ' ');
            put_entity(out, zipf(source, ENTITIES));
            mn_buf_char(out, ' ');
        } else if (chinese) {
            put_chinese(out, zipf(source, WORDS));
            if (i % 6 == 5)
                mn_buf_text(out, "，");
        } else {
            put_english(out, zipf(source, WORDS));
            mn_buf_char(out, ' ');
        }
    }
    mn_buf_text(out, chinese ? "。" : "end.");
}

static const char *keep(struct mn_buf *text, struct mn_arena *arena)
{
    const char *kept = text->failed ? NULL : mn_arena_copy_n(arena, text->at, text->bytes);

    mn_buf_release(text);
    return kept;
}

const char *mn_synthetic_text(struct mn_synthetic *source, int chinese, size_t words,
                              struct mn_arena *arena)
{
    struct mn_buf text = { 0 };

    put_words(source, &text, chinese != 0, words);
    return keep(&text, arena);
}

const char *mn_synthetic_request(struct mn_synthetic *source, struct mn_arena *arena)
{
    bool chinese = below(source, 2);
    struct mn_buf text = { 0 };

    mn_buf_text(&text, chinese ? "怎么处理" : "What do we know about ");
    put_words(source, &text, chinese, 4 + below(source, 5));
    put_entity(&text, zipf(source, ENTITIES));
    mn_buf_text(&text, chinese ? "的问题？" : "?");
    return keep(&text, arena);
}

void mn_synthetic_vector(struct mn_synthetic *source, const float *mean, size_t dim, float *vector)
{
    double squares = 0, own = 0;

    for (size_t i = 0; i < dim; i++) {
        double value = share(source) + share(source) + share(source) - 1.5; /* nearly normal */

        vector[i] = (float)value;
        own += value * value;
    }
    for (size_t i = 0; i < dim; i++) {
        vector[i] = (float)(mean[i] + SPREAD * vector[i] / sqrt(own));
        squares += (double)vector[i] * vector[i];
    }
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)(vector[i] / sqrt(squares));
}

/* ---- records ---- */

struct kind {
    const char *type;
    unsigned in_thousand; /* so many of a thousand of its group */
    bool keyed;           /* answers a key now and then */
};

static const struct kind structured[] = {
    { "user_preference", 568, true },
    { "project_constraint", 227, true },
    { "repository_rule", 205, true },
};

static const struct kind told[] = {
    { "previous_decision", 329, true },
    { "fact", 342, false },
    { "incident", 186, false },
    { "successful_procedure", 143, false },
};

static const struct kind *draw_kind(struct mn_synthetic *source, const struct kind *kind)
{
    size_t at = below(source, 1000);

    while (at >= kind->in_thousand)
        at -= (kind++)->in_thousand;
    return kind;
}

static void draw_scope(struct mn_synthetic *source, struct mneme_memory *memory)
{
    size_t at = below(source, 20);
    bool shared = at < 2;

    memory->user_id = shared ? "" : source->user_id;
    memory->scope_kind = at < 9 && at != 1 ? MNEME_SCOPE_PROJECT
                         : at < 13         ? MNEME_SCOPE_REPO
                                           : MNEME_SCOPE_USER;
    memory->scope_id = memory->scope_kind == MNEME_SCOPE_PROJECT ? MN_SYNTHETIC_PROJECT
                       : memory->scope_kind == MNEME_SCOPE_REPO  ? MN_SYNTHETIC_REPO
                                                                 : source->user_id;
    if (below(source, 4) == 0 && memory->scope_kind != MNEME_SCOPE_USER)
        memory->scope_id = "another";
}

static enum mneme_status draw_labels(struct mn_synthetic *source, const struct kind *kind,
                                     struct mn_arena *arena, struct mneme_memory *memory,
                                     struct mneme_error *err)
{
    struct mn_buf entity = { 0 };
    const char **entities = mn_arena_array(arena, const char *, 1);

    put_entity(&entity, zipf(source, ENTITIES));
    if (!entities || !(entities[0] = keep(&entity, arena)))
        return mn_fail_memory(err);
    memory->entities = (struct mneme_list){ entities, 1 };
    if (!kind->keyed || below(source, 3))
        return MNEME_OK;
    memory->memory_key = mn_arena_printf(arena, "harbour.choice_%zu", below(source, 2000));
    memory->value = mn_arena_printf(arena, "choice %zu", below(source, 3));
    return memory->memory_key && memory->value ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status make_memory(struct mn_synthetic *source, const struct kind *kind,
                                     size_t number, struct mn_arena *arena,
                                     struct mneme_memory *memory, struct mneme_error *err)
{
    static const enum mneme_authority authorities[] = { MNEME_EXPLICIT_USER, MNEME_EXPLICIT_USER,
                                                        MNEME_CONFIRMED_SYSTEM,
                                                        MNEME_TOOL_OBSERVATION,
                                                        MNEME_MODEL_INFERENCE };

    *memory = (struct mneme_memory)MNEME_MEMORY_INIT;
    memory->id = mn_arena_printf(arena, "syn-%zu", number);
    memory->tenant_id = source->tenant_id;
    draw_scope(source, memory);
    memory->type = kind->type;
    memory->content = mn_synthetic_text(source, (int)below(source, 2), 14 + below(source, 26),
                                        arena);
    MN_TRY(draw_labels(source, kind, arena, memory, err));
    memory->authority = authorities[below(source, 5)];
    memory->confidence = 0.65 + 0.3 * share(source);
    memory->importance = share(source);
    memory->created_at_ms = source->now_ms - (int64_t)below(source, 365) * MN_DAY_MS;
    memory->updated_at_ms = memory->created_at_ms;
    if (!strcmp(kind->type, "incident"))
        memory->event_time_ms = memory->created_at_ms;
    return memory->id && memory->content ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status make_event(struct mn_synthetic *source, size_t number,
                                    struct mn_arena *arena, struct mneme_event *event,
                                    struct mneme_error *err)
{
    static const char *const speakers[] = { "Mara", "林岚" };

    *event = (struct mneme_event)MNEME_EVENT_INIT;
    event->id = mn_arena_printf(arena, "syn-%zu", number);
    event->tenant_id = source->tenant_id;
    event->user_id = source->user_id;
    event->session_id = mn_arena_printf(arena, "talk-%zu", number / (2 * SESSION_TURNS));
    event->role = number % 2 ? "user" : "assistant";
    event->speaker = speakers[number % 2];
    event->text = mn_synthetic_text(source, (int)below(source, 2), 8 + below(source, 20), arena);
    event->event_time_ms =
        source->now_ms - (int64_t)(1 + below(source, 365)) * MN_DAY_MS + (int64_t)number;
    return event->id && event->session_id && event->text ? MNEME_OK : mn_fail_memory(err);
}

enum mneme_status mn_synthetic_next(struct mn_synthetic *source, size_t number,
                                    struct mn_arena *arena, struct mneme_record *ret_record,
                                    struct mneme_error *err)
{
    bool is_structured = share(source) < source->structured_share;
    struct mneme_record record = { 0 };

    if (!is_structured && below(source, 2)) {
        struct mneme_event *event = mn_arena_one(arena, struct mneme_event);

        if (!event)
            return mn_fail_memory(err);
        MN_TRY(make_event(source, number, arena, event, err));
        record.kind = MNEME_RECORD_EVENT;
        record.event = event;
    } else {
        struct mneme_memory *memory = mn_arena_one(arena, struct mneme_memory);

        if (!memory)
            return mn_fail_memory(err);
        MN_TRY(make_memory(source, draw_kind(source, is_structured ? structured : told), number,
                           arena, memory, err));
        record.kind = MNEME_RECORD_MEMORY;
        record.memory = memory;
    }
    *ret_record = record;
    return MNEME_OK;
}
