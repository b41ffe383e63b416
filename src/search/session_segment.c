/*
 * session_segment.c - what is told of turns, as bytes.
 *
 * Sessions and links are made again by adding turn after turn; what a turn's text says is kept.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "search/packed.h"
#include "search/session_table.h"

void mn_session_table_save_speakers(const struct mn_session_table *table, struct mn_buf *out)
{
    mn_packed_put_number(out, table->speaker_count);
    for (size_t s = 0; s < table->speaker_count; s++) {
        const struct mn_speaker *speaker = &table->speaker[s];

        mn_buf_put(out, &speaker->hash, sizeof speaker->hash);
        mn_packed_put_text(out, speaker->name);
        mn_packed_put_number(out, speaker->term_count);
        mn_buf_put(out, speaker->term, speaker->term_count * sizeof *speaker->term);
    }
}

static bool load_speaker(struct mn_packed *in, struct mn_speaker *speaker)
{
    mn_packed_copy(in, &speaker->hash, sizeof speaker->hash);
    const char *name = mn_packed_text(in);
    uint64_t terms = mn_packed_number(in);
    if (strlen(name) >= sizeof speaker->name || terms > MN_SPEAKER_TERMS_MAX)
        return false;
    strcpy(speaker->name, name);
    speaker->term_count = (size_t)terms;
    mn_packed_copy(in, speaker->term, speaker->term_count * sizeof *speaker->term);
    return !in->bad;
}

bool mn_session_table_load_speakers(struct mn_session_table *table, struct mn_packed *in)
{
    size_t count = mn_packed_count(in, sizeof(uint64_t));

    for (uint16_t s = 0; s < count; s++) {
        struct mn_speaker speaker = { 0 };
        uint16_t number;

        if (s == MN_SPEAKERS_MAX || !load_speaker(in, &speaker) ||
            !mn_session_speaker_of(table, &speaker, &number) || number != s)
            return false;
    }
    return !in->bad;
}

void mn_session_table_save_row(const struct mn_session_table *table, size_t row,
                               struct mn_buf *out)
{
    if (!mn_session_table_is_turn(table, row))
        return;
    const struct mn_session_turn *turn = mn_session_turn_of(table, row);
    const uint64_t session = table->sessions.item[table->session[row]].hash;
    const uint8_t day[2] = { turn->month, turn->day };

    mn_buf_put(out, &session, sizeof session);
    mn_buf_put(out, &turn->order, sizeof turn->order);
    mn_buf_put(out, &turn->letters, sizeof turn->letters);
    mn_buf_put(out, &turn->head, sizeof turn->head);
    mn_buf_put(out, &turn->length, sizeof turn->length);
    mn_buf_put(out, &turn->speaker, sizeof turn->speaker);
    mn_buf_put(out, &turn->year, sizeof turn->year);
    mn_buf_put(out, day, sizeof day);
    mn_buf_put(out, &turn->cues, sizeof turn->cues);
}

bool mn_session_table_load_row(struct mn_session_table *table, const struct mn_unit *unit,
                               struct mn_packed *in)
{
    struct mn_session_entry entry = { .is_turn = unit->is_event && unit->kind == MN_UNIT_ITEM };
    struct mn_session_turn *turn = &entry.turn;
    uint8_t day[2];

    if (!entry.is_turn)
        return mn_session_table_add(table, &entry);
    mn_packed_copy(in, &entry.session_hash, sizeof entry.session_hash);
    mn_packed_copy(in, &turn->order, sizeof turn->order);
    mn_packed_copy(in, &turn->letters, sizeof turn->letters);
    mn_packed_copy(in, &turn->head, sizeof turn->head);
    mn_packed_copy(in, &turn->length, sizeof turn->length);
    mn_packed_copy(in, &turn->speaker, sizeof turn->speaker);
    mn_packed_copy(in, &turn->year, sizeof turn->year);
    mn_packed_copy(in, day, sizeof day);
    mn_packed_copy(in, &turn->cues, sizeof turn->cues);
    turn->month = day[0];
    turn->day = day[1];
    if (in->bad || day[0] > 12 || day[1] > 31 || !isfinite(turn->letters) ||
        !isfinite(turn->head) || !isfinite(turn->length))
        return false;
    entry.has_speaker = turn->speaker != MN_SPEAKER_NONE;
    if (entry.has_speaker) {
        if (turn->speaker >= table->speaker_count)
            return false;
        entry.speaker = table->speaker[turn->speaker];
    }
    return mn_session_table_add(table, &entry);
}
