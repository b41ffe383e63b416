/*
 * inquiry.h - what a request asks for beside its words: a time, a number, a date, somebody.
 *
 * Pure. English and Chinese.
 */
#ifndef MN_TEXT_INQUIRY_H
#define MN_TEXT_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define MN_INQUIRY_FEW 4
#define MN_INQUIRY_NAMES_MAX 16
#define MN_INQUIRY_NAME_BYTES 24

struct mn_inquiry {
    bool asks_when;     /* when, how long, which year; 什么时候 */
    bool asks_how_many; /* how many, how often, how old; 多少 */

    uint16_t months; /* named, seasons as their months: bit 1 is January */
    int year[MN_INQUIRY_FEW];
    size_t year_count;
    int day[MN_INQUIRY_FEW]; /* of a named month */
    size_t day_count;

    char name[MN_INQUIRY_NAMES_MAX][MN_INQUIRY_NAME_BYTES]; /* capitalised Latin words, lowered */
    size_t name_count;
};

struct mn_inquiry mn_inquiry_read(const char *text);

/* How well a day fits the dates named: .6 for the month, .4 more for a day within 1 of the one
 * named or .2 within 7, half of it in another year than the one named; .3 for the year alone; 0
 * where no date is named. */
float mn_inquiry_fits_date(const struct mn_inquiry *inquiry, int year, int month, int day);

/* Is `name` meant by one of the capitalised words that is not spelled quite so? The same first four
 * letters, or three where either has no more (Mel for Melanie); or as long as five, the same first
 * letter and at most two edits. */
bool mn_inquiry_nearly_names(const struct mn_inquiry *inquiry, struct mn_str name);

#endif
