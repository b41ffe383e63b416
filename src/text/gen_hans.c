/*
 * gen_hans.c - writes hans.gen.h at build time: the simplified form of each Chinese character.
 *
 * Runs on the building machine, once. ICU's transliterator Traditional-Simplified knows the pairs;
 * asking it for every text would cost microseconds a character, so that it is asked here, for each
 * character alone, and the answers become a table. Words that are told apart only by their
 * neighbours are not: one character, one answer, in the index as in the request.
 */
#include <stdint.h>
#include <stdio.h>

#include <unicode/ustring.h>
#include <unicode/utrans.h>

#define FIRST 0x3400
#define LAST 0x9fff

/* The simplified form where it is one character of the same range, else the character itself. */
static unsigned simplify(UTransliterator *to_hans, unsigned c)
{
    UChar text[8] = { (UChar)c, 0 };
    int32_t length = 1;
    int32_t limit = 1;
    UErrorCode status = U_ZERO_ERROR;

    utrans_transUChars(to_hans, text, &length, 8, 0, &limit, &status);
    if (U_FAILURE(status) || length != 1 || text[0] < FIRST || text[0] > LAST)
        return c;
    return text[0];
}

int main(int argc, char **argv)
{
    UErrorCode status = U_ZERO_ERROR;
    UTransliterator *to_hans;
    UChar id[32];
    FILE *out;

    if (argc != 2) {
        fprintf(stderr, "usage: gen_hans HEADER\n");
        return 2;
    }
    u_uastrcpy(id, "Traditional-Simplified");
    to_hans = utrans_openU(id, -1, UTRANS_FORWARD, NULL, 0, NULL, &status);
    if (U_FAILURE(status)) {
        fprintf(stderr, "gen_hans: %s\n", u_errorName(status));
        return 1;
    }
    out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        utrans_close(to_hans);
        return 1;
    }
    fprintf(out,
            "/* Made by gen_hans.c. */\n#define MN_HANS_FIRST 0x%x\n#define MN_HANS_LAST 0x%x\n",
            FIRST, LAST);
    fprintf(out, "static const unsigned short MN_HANS[] = {");
    for (unsigned c = FIRST; c <= LAST; c++)
        fprintf(out, "%s%u,", (c - FIRST) % 16 ? "" : "\n", simplify(to_hans, c));
    fprintf(out, "\n};\n");
    utrans_close(to_hans);
    if (fclose(out) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
