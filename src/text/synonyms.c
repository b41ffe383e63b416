/*
 * synonyms.c - groups of names, asked one after the other.
 *
 * Each term of the name that the request holds may be answered by the terms of another name; which
 * of these stands for it is left to the index, where the rarest tells most. The common groups are
 * few on purpose: a word stands there only when its other names mean the same everywhere. What a
 * tenant calls its own things is said by the aliases of entities (graph/aliases.h).
 *
 * Considered: writing the other names behind the request. Then a text that holds one name only
 * covers less of it than before.
 */
#include "text/synonyms.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "text/letters.h"

#define COMMON_NAMES_MAX 4

static const char *const COMMON[][COMMON_NAMES_MAX] = {
    { "kubernetes", "k8s" },
    { "postgresql", "postgres", "pgsql" },
    { "javascript", "js" },
    { "configuration", "config", "配置" },
    { "database", "db", "数据库" },
    { "repository", "repo", "仓库" },
    { "environment", "env", "环境" },
    { "authentication", "auth", "认证" },
    { "documentation", "docs", "文档" },
    { "production", "prod", "生产环境" },
    { "internationalization", "i18n", "国际化" },
    { "localization", "l10n", "本地化" },
    { "accessibility", "a11y", "无障碍" },
    { "pull request", "pr", "合并请求" },
    { "continuous integration", "ci", "持续集成" },
    { "infrastructure", "infra", "基础设施" },
    { "administrator", "admin", "管理员" },
    { "application", "app", "应用程序" },
    { "deployment", "deploy", "部署" },
    { "version", "版本" },
    { "server", "服务器" },
    { "cache", "缓存" },
    { "password", "passwd", "密码" },
};
#define COMMON_COUNT (sizeof COMMON / sizeof *COMMON)

static bool is_one_han(const char *name)
{
    size_t bytes = strlen(name), at = 0;

    return bytes > 0 && mn_letter_han(mn_utf8_next(name, bytes, &at)) && at == bytes;
}

static bool is_known(const struct mn_terms *terms, size_t ordinal, const struct mn_term_form *form)
{
    for (size_t i = 0; i < terms->forms.count; i++) {
        const struct mn_term_form *there = &terms->forms.item[i];

        if (there->ordinal == ordinal && there->count == form->count &&
            memcmp(there->hash, form->hash, form->count * sizeof *form->hash) == 0)
            return true;
    }
    return false;
}

static bool holds(const struct mn_terms *terms, uint64_t hash)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->item[i].hash == hash)
            return true;
    return false;
}

/* Words and exact terms of a name; single characters only say what its pairs say better. */
static enum mneme_status read_form(struct mn_arena *arena, const struct mn_terms *name,
                                   struct mn_term_form *ret_form, struct mneme_error *err)
{
    uint64_t *hash = mn_arena_array(arena, uint64_t, name->count + 1);
    size_t count = 0;

    if (!hash)
        return mn_fail_memory(err);
    for (size_t i = 0; i < name->count; i++)
        if (name->item[i].kind != MN_TERM_HAN)
            hash[count++] = name->item[i].hash;
    *ret_form = (struct mn_term_form){ .hash = hash, .count = count };
    return MNEME_OK;
}

/* The other name's terms, beside each of the request's that the name asked by holds. */
static enum mneme_status add_form(struct mn_arena *arena, const struct mn_terms *asked,
                                  const struct mn_terms *other, struct mn_terms *terms,
                                  struct mneme_error *err)
{
    struct mn_term_form form;

    MN_TRY(read_form(arena, other, &form, err));
    for (size_t t = 0; t < terms->count && form.count; t++) {
        if (!holds(asked, terms->item[t].hash) || is_known(terms, t, &form))
            continue;
        if (terms->forms.count == MN_SYNONYM_FORMS_MAX)
            return MNEME_OK;
        struct mn_term_form *added = mn_array_add(arena, &terms->forms);

        if (!added)
            return mn_fail_memory(err);
        *added = form;
        added->ordinal = t;
    }
    return MNEME_OK;
}

static enum mneme_status terms_of(struct mn_arena *arena, const char *name,
                                  struct mn_terms *ret_terms, struct mneme_error *err)
{
    struct mn_terms terms = { 0 };

    MN_TRY(mn_text_terms(arena, name, strlen(name), &terms, err));
    *ret_terms = terms;
    return MNEME_OK;
}

enum mneme_status mn_synonyms_group(struct mn_arena *arena, const char *folded,
                                    const char *const *name, size_t count, struct mn_terms *terms,
                                    struct mneme_error *err)
{
    struct mn_terms grown = *terms;

    for (size_t i = 0; i < count; i++) {
        struct mn_terms asked, other;

        if (is_one_han(name[i]) || !mn_text_contains(folded, name[i]))
            continue;
        MN_TRY(terms_of(arena, name[i], &asked, err));
        for (size_t o = 0; o < count; o++) {
            if (o == i)
                continue;
            MN_TRY(terms_of(arena, name[o], &other, err));
            MN_TRY(add_form(arena, &asked, &other, &grown, err));
        }
    }
    *terms = grown;
    return MNEME_OK;
}

enum mneme_status mn_synonyms_common(struct mn_arena *arena, const char *folded,
                                     struct mn_terms *terms, struct mneme_error *err)
{
    struct mn_terms grown = *terms;

    for (size_t g = 0; g < COMMON_COUNT; g++) {
        size_t count = 0;

        while (count < COMMON_NAMES_MAX && COMMON[g][count])
            count++;
        MN_TRY(mn_synonyms_group(arena, folded, COMMON[g], count, &grown, err));
    }
    *terms = grown;
    return MNEME_OK;
}
