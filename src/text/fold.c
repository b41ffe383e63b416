/*
 * fold.c - one spelling for what reads the same: width, case, script variant, invisible characters.
 *
 * NFKC and case folding come from ICU (NFKC_Casefold, which also drops what is invisible by
 * default). Asking it for every character would cost more than the rest of the analysis, so that
 * only what it might change goes there: ASCII, Chinese, kana, full-width ASCII and the commonest
 * punctuation are settled by ranges, as long as no combining mark follows. What is left goes in
 * spans that begin and end at normalisation boundaries, so that the result is that of the whole.
 *
 * After it: traditional to simplified by character (hans.gen.h), control characters out, white
 * space runs to one space, none at either end.
 */
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "text/analyze.h"
#include "text/hans.gen.h"
#include "text/letters.h"

#define SPAN_UNITS 256 /* of UTF-16 held on the stack */

struct folding {
    const UNormalizer2 *normalizer;
    bool keep_case;
    bool failed;
    bool space_due; /* white space was read; one space is written before the next character */
    struct mn_buf out;
};

static bool is_space(int32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c > 0x7f && u_isUWhiteSpace(c));
}

int32_t mn_fold_han(int32_t code_point)
{
    if (code_point < MN_HANS_FIRST || code_point > MN_HANS_LAST)
        return code_point;
    return MN_HANS[code_point - MN_HANS_FIRST];
}

/* Already normalised, but for script variant. */
static void put(struct folding *f, int32_t c)
{
    char bytes[4];
    bool is_han = c >= 0x3400 && c <= 0x9fff;

    if (!is_han && is_space(c)) {
        f->space_due = f->out.bytes > 0;
        return;
    }
    if (c < 0x20 || c == 0x7f)
        return;
    c = mn_fold_han(c);
    if (c == 0x2019 && f->keep_case)
        c = '\'';
    if (f->space_due)
        mn_buf_char(&f->out, ' ');
    f->space_due = false;
    mn_buf_put(&f->out, bytes, mn_utf8_put(c, bytes));
}

/* What normalisation leaves alone, or turns into ASCII: the result, else -1. */
static int32_t settled(int32_t c, bool keep_case)
{
    if (c >= 0xff01 && c <= 0xff5e)
        c -= 0xfee0;
    if (c < 0x80)
        return keep_case ? c : (int32_t)mn_letter_to_lower((char)c);
    if ((c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
        (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011) ||
        (c >= 0x3041 && c <= 0x3094) || (c >= 0x30a1 && c <= 0x30fa) || c == 0x30fc ||
        c == 0x2013 || c == 0x2014 || (c >= 0x2018 && c <= 0x201d) || c == 0xfffd)
        return c;
    return -1;
}

/* A character of the text; U+FFFD for a byte that begins none. */
static int32_t next(const char *text, size_t bytes, size_t *at)
{
    int32_t c = mn_utf8_next(text, bytes, at);

    return c < 0 ? 0xfffd : c;
}

static int32_t peek(const char *text, size_t bytes, size_t at)
{
    return next(text, bytes, &at);
}

/* Can what stands before `at` be settled without looking further? */
static bool begins_afresh(const struct folding *f, const char *text, size_t bytes, size_t at)
{
    int32_t c;

    if (at >= bytes)
        return true;
    c = peek(text, bytes, at);
    return settled(c, true) >= 0 || unorm2_hasBoundaryBefore(f->normalizer, c);
}

static void put_normalised(struct folding *f, const UChar *unit, int32_t count)
{
    for (int32_t i = 0; i < count;) {
        UChar32 c;

        U16_NEXT(unit, i, count, c);
        if (!u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
            put(f, U_IS_SURROGATE(c) ? 0xfffd : c);
    }
}

static void fold_span(struct folding *f, const char *text, size_t bytes)
{
    UChar in_small[SPAN_UNITS];
    UChar out_small[SPAN_UNITS];
    UChar *in = in_small;
    UChar *out = out_small;
    int32_t in_count = 0;
    int32_t out_count = 0;
    UErrorCode status = U_ZERO_ERROR;

    if (bytes > SPAN_UNITS && !(in = malloc(bytes * sizeof *in))) {
        f->failed = true;
        return;
    }
    for (size_t at = 0; at < bytes;) {
        int32_t c = next(text, bytes, &at);

        U16_APPEND_UNSAFE(in, in_count, c);
    }
    out_count = unorm2_normalize(f->normalizer, in, in_count, out, SPAN_UNITS, &status);
    if (status == U_BUFFER_OVERFLOW_ERROR) {
        status = U_ZERO_ERROR;
        out = malloc((size_t)out_count * sizeof *out);
        if (out)
            out_count = unorm2_normalize(f->normalizer, in, in_count, out, out_count, &status);
    }
    if (out && U_SUCCESS(status))
        put_normalised(f, out, out_count);
    else
        f->failed = true;
    if (in != in_small)
        free(in);
    if (out != out_small)
        free(out);
}

static void fold_all(struct folding *f, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t start = at;
        int32_t c = settled(next(text, bytes, &at), f->keep_case);

        if (c >= 0 && begins_afresh(f, text, bytes, at)) {
            put(f, c);
            continue;
        }
        while (at < bytes && settled(peek(text, bytes, at), true) < 0)
            (void)next(text, bytes, &at);
        fold_span(f, text + start, at - start);
    }
}

/* The common case, written straight into the arena. */
static struct mn_str fold_ascii(struct mn_arena *arena, const char *text, size_t bytes,
                                bool keep_case)
{
    char *out = mn_arena_alloc(arena, bytes + 1);
    bool space_due = false;
    size_t n = 0;

    if (!out)
        return (struct mn_str){ NULL, 0 };
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];

        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            space_due = n > 0;
            continue;
        }
        if (c < 0x20 || c == 0x7f)
            continue;
        if (space_due)
            out[n++] = ' ';
        space_due = false;
        out[n++] = keep_case ? c : mn_letter_to_lower(c);
    }
    out[n] = '\0';
    return (struct mn_str){ out, n };
}

static bool is_ascii(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if ((unsigned char)text[i] >= 0x80)
            return false;
    }
    return true;
}

static struct mn_str fold(struct mn_arena *arena, const char *text, size_t bytes, bool keep_case)
{
    struct folding f = { .keep_case = keep_case };
    UErrorCode status = U_ZERO_ERROR;
    char *copy = NULL;
    size_t folded_bytes;

    if (is_ascii(text, bytes))
        return fold_ascii(arena, text, bytes, keep_case);
    f.normalizer =
        keep_case ? unorm2_getNFKCInstance(&status) : unorm2_getNFKCCasefoldInstance(&status);
    if (U_SUCCESS(status)) {
        fold_all(&f, text, bytes);
        if (!f.failed && !f.out.failed)
            copy = mn_arena_copy_n(arena, f.out.at, f.out.bytes);
    }
    folded_bytes = f.out.bytes;
    mn_buf_release(&f.out);
    return (struct mn_str){ copy, copy ? folded_bytes : 0 };
}

char *mn_text_fold(struct mn_arena *arena, const char *text, size_t bytes)
{
    return (char *)fold(arena, text, bytes, false).at;
}

struct mn_str mn_fold_cased(struct mn_arena *arena, const char *text, size_t bytes)
{
    return fold(arena, text, bytes, true);
}
