/*
 * passages.c - pieces of even length, each ending at the best place near where it should.
 *
 * A text of n pieces is cut near 1/n, 2/n ... of its bytes: behind an empty line if there is one
 * within a quarter of a piece, else behind a line, a sentence, a word, and at last anywhere between
 * two characters. Of equal places the nearest. So pieces are of even length whatever the text, how
 * many there are follows from its length alone, and each is found without cutting the others.
 */
#include "text/passages.h"

#include <stdbool.h>
#include <string.h>

#define PIECE_BYTES 900
#define REACH_BYTES (PIECE_BYTES / 4) /* from where a cut should be: two never meet */

/* What a place between two bytes is worth as a cut. */
enum cut { CUT_NONE = 0, CUT_CHARACTER, CUT_WORD, CUT_SENTENCE, CUT_LINE, CUT_PARAGRAPH };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool ends_with(const char *text, size_t at, const char *mark)
{
    size_t bytes = strlen(mark);

    return at >= bytes && !memcmp(text + at - bytes, mark, bytes);
}

/* Those of which a mark may be followed. */
static const char *const CLOSING[] = { "\"", "'", ")", "”", "’", "」", "』", "）", "》" };
#define CLOSING_COUNT (sizeof CLOSING / sizeof CLOSING[0])

static bool closes(const char *text, size_t bytes, size_t at)
{
    for (size_t i = 0; i < CLOSING_COUNT; i++) {
        size_t some = strlen(CLOSING[i]);

        if (bytes - at >= some && !memcmp(text + at, CLOSING[i], some))
            return true;
    }
    return false;
}

/* A sentence mark of Chinese stands behind its sentence without a blank. */
static bool ends_sentence(const char *text, size_t at)
{
    static const char *const MARKS[] = { "。", "！", "？", "；", "…" };
    bool blank = at > 0 && is_blank(text[at - 1]);

    while (at > 0 && is_blank(text[at - 1]))
        at--;
    for (size_t i = 0; i < CLOSING_COUNT; i++)
        if (ends_with(text, at, CLOSING[i])) {
            at -= strlen(CLOSING[i]);
            break;
        }
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++)
        if (ends_with(text, at, MARKS[i]))
            return true;
    return blank && at > 0 && strchr(".!?", text[at - 1]);
}

/* Of the place before byte `at`; blanks belong to what is before them. */
static enum cut worth(const char *text, size_t bytes, size_t at)
{
    size_t lines = 0;

    if (((unsigned char)text[at] & 0xc0) == 0x80)
        return CUT_NONE;
    if (at < bytes && is_blank(text[at]))
        return CUT_CHARACTER;
    for (size_t back = at; back > 0 && is_blank(text[back - 1]); back--)
        lines += text[back - 1] == '\n';
    if (lines)
        return lines > 1 ? CUT_PARAGRAPH : CUT_LINE;
    if (!closes(text, bytes, at) && ends_sentence(text, at))
        return CUT_SENTENCE;
    return at > 0 && is_blank(text[at - 1]) ? CUT_WORD : CUT_CHARACTER;
}

/* Where piece `number` of `count` ends. */
static size_t end_of(const char *text, size_t bytes, size_t number, size_t count)
{
    size_t wanted = bytes / count * number + bytes % count * number / count;
    size_t best = wanted;
    enum cut best_cut = CUT_NONE;

    if (number == 0 || number == count)
        return number ? bytes : 0;
    for (size_t away = 0; away <= REACH_BYTES; away++) {
        for (int side = 0; side < 2 && (side == 0 || away > 0); side++) {
            size_t at = side ? wanted + away : wanted - away;
            enum cut cut = worth(text, bytes, at);

            if (cut > best_cut) {
                best_cut = cut;
                best = at;
            }
        }
    }
    return best;
}

size_t mn_text_passage_count(size_t bytes)
{
    size_t count = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;

    if (bytes <= MN_PASSAGE_TEXT_BYTES_MAX)
        return 0;
    return count < MN_PASSAGES_MAX ? count : MN_PASSAGES_MAX;
}

struct mn_passage mn_text_passage(const char *text, size_t bytes, size_t number)
{
    size_t count = mn_text_passage_count(bytes);
    size_t from = end_of(text, bytes, number - 1, count);

    return (struct mn_passage){ from, end_of(text, bytes, number, count) - from };
}
