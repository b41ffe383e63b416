/*
 * rule.c - triggers: literals, exact names, globs, regular expressions.
 *
 * A regular expression is somebody's text and so may be hostile. PCRE2's own match limit counts
 * anew at each starting point of the search, so alone it bounds nothing in a long text. An
 * automatic callout before every item of the pattern counts all steps of the search together, and
 * the bytes run over between them, and ends it when they are spent; what is left serves the next
 * search. Patterns are compiled each time: some microseconds, against a cache that would have to be
 * owned by somebody.
 *
 * A glob is matched in one walk over the path with the set of all positions in the glob that are
 * still possible, so its cost is their product and no more, whatever the stars.
 */
#include "memory/rule.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/str.h"
#include "text/analyze.h"

#define PATTERN_BYTES_A_STEP 16   /* that a single item, such as .*, runs over */
#define PATTERN_MATCH_MAX 1000000 /* of one starting point */
#define PATTERN_DEPTH_MAX 10000
#define PATTERN_HEAP_KIB_MAX 4096
#define FOLD_BYTES_MAX (64 * 1024)

/* ---- regular expressions ---- */

static void free_code(pcre2_code **code)
{
    pcre2_code_free(*code);
}

static void free_match(pcre2_match_data **match)
{
    pcre2_match_data_free(*match);
}

static void free_match_context(pcre2_match_context **context)
{
    pcre2_match_context_free(*context);
}

static pcre2_code *compile(const char *pattern, int *ret_fault, PCRE2_SIZE *ret_at)
{
    return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C,
                         ret_fault, ret_at, NULL);
}

struct steps {
    int64_t left;
    size_t position; /* of the last one in the text */
};

static int count_step(pcre2_callout_block *block, void *context)
{
    struct steps *steps = context;
    size_t position = block->current_position;
    size_t moved =
        position > steps->position ? position - steps->position : steps->position - position;

    steps->left -= 1 + (int64_t)(moved / PATTERN_BYTES_A_STEP);
    steps->position = position;
    return steps->left > 0 ? 0 : PCRE2_ERROR_MATCHLIMIT;
}

static bool pattern_matches(const char *pattern, const char *text, struct mn_rule_steps *budget)
{
    int fault = 0;
    PCRE2_SIZE at = 0;
    struct steps steps = { .left = budget->left };
    MN_CLEANUP(free_code) pcre2_code *code = compile(pattern, &fault, &at);
    MN_CLEANUP(free_match) pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    MN_CLEANUP(free_match_context)
    pcre2_match_context *context = pcre2_match_context_create(NULL);

    if (!match || !context || (!code && fault == PCRE2_ERROR_HEAP_FAILED))
        return true; /* out of memory, see the header */
    if (!code)
        return false;
    (void)pcre2_set_match_limit(context, PATTERN_MATCH_MAX);
    (void)pcre2_set_depth_limit(context, PATTERN_DEPTH_MAX);
    (void)pcre2_set_heap_limit(context, PATTERN_HEAP_KIB_MAX);
    (void)pcre2_set_callout(context, count_step, &steps);
    int found = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, match, context);
    budget->left = steps.left > 0 ? steps.left : 0;
    budget->ran_out = found < 0 && found != PCRE2_ERROR_NOMATCH;
    return found >= 0;
}

enum mneme_status mn_rule_pattern_check(const char *pattern, struct mneme_error *err)
{
    int fault = 0;
    PCRE2_SIZE at = 0;
    char message[160] = "";
    MN_CLEANUP(free_code) pcre2_code *code = compile(mn_or_empty(pattern), &fault, &at);

    if (code)
        return MNEME_OK;
    if (fault == PCRE2_ERROR_HEAP_FAILED)
        return mn_fail_memory(err);
    (void)pcre2_get_error_message(fault, (PCRE2_UCHAR *)message, sizeof message);
    return mn_fail(err, MNEME_INVALID, "trigger_value: not a regular expression: %s at byte %zu",
                   message, (size_t)at);
}

/* ---- globs ---- */

enum {
    GLOB_ONE = -2,    /* ? */
    GLOB_RUN = -3,    /* * */
    GLOB_ANY = -4,    /* ** */
    GLOB_FOLDERS = -5 /* a ** that makes whole folders: nothing, or anything up to a '/' */
};

struct glob {
    int32_t token[MNEME_NAME_BYTES_MAX];
    size_t count;
};

static bool glob_read(const char *text, struct glob *ret_glob)
{
    size_t bytes = strlen(text);
    size_t at = 0;

    ret_glob->count = 0;
    if (bytes > MNEME_NAME_BYTES_MAX)
        return false;
    while (at < bytes) {
        bool begins_folder = at == 0 || text[at - 1] == '/';
        int32_t c = mn_utf8_next(text, bytes, &at);

        if (c < 0)
            return false;
        if (c == '?')
            c = GLOB_ONE;
        if (c == '*' && text[at] != '*')
            c = GLOB_RUN;
        if (c == '*') {
            while (text[at] == '*')
                at++;
            c = begins_folder && text[at] == '/' ? GLOB_FOLDERS : GLOB_ANY;
            at += c == GLOB_FOLDERS;
        }
        ret_glob->token[ret_glob->count++] = c;
    }
    return true;
}

static bool may_be_nothing(int32_t token)
{
    return token == GLOB_RUN || token == GLOB_ANY || token == GLOB_FOLDERS;
}

/* open[i]: the first i tokens match what was read so far. Moves over tokens that need nothing; one
 * for folders lets go only where a folder begins. */
static void skip_stars(const struct glob *glob, bool *open, bool folder_begins)
{
    for (size_t i = 0; i < glob->count; i++) {
        if (open[i] && may_be_nothing(glob->token[i]) &&
            (glob->token[i] != GLOB_FOLDERS || folder_begins))
            open[i + 1] = true;
    }
}

bool mn_path_matches(const char *glob, const char *path)
{
    struct glob g;
    bool open[MNEME_NAME_BYTES_MAX + 1] = { true };
    size_t bytes = strlen(mn_or_empty(path));
    size_t at = 0;

    if (!glob_read(mn_or_empty(glob), &g))
        return false;
    skip_stars(&g, open, true);
    while (at < bytes) {
        int32_t c = mn_utf8_next(path, bytes, &at);

        open[g.count] = false;
        for (size_t i = g.count; i-- > 0;) {
            int32_t token = g.token[i];

            if (!open[i])
                continue;
            if (token == c || (token == GLOB_ONE && c != '/'))
                open[i + 1] = true;
            open[i] = token == GLOB_ANY || token == GLOB_FOLDERS || (token == GLOB_RUN && c != '/');
        }
        skip_stars(&g, open, c == '/');
    }
    return open[g.count];
}

/* ---- triggers ---- */

static bool names(const char *wanted, const char *given)
{
    return !mn_empty(wanted) && mn_same(wanted, given);
}

static bool text_names(const char *literal, const char *folded)
{
    MN_ARENA_AUTO arena = mn_arena_new(FOLD_BYTES_MAX);
    const char *needle = mn_text_fold(arena, literal, strlen(literal));

    if (!needle)
        return true; /* out of memory, see the header */
    return needle[0] != '\0' && mn_text_contains(mn_or_empty(folded), needle);
}

static bool a_path_matches(const char *glob, const struct mneme_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (mn_path_matches(glob, paths->item[i]))
            return true;
    }
    return false;
}

bool mn_rule_fires(const struct mneme_rule *rule, const struct mn_trigger_input *input)
{
    const char *value = mn_or_empty(rule->trigger_value);

    if (rule->disabled)
        return false;
    switch (rule->trigger_type) {
    case MNEME_TRIGGER_ALWAYS:
        return true;
    case MNEME_TRIGGER_INTENT:
        return names(value, input->intent);
    case MNEME_TRIGGER_TASK_TYPE:
        return names(value, input->signals->task_type);
    case MNEME_TRIGGER_TOOL:
        return names(value, input->signals->tool);
    case MNEME_TRIGGER_KEYWORD:
    case MNEME_TRIGGER_ENTITY:
        return text_names(value, input->folded);
    case MNEME_TRIGGER_REGEX:
        return pattern_matches(value, mn_or_empty(input->text), input->steps);
    case MNEME_TRIGGER_PATH_GLOB:
        return a_path_matches(value, &input->signals->paths);
    case MNEME_TRIGGER_NONE:
        break;
    }
    return false;
}
