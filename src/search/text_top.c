/*
 * text_top.c - terms at a time, rarest first, until the rest cannot matter.
 *
 * Each row's score is summed up as the lists are read. Once the k-th best of the rows seen has more
 * than all lists to come could give together, a row not seen yet can no longer come in, and the
 * rest is read only for rows that have been seen and may still come in: exact, and it spares most
 * of the work, since the long lists are those of terms that weigh little. The longest are not read
 * at all then, since they stand in columns as well. Where few rows are left for long lists, their
 * own terms are looked through instead.
 *
 * The sums are floats and choose; what is told of a row is computed anew (text_request.c).
 */
#include "search/text_request.h"

#include <math.h>

#define LOOKED_AT_EACH 8   /* rows touched, for each that is wanted, that a bound is told from */
#define POSTINGS_A_LOOK 4  /* read in the time that looking at one of them takes */
#define POSTINGS_A_ROW 250 /* read in the time that looking through one row's terms takes */
#define FETCH_AHEAD 4      /* rows, while one is scored */
#define ROUNDED 0.999999f  /* what sums in another order may come to */

/* What one list adds to a row. */
static inline float part_of(const struct mn_text_request *r, float weight, uint32_t halves,
                            float length)
{
    size_t kind = mn_text_length_kind(length);
    float tf = (float)halves / 2;
    float norm = r->norm_base[kind] + r->norm_length[kind] * mn_text_length_of(length);

    return weight * (0.5f + 0.5f * (tf * r->saturation[kind] / (tf + norm)));
}

/* What a term that has a column adds to a row. */
static float part_in_column(const struct mn_text_request *r, const struct mn_text_index *index,
                            const struct mn_text_asked *asked, uint32_t row)
{
    uint8_t halves = mn_text_column_halves(index, asked->column, asked->term[0], row);

    return halves ? part_of(r, asked->weight, halves, index->length[row]) : 0;
}

/* Reads a list for all allowed rows. Returns how many rows have been touched by now. */
static size_t read_all(const struct mn_text_request *r, const struct mn_text_index *index,
                       const struct mn_text_asked *asked, const uint64_t *allowed,
                       const struct mn_text_room *room, size_t touched)
{
    struct mn_text_asked_walk walk;
    const uint32_t *posting;
    size_t count;

    mn_text_asked_begin(index, asked, &walk);
    while ((count = mn_text_asked_next(&walk, &posting)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint32_t row = posting[i] >> 8;
            float score = room->score[row];

            if (!(allowed[row / 64] >> (row % 64) & 1))
                continue;
            room->touched[touched] = row; /* overwritten by the next where it was touched before */
            touched += score == 0;
            room->score[row] = score + part_of(r, asked->weight, posting[i] & MN_TEXT_HALVES_MASK,
                                               index->length[row]);
        }
    }
    return touched;
}

/* Lets go of rows that cannot reach `least` with all that is to come. Returns how many are left. */
static size_t keep_reaching(const struct mn_text_room *room, size_t touched, float least,
                            float to_come)
{
    size_t kept = 0;

    for (size_t i = 0; i < touched; i++) {
        uint32_t row = room->touched[i];
        bool reaches = room->score[row] + to_come >= least;

        room->touched[kept] = row;
        kept += reaches;
        if (!reaches)
            room->score[row] = 0;
    }
    return kept;
}

/* Marks the touched rows, or takes the marks away. The marks of all rows lie near, their scores do not. */
static void mark_touched(const struct mn_text_room *room, size_t touched, bool on)
{
    for (size_t i = 0; i < touched; i++) {
        uint32_t row = room->touched[i];
        uint64_t bit = UINT64_C(1) << row % 64;

        room->among[row / 64] = on ? room->among[row / 64] | bit : 0;
    }
}

/* Reads a list for rows that have been touched. */
static void read_touched(const struct mn_text_request *r, const struct mn_text_index *index,
                         const struct mn_text_asked *asked, const struct mn_text_room *room,
                         size_t touched)
{
    struct mn_text_asked_walk walk;
    const uint32_t *posting;
    size_t count;

    if (asked->column) {
        for (size_t i = 0; i < touched; i++)
            room->score[room->touched[i]] += part_in_column(r, index, asked, room->touched[i]);
        return;
    }
    mark_touched(room, touched, true);
    mn_text_asked_begin(index, asked, &walk);
    while ((count = mn_text_asked_next(&walk, &posting)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint32_t row = posting[i] >> 8;

            if (room->among[row / 64] >> row % 64 & 1)
                room->score[row] += part_of(r, asked->weight, posting[i] & MN_TEXT_HALVES_MASK,
                                            index->length[row]);
        }
    }
    mark_touched(room, touched, false);
}

/* Those touched first, which the rarest terms chose. */
static size_t looked_at(size_t touched, size_t wanted)
{
    return touched < LOOKED_AT_EACH * wanted ? touched : LOOKED_AT_EACH * wanted;
}

/*
 * A score that as many rows as are wanted reach: of those looked at that have the most so far, the
 * least that they have with what columns tell of the lists from `next` on.
 */
static float reached(const struct mn_text_request *r, size_t which, size_t next,
                     const struct mn_text_room *room, size_t touched, const struct mn_best *best)
{
    struct mn_shortlist most = { .key = room->key, .keep = best->room, .least = -INFINITY };
    float least = INFINITY;
    size_t looked = looked_at(touched, most.keep);

    if (touched < most.keep)
        return mn_best_least(best);
    for (size_t i = 0; i < looked; i++)
        if (room->score[room->touched[i]] >= most.least)
            mn_shortlist_offer(&most, room->score[room->touched[i]], room->touched[i]);
    mn_shortlist_cut(&most);
    for (size_t i = 0; i < most.count; i++) {
        uint32_t row = mn_scored_key_row(most.key[i]);
        float score = room->score[row];

        for (size_t t = next; t < r->asked_count[which]; t++)
            if (r->asked[which][t].column)
                score += part_in_column(r, r->index[which], &r->asked[which][t], row);
        least = fminf(least, score);
    }
    return fmaxf(least * ROUNDED, mn_best_least(best));
}

/* Scores rows that have been touched by their own terms, when that is less than the lists are. */
static void score_touched(const struct mn_text_request *r, size_t which,
                          const struct mn_text_room *room, size_t touched)
{
    for (size_t i = 0; i < touched; i++) {
        uint32_t row = room->touched[i];

        if (i + FETCH_AHEAD < touched)
            mn_text_index_fetch(r->index[which], room->touched[i + FETCH_AHEAD]);
        room->score[row] =
            (float)(mn_text_request_score(r, which, row).text * r->weight_sum);
    }
}

/* Offers the touched rows, with what the lists from `next` on add, all of which stand in columns. */
static void offer_touched(const struct mn_text_request *r, size_t which, size_t next, float least,
                          const struct mn_text_room *room, size_t touched, uint32_t tag,
                          struct mn_best *best)
{
    const struct mn_text_asked *asked = r->asked[which];
    size_t count = r->asked_count[which];

    for (size_t i = 0; i < touched; i++) {
        uint32_t row = room->touched[i];
        float score = room->score[row];
        size_t t = next;

        room->score[row] = 0;
        for (; t < count && score + asked[t].to_come >= least; t++)
            score += part_in_column(r, r->index[which], &asked[t], row);
        if (t < count || score < mn_best_least(best))
            continue;
        mn_best_offer(best, score, row | tag);
        least = fmaxf(least, mn_best_least(best));
    }
}

/* Where the lists begin that all stand in columns. */
static size_t first_in_columns(const struct mn_text_asked *asked, size_t count)
{
    while (count && asked[count - 1].column)
        count--;
    return count;
}

void mn_text_request_top(const struct mn_text_request *r, size_t which, const uint64_t *allowed,
                         const struct mn_text_room *room, uint32_t tag, struct mn_best *best)
{
    const struct mn_text_asked *asked = r->asked[which];
    const struct mn_text_index *index = r->index[which];
    size_t count = r->asked_count[which], touched = 0, read = 0, next = 0, rest = 0;
    size_t in_columns = first_in_columns(asked, count);
    float least = -INFINITY;

    for (; next < count; next++) {
        /* A bound is asked for where the look that it costs may spare as much. */
        if (read + asked[next].posting_count >=
            POSTINGS_A_LOOK * looked_at(touched, best->room)) {
            least = reached(r, which, next, room, touched, best);
            if (asked[next].to_come < least)
                break;
            read = 0;
        }
        read += asked[next].posting_count;
        touched = read_all(r, index, &asked[next], allowed, room, touched);
    }
    for (size_t i = next; i < in_columns; i++)
        rest += asked[i].column ? 0 : asked[i].posting_count;
    for (; next < in_columns; next++) {
        touched = keep_reaching(room, touched, least, asked[next].to_come);
        if (rest > touched * POSTINGS_A_ROW) {
            score_touched(r, which, room, touched);
            next = count;
            break;
        }
        read_touched(r, index, &asked[next], room, touched);
        rest -= asked[next].column ? 0 : asked[next].posting_count;
        least = reached(r, which, next + 1, room, touched, best);
    }
    offer_touched(r, which, next, least, room, touched, tag, best);
}
