/*
 * context_asked.c - which speaker a request names, and what each of its terms can be.
 *
 * Names are told by the speakers of the partition's sessions; one that is spelled exactly, or by
 * another form of it, goes before one that is only spelled nearly so.
 */
#include "search/context_asked.h"

#include <stdlib.h>
#include <string.h>

#include "text/letters.h"

#define TERMS MN_CONTEXT_TERMS_MAX

/* ---- names ---- */

static bool names(const struct mn_speaker *speaker, uint64_t hash)
{
    for (size_t i = 0; i < speaker->term_count; i++)
        if (speaker->term[i] == hash)
            return true;
    return false;
}

static bool nearly_names(const struct mn_inquiry *inquiry, const struct mn_speaker *speaker)
{
    const char *at = speaker->name;

    while (*at) {
        size_t bytes = strcspn(at, " ");

        if (mn_inquiry_nearly_names(inquiry, (struct mn_str){ at, bytes }))
            return true;
        at += bytes + (at[bytes] == ' ');
    }
    return false;
}

/* By the request's term, or by another name of whom it names. */
static bool is_named(const struct mn_terms *terms, const struct mn_speaker *speaker)
{
    for (size_t t = 0; t < terms->count; t++)
        if (names(speaker, terms->item[t].hash))
            return true;
    for (size_t f = 0; f < terms->forms.count; f++)
        for (size_t h = 0; h < terms->forms.item[f].count; h++)
            if (names(speaker, terms->forms.item[f].hash[h]))
                return true;
    return false;
}

/* The one speaker that is named; one spelled exactly goes before one that is not. */
static uint16_t find_speaker(const struct mn_context_request *r)
{
    const struct mn_session_table *table = &r->index->sessions;
    size_t found = 0;
    uint16_t speaker = MN_SPEAKER_NONE;

    for (int nearly = 0; nearly < 2 && !found; nearly++) {
        for (size_t s = 0; s < table->speaker_count; s++) {
            const struct mn_speaker *one = &table->speaker[s];
            bool named = one->turns && (nearly ? nearly_names(r->inquiry, one)
                                               : is_named(r->terms, one));

            found += named;
            if (named)
                speaker = (uint16_t)s;
        }
    }
    return found == 1 ? speaker : MN_SPEAKER_NONE;
}

static bool is_name(const struct mn_session_table *table, uint64_t hash)
{
    for (size_t s = 0; s < table->speaker_count; s++)
        if (table->speaker[s].turns && names(&table->speaker[s], hash))
            return true;
    return false;
}

/* ---- terms ---- */

static int by_ordinal(const void *a, const void *b)
{
    const struct mn_context_term *const *x = a, *const *y = b;

    return ((*x)->ordinal > (*y)->ordinal) - ((*x)->ordinal < (*y)->ordinal);
}

/* A number of a date, 0: none. */
static int number_of(struct mn_str text)
{
    int number = 0;

    for (size_t i = 0; i < text.bytes; i++) {
        if (i == 4 || !mn_letter_digit(text.at[i]))
            return 0;
        number = number * 10 + (text.at[i] - '0');
    }
    return number;
}

/* A month's name as terms spell it, 0: none. */
static int month_of(struct mn_str text)
{
    static const char *const STEM[12] = { "januari", "februari", "march",  "april",
                                          "may",     "june",     "juli",   "august",
                                          "septemb", "octob",    "novemb", "decemb" };

    for (int i = 0; i < 12; i++)
        if (mn_str_equal(text, mn_str_of(STEM[i])))
            return i + 1;
    return 0;
}

static void read_terms(const struct mn_context_request *r, struct mn_context_asked *asked)
{
    const struct mn_text_asked *as = r->text->asked[r->which];
    size_t count = r->text->asked_count[r->which], words = 0;
    const struct mn_context_term *list[TERMS];

    asked->term_count = count < TERMS ? count : TERMS;
    for (size_t t = 0; t < asked->term_count; t++) {
        const struct mn_term *term = &r->terms->item[as[t].ordinal];

        asked->term[t] = (struct mn_context_term){ .as = &as[t],
                                                   .weight = as[t].weight,
                                                   .is_word =
                                                       !is_name(&r->index->sessions, term->hash),
                                                   .number = number_of(term->text),
                                                   .month = month_of(term->text),
                                                   .pairs = term->kind != MN_TERM_HAN,
                                                   .ordinal = as[t].ordinal };
        words += asked->term[t].is_word;
    }
    for (size_t t = 0; t < asked->term_count; t++) {
        struct mn_context_term *term = &asked->term[t];

        term->is_word |= !words;
        if (!term->is_word)
            continue;
        asked->words_weight += (double)term->weight;
        if (term->pairs)
            list[asked->order_count++] = term;
    }
    qsort(list, asked->order_count, sizeof list[0], by_ordinal);
    for (size_t i = 0; i < asked->order_count; i++)
        asked->order[i] = (uint8_t)(list[i] - asked->term);
}

struct mn_context_asked mn_context_asked_read(const struct mn_context_request *request)
{
    struct mn_context_asked asked = { .speaker = find_speaker(request) };

    read_terms(request, &asked);
    return asked;
}
