/*
 * topics.c - the words that come back.
 *
 * Without a collection to compare with, what tells a topic from a passing word is that several turns
 * speak of it. Words that carry grammar, and short ones, are none. A phrase stands for its words: where
 * "ferry terminal" comes back, "ferry" is not named beside it. Chinese has no blanks, so every run of
 * two to six characters within grammar is tried, and the longest that comes back as often wins.
 */
#include "lifecycle/topics.h"

#include "base/array.h"
#include "base/hash.h"
#include "text/letters.h"
#include "text/mention.h"
#include "text/words.h"

#define WORD_BYTES_MIN 4
#define HAN_MIN 2
#define HAN_MAX 6
#define PHRASE_BYTES_MAX 60
#define CANDIDATES_MAX 60000
#define SCRATCH_BYTES_MAX ((size_t)64 << 20)
#define NAME_WEIGHT 1.5
#define PAIR_WEIGHT 1.7
#define HAN_WEIGHT 0.45 /* of one character: two make about a word */

struct candidate {
    const char *key; /* lower case */
    const char *name;
    size_t key_bytes;
    double weight;
    size_t turns, first, last;
};

struct finding {
    struct mn_arena *scratch;
    struct {
        struct candidate *item;
        size_t count, room;
    } found;
    size_t *slot; /* into found, plus 1 */
    size_t slots;
    size_t turn;
    bool failed;
};

/* Counted once a turn. */
static void add(struct finding *f, struct mn_str text, double weight)
{
    char key[PHRASE_BYTES_MAX + 1];
    struct candidate *c = NULL;
    size_t at;

    if (text.bytes == 0 || text.bytes > PHRASE_BYTES_MAX)
        return;
    for (size_t i = 0; i < text.bytes; i++)
        key[i] = mn_letter_to_lower(text.at[i]);
    at = (size_t)mn_hash64(key, text.bytes, 0) & (f->slots - 1);
    for (; f->slot[at]; at = (at + 1) & (f->slots - 1)) {
        c = &f->found.item[f->slot[at] - 1];
        if (c->key_bytes == text.bytes && !memcmp(c->key, key, text.bytes))
            break;
    }
    if (!f->slot[at]) {
        if (f->found.count == CANDIDATES_MAX)
            return; /* what came first is what comes back most */
        c = mn_array_add(f->scratch, &f->found);
        if (c) {
            c->key = mn_arena_copy_n(f->scratch, key, text.bytes);
            c->name = mn_arena_copy_n(f->scratch, text.at, text.bytes);
        }
        f->failed = f->failed || !c || !c->key || !c->name;
        if (f->failed)
            return;
        c->key_bytes = text.bytes;
        c->first = f->turn;
        f->slot[at] = f->found.count;
    } else if (c->last == f->turn) {
        if (weight > c->weight)
            c->weight = weight;
        return;
    }
    if (weight > c->weight)
        c->weight = weight;
    c->last = f->turn;
    c->turns++;
}

/* ---- words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '\'';
}

/* Frequent in talk, and never what it is about. */
static bool is_talk(const char *lower, size_t bytes)
{
    static const char *const words[] = {
        "about",  "after",   "again",  "also",    "always", "anyway",  "back",   "because", "before",
        "better", "both",    "called", "cannot",  "check",  "come",    "could",  "does",    "doing",
        "done",   "each",    "else",   "even",    "every",  "fine",    "first",  "from",    "getting",
        "give",   "goes",    "going",  "good",    "great",  "have",    "having", "help",    "here",
        "into",   "just",    "keep",   "know",    "last",   "later",   "like",   "little",  "look",
        "looking", "made",   "make",   "many",    "maybe",  "mean",    "more",   "most",    "much",
        "need",   "needs",   "never",  "next",    "nice",   "nothing", "okay",   "once",    "only",
        "other",  "over",    "please", "probably", "put",   "quite",   "really", "right",   "said",
        "same",   "should",  "since",  "some",    "something", "still", "such",  "sure",    "take",
        "tell",   "than",    "thank",  "thanks",  "that",   "their",   "them",   "then",    "there",
        "these",  "they",    "thing",  "things",  "think",  "this",    "those",  "though",  "time",
        "today",  "tomorrow", "took",  "true",    "using",  "very",    "want",   "wants",   "were",
        "what",   "when",    "where",  "which",   "while",  "will",    "with",   "work",    "works",
        "would",  "yeah",    "yesterday", "your", "let's",  "that's",  "don't",  "i'll",    "we'll",
        "decided", "prefer", "finished", "works", "tried",  "trying",  "remember", "instead", NULL
    };

    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == bytes && !memcmp(words[i], lower, bytes))
            return true;
    return false;
}

static bool is_content(struct mn_str word)
{
    char lower[PHRASE_BYTES_MAX];

    if (word.bytes < WORD_BYTES_MIN || word.bytes > sizeof lower)
        return false;
    for (size_t i = 0; i < word.bytes; i++)
        lower[i] = mn_letter_to_lower(word.at[i]);
    return !mn_words_stop(lower, word.bytes) && !is_talk(lower, word.bytes);
}

static void add_words(struct finding *f, const char *text)
{
    struct mn_str before = { NULL, 0 };

    for (size_t at = 0; text[at];) {
        size_t from = at;
        struct mn_str word;

        while (is_letter(text[at]))
            at++;
        if (at == from) {
            if (text[at++] != ' ')
                before.at = NULL;
            continue;
        }
        word = (struct mn_str){ text + from, at - from };
        if (!is_content(word)) {
            before.at = NULL;
            continue;
        }
        add(f, word, 1.0);
        if (before.at)
            add(f, (struct mn_str){ before.at, (size_t)(word.at + word.bytes - before.at) },
                PAIR_WEIGHT);
        before = word;
    }
}

static enum mneme_status add_mentions(struct finding *f, const char *text, struct mneme_error *err)
{
    struct mn_mentions mentions = { 0 };

    MN_TRY(mn_mention_find(f->scratch, text, &mentions, err));
    for (size_t i = 0; i < mentions.count; i++)
        if (mentions.item[i].kind == MN_MENTION_IDENTIFIER ||
            mentions.item[i].kind == MN_MENTION_NAME)
            add(f, mentions.item[i].text, NAME_WEIGHT);
    return MNEME_OK;
}

/* ---- Chinese ---- */

/* As is_talk(): at either end of a run it makes no topic. */
static bool is_talk_han(struct mn_str run)
{
    static const char *const words[] = {
        "我们", "你们", "他们", "大家", "自己", "今天", "明天", "昨天", "现在", "已经", "还是", "还有", "还要",
        "需要", "可以", "这个", "那个", "这些", "那些", "这样", "那样", "什么", "怎么", "为什", "没有", "不是",
        "就是", "因为", "所以", "但是", "如果", "觉得", "知道", "时候", "时间", "可能", "应该", "然后", "事情",
        "完成", "决定", "解决", "原因", "一下", "一个", "一些", "有点", "比较", "不错", "谢谢", "之后", "以后",
        "以前", "起来", "出来", "下来", "上去", "看看", "感觉", "真的", "其实", "喜欢", "记得", "记住", NULL
    };

    for (size_t i = 0; words[i]; i++) {
        size_t bytes = strlen(words[i]);

        if (run.bytes >= bytes && (!memcmp(run.at, words[i], bytes) ||
                                   !memcmp(run.at + run.bytes - bytes, words[i], bytes)))
            return true;
    }
    return false;
}

struct han {
    size_t at; /* of the character; one more entry says where the run ends */
    bool grammar;
};

static void add_run(struct finding *f, const char *text, const struct han *run, size_t count)
{
    for (size_t from = 0; from + HAN_MIN <= count; from++) {
        if (run[from].grammar)
            continue;
        for (size_t n = HAN_MIN; n <= HAN_MAX && from + n <= count; n++) {
            const struct mn_str word = { text + run[from].at, run[from + n].at - run[from].at };

            if (!run[from + n - 1].grammar && !is_talk_han(word))
                add(f, word, HAN_WEIGHT * (double)n);
        }
    }
}

/* Runs end at what is no Chinese character, and at the strictest grammar. */
static enum mneme_status add_han(struct finding *f, const char *text, struct mneme_error *err)
{
    size_t bytes = strlen(text);
    struct han *run = mn_arena_array(f->scratch, struct han, bytes / 3 + 2);
    size_t count = 0;

    if (!run)
        return mn_fail_memory(err);
    for (size_t at = 0; at <= bytes;) {
        size_t from = at;
        int32_t c = at < bytes ? mn_utf8_next(text, bytes, &at) : (at++, 0);
        enum mn_han kind = c >= 0x4e00 && c <= 0x9fff ? mn_words_han(c) : MN_HAN_STRICT;

        if (kind != MN_HAN_STRICT) {
            run[count++] = (struct han){ from, kind == MN_HAN_FUNC };
            continue;
        }
        run[count].at = from;
        add_run(f, text, run, count);
        count = 0;
    }
    return MNEME_OK;
}

/* ---- choosing ---- */

static double score(const struct candidate *c)
{
    return (double)c->turns * c->weight;
}

static bool within(const struct candidate *c, const char *name)
{
    size_t bytes = strlen(name);
    char lower[PHRASE_BYTES_MAX + 1];

    for (size_t i = 0; i < bytes; i++)
        lower[i] = mn_letter_to_lower(name[i]);
    lower[bytes] = '\0';
    return strstr(lower, c->key) || strstr(c->key, lower);
}

enum mneme_status mn_topics_find(const char *const *texts, size_t count, struct mn_arena *arena,
                                 struct mn_topics *ret_topics, struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct finding f = { .scratch = scratch, .slots = 131072 };
    struct mn_topics topics = { 0 };

    f.slot = mn_arena_array(scratch, size_t, f.slots);
    if (!f.slot)
        return mn_fail_memory(err);
    for (f.turn = 0; f.turn < count; f.turn++) {
        if (!texts[f.turn])
            continue;
        add_words(&f, texts[f.turn]);
        MN_TRY(add_mentions(&f, texts[f.turn], err));
        MN_TRY(add_han(&f, texts[f.turn], err));
        if (f.failed)
            return mn_fail_memory(err);
    }
    while (topics.count < MN_TOPICS_MAX) {
        const struct candidate *best = NULL;

        for (size_t i = 0; i < f.found.count; i++) {
            const struct candidate *c = &f.found.item[i];
            bool taken = c->turns < 2;

            for (size_t t = 0; t < topics.count && !taken; t++)
                taken = within(c, topics.item[t].name);
            if (!taken && (!best || score(c) > score(best)))
                best = c;
        }
        if (!best)
            break;
        topics.item[topics.count] =
            (struct mn_topic){ mn_arena_copy(arena, best->name), best->turns, best->first, best->last };
        if (!topics.item[topics.count++].name)
            return mn_fail_memory(err);
    }
    *ret_topics = topics;
    return MNEME_OK;
}
