/*
 * age.c - decay of confidence, and importance from use.
 */
#include "lifecycle/age.h"

#include <math.h>

#include "memory/access.h"
#include "memory/type.h"

#define DAY_MS 86400000.0
#define HALF_LIFE_MIN_DAYS 30.0
#define HALF_LIFE_MAX_DAYS 90.0
#define WORTH_WRITING 0.02

#define USE_RAISES 0.1 /* the first time; twice as much use raises by as much again */
#define USE_RAISES_MAX 0.3
#define RECALLS_RAISE 0.05
#define RECALLS_MANY 16
#define IDLE_LOWERS 0.1 /* once after IDLE_DAYS, twice after double that */
#define IDLE_DAYS 90.0
#define STEP 0.05
#define IMPORTANCE_MIN 0.1

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When somebody last had to do with it. */
static int64_t touched_ms(const struct mn_row *row)
{
    const struct mneme_memory *m = &row->memory;

    return later(later(m->updated_at_ms, m->created_at_ms),
                 later(m->confirmed_at_ms, row->last_accessed_at_ms));
}

double mn_age_half_life_days(const char *type)
{
    double days = mn_type_of(type)->half_life_days;

    return days < HALF_LIFE_MIN_DAYS ? HALF_LIFE_MIN_DAYS
           : days > HALF_LIFE_MAX_DAYS ? HALF_LIFE_MAX_DAYS
                                       : days;
}

double mn_age_confidence(const struct mn_row *row, int64_t now_ms)
{
    const struct mneme_memory *m = &row->memory;
    bool supposed = m->authority == MNEME_MODEL_INFERENCE && m->confirmed_at_ms == 0;
    double lives = (double)(now_ms - touched_ms(row)) / DAY_MS / mn_age_half_life_days(m->type);
    double confidence;

    if (lives <= 0 || m->valid_until_ms > now_ms)
        return m->confidence;
    confidence = m->confidence * exp2(-(lives <= 1 ? lives : 2 * lives - 1));
    if (supposed || confidence >= MN_CONFIDENCE_MIN)
        return confidence;
    return m->confidence < MN_CONFIDENCE_MIN ? m->confidence : MN_CONFIDENCE_MIN;
}

bool mn_age_moved(double there, double now)
{
    return fabs(there - now) >= WORTH_WRITING ||
           (there >= MN_CONFIDENCE_MIN) != (now >= MN_CONFIDENCE_MIN);
}

double mn_age_importance_base(const struct mn_row *row)
{
    return row->importance_base >= 0 ? row->importance_base : row->memory.importance;
}

double mn_age_importance(const struct mn_row *row, int64_t now_ms)
{
    const struct mneme_memory *m = &row->memory;
    double base = mn_age_importance_base(row);
    double raise = USE_RAISES * log2(1.0 + (double)row->used_count);
    double idle_days = (double)(now_ms - touched_ms(row)) / DAY_MS;
    double lower = idle_days < IDLE_DAYS ? 0 : idle_days < 2 * IDLE_DAYS ? IDLE_LOWERS
                                                                         : 2 * IDLE_LOWERS;
    double importance;

    if (raise > USE_RAISES_MAX)
        raise = USE_RAISES_MAX;
    if (row->access_count >= RECALLS_MANY)
        raise += RECALLS_RAISE;
    if (m->authority == MNEME_EXPLICIT_ADMIN || m->risk == MNEME_RISK_HIGH)
        lower = 0;
    raise = floor(raise / STEP + 1e-9) * STEP;
    importance = base + raise - lower;
    if (importance < IMPORTANCE_MIN)
        importance = base < IMPORTANCE_MIN ? base : IMPORTANCE_MIN;
    return importance > 1 ? 1 : importance;
}
